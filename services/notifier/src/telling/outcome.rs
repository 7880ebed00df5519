//! What came of telling everybody of a lead, and what follows.

use std::time::Duration;

use lettre::Address;
use messaging::{Schedule, Verdict};
use uuid::Uuid;

use super::{
    digest::Gathered,
    setback::{Setback, malformed, worse},
};
use crate::wire::{Failed, Malformed};

/// What came of telling the sales team of one lead.
pub(crate) struct Telling {
    pub(super) lead: Option<Uuid>,
    verdict: Verdict,
    /// Who could not be told though this process has claimed them: the ledger is to hear what follows.
    pub(super) failed: Vec<Granted>,
    /// Who is to be told of it together with other leads.
    gathered: Vec<Gathered>,
}

/// Somebody whom this process may mail.
pub(super) struct Granted {
    pub(super) recipient: Address,
    pub(super) attempt: u32,
}

impl Telling {
    /// Nothing is left to do, as far as is known.
    pub(super) fn done(lead: Uuid) -> Self {
        Self { lead: Some(lead), verdict: Verdict::Done, failed: Vec::new(), gathered: Vec::new() }
    }

    pub(super) fn malformed(error: Malformed) -> Self {
        Self { lead: None, verdict: malformed(error.to_string()), failed: Vec::new(), gathered: Vec::new() }
    }

    /// Somebody was not told.
    pub(super) fn add(&mut self, setback: &Setback, detail: String) {
        let verdict = std::mem::replace(&mut self.verdict, Verdict::Done);
        self.verdict = worse(verdict, setback.verdict(detail));
    }

    pub(super) fn gather(&mut self, gathered: Gathered) {
        self.gathered.push(gathered);
    }

    /// What is to be told together with other leads.
    pub(crate) fn take_gathered(&mut self) -> Vec<Gathered> {
        std::mem::take(&mut self.gathered)
    }

    /// What came of it for the lead as a whole.
    pub(crate) fn into_verdict(self) -> Verdict {
        self.verdict
    }

    /// Whether the mail server turned out to be away.
    pub(crate) fn is_paused(&self) -> bool {
        matches!(self.verdict, Verdict::Pause(_))
    }

    /// Whether everybody of the sales team was mailed or tried in vain; nobody is just being mailed.
    pub(super) fn is_through(&self) -> bool {
        match self.verdict {
            Verdict::Done | Verdict::Retry(_) | Verdict::Park(_) => true,
            Verdict::Defer(_) | Verdict::Pause(_) => false,
        }
    }

    /// How often the one who could not be told, and was tried most often, was tried; `None` when the ledger has
    /// nothing to hear.
    pub(crate) fn attempt(&self) -> Option<u32> {
        self.failed.iter().map(|granted| granted.attempt).max()
    }

    /// What follows for those who could not be told after this attempt, by the schedule, with some time on top of
    /// each wait. `None` when nobody is left.
    pub(crate) fn what_follows(
        &self,
        schedule: &Schedule,
        attempt: u32,
        on_top: Duration,
    ) -> Option<Failed<'_>> {
        match &self.verdict {
            Verdict::Done => None,
            Verdict::Retry(reason) => Some(match schedule.after(attempt) {
                Some(wait) => Failed::Waiting(wait + on_top, reason),
                None => Failed::Parked(reason),
            }),
            Verdict::Defer(reason) => Some(Failed::Waiting(schedule.first() + on_top, reason)),
            Verdict::Pause(_) => Some(Failed::Released),
            Verdict::Park(reason) => Some(Failed::Parked(reason)),
        }
    }
}
