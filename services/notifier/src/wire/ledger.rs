//! The ledger of who was told, which the CRM keeps.

use std::{
    future::Future,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use contracts::crm::v1::{
    self, ClaimRecipientRequest, LeaseUntoldRequest, ReportRecipientRequest,
    claim_recipient_request::Visitor,
    claim_recipient_response::{Answer, Granted},
    report_recipient_request::{Declined, Outcome, Parked, Released, Waiting},
};
use crm_client::{Crm, CrmClient, is_about_the_replica};
use messaging::Reason;
use tonic::{Code, Response, Status};
use uuid::Uuid;

use super::{Notification, Submission, duration, point_in_time};
use crate::{
    domain::{Earlier, Line},
    recipients::{Audience, Recipient},
};

/// A mail does not wait longer than this for the ledger.
const CLAIM_DEADLINE: Duration = Duration::from_millis(1500);

/// Reports of mails that were taken must not get lost easily.
const TOLD_DEADLINE: Duration = Duration::from_millis(1500);

/// Other reports save work and no more.
const FAILED_DEADLINE: Duration = Duration::from_millis(750);

const LEASE_DEADLINE: Duration = Duration::from_secs(5);

/// Asks the ledger, under one name.
pub(crate) struct Ledger {
    client: CrmClient,
    pub(super) holder: String,
    lease: Duration,
    answers: AtomicBool,
    /// Taken by the one who asks while the ledger does not answer.
    asking: tokio::sync::Mutex<()>,
}

/// Whether a recipient may be mailed.
pub(crate) enum Claim {
    /// Yes.
    Granted(Grant),
    /// It was already.
    AlreadyTold,
    /// Another is at it.
    Held,
    /// The lead was erased.
    Erased,
    /// They are not to be told, for good.
    Declined,
}

/// The right to mail a recipient.
#[derive(Clone)]
pub(crate) struct Grant {
    /// How often it was given, this time included.
    pub(crate) attempt: u32,
    /// Earlier leads of the same person, the oldest first.
    pub(crate) earlier: Vec<Earlier>,
}

/// What follows when a recipient could not be told.
pub(crate) enum Failed<'a> {
    /// They are tried again, not before that.
    Waiting(Duration, &'a Reason),
    /// A person has to look at it.
    Parked(&'a Reason),
    /// They were not tried after all.
    Released,
    /// They will not be told, and nobody has to look at it.
    Declined(&'a Reason),
}

/// The ledger did not answer, or not to the question.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the CRM answered {0:?}")]
pub(crate) struct Unanswered(pub(super) Code);

impl Ledger {
    /// `process` names who asks: another for each process. What is claimed or fetched is its own for `lease`.
    pub(crate) fn new(settings: crm_client::Settings, process: Uuid, lease: Duration) -> Self {
        Self {
            client: CrmClient::new(settings),
            holder: format!("notifier-{process}"),
            lease,
            answers: AtomicBool::new(true),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// How long a claim lasts.
    pub(crate) fn lease(&self) -> Duration {
        self.lease
    }

    /// Asks for the right to mail a recipient. While the ledger does not answer, one at a time waits for it and the
    /// others are told so at once: mails are not to queue up behind it.
    pub(crate) async fn claim(
        &self,
        lead: &Submission,
        recipient: Recipient<'_>,
        audience: &Audience,
    ) -> Result<Claim, Unanswered> {
        let asking = self.asking.try_lock();
        if asking.is_err() && !self.answers.load(Ordering::Relaxed) {
            return Err(Unanswered(Code::Unavailable));
        }
        let request = ClaimRecipientRequest {
            lead: Some(lead.0.clone()),
            recipient: recipient.name(),
            recipients: audience.names(),
            holder: self.holder.clone(),
            lease: Some(duration(self.lease)),
            visitor: match recipient {
                Recipient::Sales(_) => None,
                Recipient::Visitor { daily_limit } => Some(Visitor { daily_limit: daily_limit.get() }),
            },
        };
        let claim = |mut crm: Crm| {
            let request = request.clone();
            async move { crm.claim_recipient(request).await }
        };
        match self.call(CLAIM_DEADLINE, claim).await?.answer {
            Some(Answer::Granted(granted)) => Ok(Claim::Granted(grant(granted))),
            Some(Answer::AlreadyTold(_)) => Ok(Claim::AlreadyTold),
            Some(Answer::Held(_)) => Ok(Claim::Held),
            Some(Answer::Erased(_)) => Ok(Claim::Erased),
            Some(Answer::Declined(_)) => Ok(Claim::Declined),
            None => Err(Unanswered(Code::Unknown)),
        }
    }

    /// Takes leads that were stored so long ago and that nobody is at.
    pub(crate) async fn lease_untold(
        &self,
        untold_for: Duration,
        limit: u32,
    ) -> Result<Vec<Submission>, Unanswered> {
        let request = LeaseUntoldRequest {
            holder: self.holder.clone(),
            untold_for: Some(duration(untold_for)),
            lease: Some(duration(self.lease)),
            limit,
        };
        let lease = |mut crm: Crm| {
            let request = request.clone();
            async move { crm.lease_untold(request).await }
        };
        let leased = self.call(LEASE_DEADLINE, lease).await?;
        Ok(leased.leads.into_iter().map(Submission::new).collect())
    }

    /// Says that a recipient was told.
    pub(crate) async fn told(&self, notification: &Notification) -> Result<(), Unanswered> {
        let event = &notification.0;
        let outcome = Outcome::Told(event.clone());
        self.report(&event.lead_id, &event.recipient, outcome, TOLD_DEADLINE).await
    }

    /// Says that a recipient whom this process has claimed was not told.
    pub(crate) async fn failed(
        &self,
        lead: Uuid,
        recipient: Recipient<'_>,
        what_follows: &Failed<'_>,
    ) -> Result<(), Unanswered> {
        let reason =
            |reason: &Reason| Some(v1::Reason { class: reason.class.into(), detail: reason.detail.clone() });
        let outcome = match what_follows {
            Failed::Waiting(wait, why) => {
                Outcome::Waiting(Waiting { at_least: Some(duration(*wait)), reason: reason(why) })
            }
            Failed::Parked(why) => Outcome::Parked(Parked { reason: reason(why) }),
            Failed::Released => Outcome::Released(Released {}),
            Failed::Declined(why) => Outcome::Declined(Declined { reason: reason(why) }),
        };
        self.report(&lead.to_string(), &recipient.name(), outcome, FAILED_DEADLINE).await
    }

    async fn report(
        &self,
        lead: &str,
        recipient: &str,
        outcome: Outcome,
        within: Duration,
    ) -> Result<(), Unanswered> {
        let request = ReportRecipientRequest {
            lead_id: lead.to_owned(),
            recipient: recipient.to_owned(),
            holder: self.holder.clone(),
            outcome: Some(outcome),
        };
        let report = |mut crm: Crm| {
            let request = request.clone();
            async move { crm.report_recipient(request).await }
        };
        self.call(within, report).await.map(|_| ())
    }

    pub(super) async fn call<T, A>(&self, within: Duration, call: impl Fn(Crm) -> A) -> Result<T, Unanswered>
    where
        A: Future<Output = Result<Response<T>, Status>>,
    {
        let answer = self.client.call(within, call).await;
        let answers = answer.as_ref().err().is_none_or(|status| !is_about_the_replica(status));
        self.answers.store(answers, Ordering::Relaxed);
        // Only the code: what a status says is another's, and might quote.
        answer.map_err(|status| Unanswered(status.code()))
    }
}

/// What cannot be read of earlier leads is left out: the mail goes out all the same.
fn grant(granted: Granted) -> Grant {
    let earlier = granted.earlier.into_iter().filter_map(|lead| {
        Some(Earlier {
            id: Uuid::parse_str(&lead.lead_id).ok()?,
            reference: Line::new(&lead.reference)?,
            submitted_at: lead.submitted_at.as_ref().and_then(point_in_time)?,
        })
    });
    Grant { attempt: granted.attempt, earlier: earlier.collect() }
}
