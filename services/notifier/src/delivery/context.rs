//! The state of one lead's delivery: its claim, sent mails, outcomes and reports.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use lead::Lead;
use messaging::TraceParent;
use tokio::{sync::OwnedMutexGuard, time::Instant};

use super::sent::Sent;
use crate::{
    crm::{
        ledger::{Answer, Claimed},
        outcome::{Delivered, Outcome},
    },
    mail::Related,
    recipients::{Audience, Recipient},
};

/// Where a lead came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Queue,
    Pending,
}

pub(super) enum Step {
    /// The database schedules what follows.
    Nothing,
    /// This process sent the mail and has not reported it yet.
    Report(Delivered),
    Mail {
        attempt: u32,
    },
}

pub(super) struct DeliveryContext {
    pub(super) lead: Lead,
    pub(super) audience: Audience,
    pub(super) trace: Option<TraceParent>,
    pub(super) claimed_at: Instant,
    claim: Option<Claimed>,
    /// Number of passes without a claim.
    unclaimed: u32,
    sent: OwnedMutexGuard<Sent>,
    /// The latest outcome of each recipient.
    outcomes: BTreeMap<String, Outcome>,
    /// Recipients whose outcome the CRM or the broker has accepted.
    reported: BTreeSet<String>,
}

impl DeliveryContext {
    pub(super) fn new(
        lead: Lead,
        audience: Audience,
        trace: Option<TraceParent>,
        sent: OwnedMutexGuard<Sent>,
    ) -> Self {
        Self {
            lead,
            audience,
            trace,
            claimed_at: Instant::now(),
            claim: None,
            unclaimed: 0,
            sent,
            outcomes: BTreeMap::new(),
            reported: BTreeSet::new(),
        }
    }

    /// Sets the CRM's answer, `None` if it did not answer, and starts a new pass.
    pub(super) fn claimed(&mut self, claim: Option<Claimed>) {
        self.unclaimed += u32::from(claim.is_none());
        // This pass tries these again.
        self.outcomes.retain(|_, outcome| !matches!(outcome, Outcome::Retry { .. }));
        self.claim = claim;
        self.claimed_at = Instant::now();
    }

    pub(super) fn is_claimed(&self) -> bool {
        self.claim.is_some()
    }

    pub(super) fn is_erased(&self) -> bool {
        let answers = self.claim.iter().flat_map(|claim| claim.answers.values());
        answers.into_iter().any(|answer| *answer == Answer::Erased)
    }

    /// Drops the record of sent mails, because the lead was erased.
    pub(super) fn forget(&mut self) {
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

    pub(super) fn step(&self, recipient: Recipient<'_>) -> Step {
        let name = recipient.name();
        let sent = self.sent.get(&name).cloned();
        match &self.claim {
            Some(claim) => match (claim.answers.get(&name), sent) {
                (Some(Answer::Granted(_)), Some(delivered)) => Step::Report(delivered),
                (Some(Answer::Granted(attempt)), None) => Step::Mail { attempt: *attempt },
                (Some(Answer::No(_) | Answer::Erased) | None, _) => Step::Nothing,
            },
            None if self.outcomes.contains_key(&name) => Step::Nothing,
            None => match (recipient, sent) {
                (_, Some(delivered)) => Step::Report(delivered),
                // Only the CRM counts the mails to a visitor's address and those that were asked for, and no system needs
                // a lead before a person does: the claim that follows brings them.
                (
                    Recipient::Visitor
                    | Recipient::Brochure
                    | Recipient::Webhook(_)
                    | Recipient::Requested(_),
                    None,
                ) => Step::Nothing,
                (Recipient::Sales(_), None) => Step::Mail { attempt: self.unclaimed },
            },
        }
    }

    pub(super) fn add(&mut self, outcomes: impl Iterator<Item = (String, Outcome)>) {
        for (name, outcome) in outcomes {
            if let Outcome::Delivered(delivered) = &outcome {
                self.sent.insert(name.clone(), delivered.clone());
            }
            self.reported.remove(&name);
            self.outcomes.insert(name, outcome);
        }
    }

    /// Outcomes to report. Without a claim, `Again` is not reported: this process retries instead of the database.
    pub(super) fn unreported(&self) -> Vec<(String, Outcome)> {
        let is_for_report = |outcome: &Outcome| match outcome {
            Outcome::Delivered(_) | Outcome::Failed(_) | Outcome::Cancelled(_) => true,
            Outcome::Retry { .. } => self.is_claimed(),
        };
        let is_news = |name: &String| !self.reported.contains(name);
        let outcomes = self.outcomes.iter().filter(|(name, outcome)| is_news(name) && is_for_report(outcome));
        outcomes.map(|(name, outcome)| (name.clone(), outcome.clone())).collect()
    }

    pub(super) fn reported(&mut self, outcomes: Vec<(String, Outcome)>) {
        self.reported.extend(outcomes.into_iter().map(|(name, _)| name));
    }

    /// The shortest wait among the mails that this process must retry.
    pub(super) fn waits(&self) -> Option<Duration> {
        let unreported = self.outcomes.iter().filter(|(name, _)| !self.reported.contains(*name));
        let waits = unreported.filter_map(|(_, outcome)| match outcome {
            Outcome::Retry { after, .. } => Some(*after),
            Outcome::Delivered(_) | Outcome::Failed(_) | Outcome::Cancelled(_) => None,
        });
        waits.min()
    }
}
