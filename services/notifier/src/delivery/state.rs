//! The state of one lead's delivery: its claim, sent emails, outcomes and reports.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    num::NonZeroUsize,
    sync::Arc,
    time::Duration,
};

use lead::Lead;
use lru::LruCache;
use parking_lot::Mutex;
use tokio::{sync::OwnedMutexGuard, time::Instant};
use uuid::Uuid;

use crate::{
    crm::{
        ledger::Claim,
        outcome::{Delivered, Outcome},
    },
    mail::Related,
    recipients::Recipient,
};

/// Leads whose sent emails are remembered, in a few megabytes.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(8192).expect("8192 is not zero");

/// Emails that this process sent about one lead, by the recipient's name.
pub(super) type Sent = BTreeMap<String, Delivered>;

/// Emails that this process sent recently, used when the CRM does not answer or has no report yet.
pub(crate) struct SentMails(Mutex<LruCache<Uuid, Arc<tokio::sync::Mutex<Sent>>>>);

impl Default for SentMails {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(REMEMBERED)))
    }
}

impl SentMails {
    /// The record of one lead, locked by one task at a time.
    pub(super) fn record(&self, lead: Uuid) -> Arc<tokio::sync::Mutex<Sent>> {
        Arc::clone(self.0.lock().get_or_insert(lead, Arc::default))
    }
}

/// What to do for a recipient.
pub(super) enum NextAction {
    /// This process sent the email and has not reported it yet.
    Report(Delivered),
    Send {
        attempt: u32,
    },
}

/// Names of recipients are those in the CRM.
pub(super) struct LeadDelivery {
    pub(super) lead: Lead,
    pub(super) audience: Vec<Recipient>,
    /// When the CRM was last asked for a claim.
    pub(super) claimed_at: Instant,
    claim: Option<Claim>,
    /// Number of passes without a claim.
    unclaimed: u32,
    sent: OwnedMutexGuard<Sent>,
    /// Outcomes that neither the CRM nor the broker has accepted.
    unreported: BTreeMap<String, Outcome>,
    reported: BTreeSet<String>,
    /// The shortest wait of this pass without a claim: this process repeats its emails instead of the database.
    pub(super) wait: Option<Duration>,
}

impl LeadDelivery {
    pub(super) fn new(lead: Lead, audience: Vec<Recipient>, sent: OwnedMutexGuard<Sent>) -> Self {
        let (claim, unreported, reported) = (None, BTreeMap::new(), BTreeSet::new());
        let claimed_at = Instant::now();
        Self { lead, audience, claimed_at, claim, unclaimed: 0, sent, unreported, reported, wait: None }
    }

    /// Sets the CRM's answer, `None` if it did not answer, and starts a new pass.
    pub(super) fn start_pass(&mut self, claim: Option<Claim>) {
        self.unclaimed += u32::from(claim.is_none());
        // This pass tries these again.
        self.unreported.retain(|_, outcome| !matches!(outcome, Outcome::Retry { .. }));
        self.wait = None;
        if claim.as_ref().is_some_and(|claim| claim.is_erased) {
            self.sent.clear();
        }
        self.claim = claim;
        self.claimed_at = Instant::now();
    }

    pub(super) fn claim(&self) -> Option<&Claim> {
        self.claim.as_ref()
    }

    /// Empty without a claim.
    pub(super) fn related(&self) -> Related {
        self.claim.as_ref().map(|claim| claim.related.clone()).unwrap_or_default()
    }

    /// Whether this process has emailed every sales recipient.
    pub(super) fn is_sent(&self) -> bool {
        self.audience.iter().all(|it| !it.is_sales() || self.sent.contains_key(&it.name()))
    }

    /// `None`: nothing, the database schedules what follows.
    pub(super) fn next_action(&self, recipient: &Recipient) -> Option<NextAction> {
        let name = recipient.name();
        let attempt = match &self.claim {
            Some(claim) => *claim.granted.get(&name)?,
            None if self.unreported.contains_key(&name) || self.reported.contains(&name) => return None,
            // Only the CRM counts the emails to a visitor's address and those that were asked for, and no system needs a
            // lead before a person does: the claim that follows brings them.
            None if !matches!(recipient, Recipient::Sales(_)) && !self.sent.contains_key(&name) => {
                return None;
            }
            None => self.unclaimed,
        };
        let sent = self.sent.get(&name).cloned();
        Some(sent.map_or(NextAction::Send { attempt }, NextAction::Report))
    }

    pub(super) fn add(&mut self, outcomes: impl IntoIterator<Item = (String, Outcome)>) {
        for (name, outcome) in outcomes {
            match &outcome {
                Outcome::Delivered(delivered) => {
                    self.sent.insert(name.clone(), delivered.clone());
                }
                Outcome::Retry { after, .. } if self.claim.is_none() => {
                    self.wait = Some(self.wait.map_or(*after, |wait| wait.min(*after)));
                    continue;
                }
                Outcome::Retry { .. } | Outcome::Failed(_) | Outcome::Cancelled(_) => {}
            }
            self.unreported.insert(name, outcome);
        }
    }

    pub(super) fn unreported(&self) -> &BTreeMap<String, Outcome> {
        &self.unreported
    }

    pub(super) fn mark_reported(&mut self) {
        self.reported.extend(mem::take(&mut self.unreported).into_keys());
    }
}
