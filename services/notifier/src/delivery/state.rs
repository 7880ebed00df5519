//! The state of one lead's delivery: its claim, sent mails, outcomes and reports.

use std::{collections::BTreeMap, num::NonZeroUsize, sync::Arc, time::Duration};

use lead::Lead;
use lru::LruCache;
use messaging::TraceParent;
use parking_lot::Mutex;
use tokio::{sync::OwnedMutexGuard, time::Instant};
use uuid::Uuid;

use crate::{
    crm::{
        ledger::{Answer, Claimed},
        outcome::{Delivered, Outcome},
    },
    mail::Related,
    recipients::{Audience, Recipient},
};

/// Leads whose sent mails are remembered, in a few megabytes.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(8192).expect("8192 is not zero");

/// Mails that this process sent about one lead, by recipient.
pub(super) type Sent = BTreeMap<String, Delivered>;

/// Mails that this process sent recently, used when the CRM does not answer or has no report yet.
pub(super) struct SentMails(Mutex<LruCache<Uuid, Arc<tokio::sync::Mutex<Sent>>>>);

impl SentMails {
    pub(super) fn new() -> Self {
        Self(Mutex::new(LruCache::new(REMEMBERED)))
    }

    /// The record of one lead, locked by one task at a time.
    pub(super) fn of_lead(&self, lead: Uuid) -> Arc<tokio::sync::Mutex<Sent>> {
        Arc::clone(self.0.lock().get_or_insert(lead, Arc::default))
    }
}

/// What to do for a recipient.
pub(super) enum NextAction {
    /// The database schedules what follows.
    Nothing,
    /// This process sent the mail and has not reported it yet.
    Report(Delivered),
    Send {
        attempt: u32,
    },
}

pub(super) struct LeadDelivery {
    pub(super) lead: Lead,
    pub(super) audience: Audience,
    pub(super) trace: Option<TraceParent>,
    /// When the CRM was last asked for a claim.
    pub(super) claimed_at: Instant,
    claim: Option<Claimed>,
    /// Number of passes without a claim.
    unclaimed: u32,
    sent: OwnedMutexGuard<Sent>,
    /// The latest outcome of each recipient.
    outcomes: BTreeMap<String, Latest>,
}

struct Latest {
    outcome: Outcome,
    /// Whether the CRM or the broker has accepted it.
    is_reported: bool,
}

impl LeadDelivery {
    pub(super) fn new(
        lead: Lead,
        audience: Audience,
        trace: Option<TraceParent>,
        sent: OwnedMutexGuard<Sent>,
    ) -> Self {
        let (claimed_at, outcomes) = (Instant::now(), BTreeMap::new());
        Self { lead, audience, trace, claimed_at, claim: None, unclaimed: 0, sent, outcomes }
    }

    /// Sets the CRM's answer, `None` if it did not answer, and starts a new pass.
    pub(super) fn start_pass(&mut self, claim: Option<Claimed>) {
        self.unclaimed += u32::from(claim.is_none());
        // This pass tries these again.
        self.outcomes.retain(|_, latest| !matches!(latest.outcome, Outcome::Retry { .. }));
        self.claim = claim;
        self.claimed_at = Instant::now();
    }

    pub(super) fn is_claimed(&self) -> bool {
        self.claim.is_some()
    }

    pub(super) fn is_erased(&self) -> bool {
        let mut answers = self.claim.iter().flat_map(|claim| claim.answers.values());
        answers.any(|answer| *answer == Answer::Erased)
    }

    /// Drops the record of sent mails, because the lead was erased.
    pub(super) fn clear_sent(&mut self) {
        self.sent.clear();
    }

    /// Empty without a claim.
    pub(super) fn related(&self) -> Related {
        self.claim.as_ref().map(|claim| claim.related.clone()).unwrap_or_default()
    }

    /// Whether this process has mailed every sales recipient.
    pub(super) fn is_sent(&self) -> bool {
        self.audience.mailed_sales().all(|recipient| self.sent.contains_key(&recipient.name()))
    }

    pub(super) fn next_action(&self, recipient: Recipient<'_>) -> NextAction {
        let name = recipient.name();
        let sent = self.sent.get(&name).cloned();
        let Some(claim) = &self.claim else {
            return match (recipient, sent) {
                _ if self.outcomes.contains_key(&name) => NextAction::Nothing,
                (_, Some(delivered)) => NextAction::Report(delivered),
                (Recipient::Sales(_), None) => NextAction::Send { attempt: self.unclaimed },
                // Only the CRM counts the mails to a visitor's address and those that were asked for, and no system
                // needs a lead before a person does: the claim that follows brings them.
                (_, None) => NextAction::Nothing,
            };
        };
        match (claim.answers.get(&name), sent) {
            (Some(Answer::Granted(_)), Some(delivered)) => NextAction::Report(delivered),
            (Some(Answer::Granted(attempt)), None) => NextAction::Send { attempt: *attempt },
            (Some(Answer::No(_) | Answer::Erased) | None, _) => NextAction::Nothing,
        }
    }

    pub(super) fn add(&mut self, outcomes: impl IntoIterator<Item = (String, Outcome)>) {
        for (name, outcome) in outcomes {
            if let Outcome::Delivered(delivered) = &outcome {
                self.sent.insert(name.clone(), delivered.clone());
            }
            self.outcomes.insert(name, Latest { outcome, is_reported: false });
        }
    }

    /// Outcomes to report. Without a claim, retries are not reported: this process repeats them instead of the database.
    pub(super) fn unreported(&self) -> Vec<(String, Outcome)> {
        let unreported = self.outcomes.iter().filter(|(_, latest)| !latest.is_reported);
        let for_report =
            unreported.filter(|(_, it)| self.is_claimed() || !matches!(it.outcome, Outcome::Retry { .. }));
        for_report.map(|(name, latest)| (name.clone(), latest.outcome.clone())).collect()
    }

    pub(super) fn mark_reported(&mut self, outcomes: Vec<(String, Outcome)>) {
        for (name, _) in outcomes {
            if let Some(latest) = self.outcomes.get_mut(&name) {
                latest.is_reported = true;
            }
        }
    }

    /// The shortest wait among the mails that this process must retry.
    pub(super) fn shortest_wait(&self) -> Option<Duration> {
        let unreported = self.outcomes.values().filter(|latest| !latest.is_reported);
        let waits = unreported.filter_map(|latest| match latest.outcome {
            Outcome::Retry { after, .. } => Some(after),
            Outcome::Delivered(_) | Outcome::Failed(_) | Outcome::Cancelled(_) => None,
        });
        waits.min()
    }
}
