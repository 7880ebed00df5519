//! Combines both journals: leads sent and acknowledged, and mails.

use std::collections::HashMap;
use std::path::Path;

use uuid::Uuid;
use xtask::error::Result;

use crate::journal::{self, Mailed, Millis, Visit};
use crate::lead;

/// A lead as seen by its visitor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Time of the first submission.
    pub(crate) submitted: Millis,
    pub(crate) acknowledged: Option<Millis>,
    /// Whether a different payload with the same key was acknowledged, too.
    pub(crate) other_words: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) at: Millis,
    /// `None` when the connection broke.
    pub(crate) status: Option<u16>,
}

/// The contents of both journals.
#[derive(Default)]
pub(crate) struct Reconciliation {
    pub(crate) leads: HashMap<Uuid, Sent>,
    /// Acceptance times of each mail, by the first part of its Message-ID.
    pub(crate) mails: HashMap<Uuid, Vec<Millis>>,
    /// Permanently refused mails.
    pub(crate) refused: Vec<Uuid>,
    /// Requests that were not acknowledged.
    pub(crate) failures: Vec<Failure>,
    pub(crate) requests: u64,
    /// End and duration of each request of a second or longer.
    pub(crate) slow: Vec<(Millis, Millis)>,
}

impl Reconciliation {
    /// Reads both journals.
    pub(crate) fn read(visits: &Path, mails: &Path) -> Result<Self> {
        let mut reconciliation = Self::default();
        journal::read(visits, Visit::parse, |visit| reconciliation.enter(&visit))?;
        journal::read(mails, Mailed::parse, |mailed| {
            if mailed.taken {
                reconciliation.mails.entry(mailed.id).or_default().push(mailed.at);
            } else {
                reconciliation.refused.push(mailed.id);
            }
        })?;
        Ok(reconciliation)
    }

    pub(crate) fn acknowledged(&self) -> impl Iterator<Item = (Uuid, &Sent)> {
        self.leads.iter().filter(|(_, sent)| sent.acknowledged.is_some()).map(|(id, sent)| (*id, sent))
    }

    /// All acceptance times of the mail about a lead to a recipient.
    pub(crate) fn mailed(&self, lead: Uuid, recipient: &str) -> &[Millis] {
        self.mails.get(&lead::mail_id(lead, recipient)).map_or(&[], Vec::as_slice)
    }

    fn enter(&mut self, visit: &Visit) {
        match *visit {
            Visit::Submitted { at, key, .. } => {
                self.leads.entry(lead::id(key)).or_insert(Sent { submitted: at, ..Sent::default() });
            }
            Visit::Answered { at, key, variant, took, status, .. } => {
                self.requests += 1;
                if took >= 1_000 {
                    self.slow.push((at, took));
                }
                if status != Some(202) {
                    self.failures.push(Failure { at, status });
                    return;
                }
                let sent = self.leads.entry(lead::id(key)).or_default();
                sent.acknowledged.get_or_insert(at);
                sent.other_words |= variant > 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_acknowledged_once_however_often_it_was_sent() {
        let key = Uuid::from_u128(1);
        let mut reconciliation = Reconciliation::default();
        let answered =
            |at, variant, status| Visit::Answered { at, key, variant, attempt: 1, took: 5, status };
        for visit in [
            Visit::Submitted { at: 1, key, variant: 0 },
            answered(2, 0, None),
            answered(3, 0, Some(503)),
            answered(4, 0, Some(202)),
            Visit::Submitted { at: 9, key, variant: 1 },
            answered(10, 1, Some(202)),
        ] {
            reconciliation.enter(&visit);
        }
        let sent = Sent { submitted: 1, acknowledged: Some(4), other_words: true };
        assert_eq!(reconciliation.acknowledged().collect::<Vec<_>>(), [(lead::id(key), &sent)]);
        assert_eq!(
            reconciliation.failures.iter().map(|failure| failure.status).collect::<Vec<_>>(),
            [None, Some(503)]
        );
        assert_eq!(reconciliation.requests, 4);
    }
}
