//! Telling everybody of a lead: who is left is asked, mailed and reported. The one way, whoever brought the lead.

mod gate;
mod setback;
mod told;

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use lettre::{Address, message::Mailbox};
use messaging::{Publisher, Reason, Schedule, TraceParent, Verdict};
use runtime::{clock::SharedClock, crash, service::Context};
use tokio::time::Instant;
use tracing::{info, warn};
use uuid::Uuid;

use self::{
    gate::Gate,
    setback::{Setback, malformed, worse},
    told::{Progress, Told},
};
use crate::{
    domain::Lead,
    mail::{self, Mail, MessageId},
    metrics::Metrics,
    recipients::Recipients,
    smtp::{Accepted, Mailer, Scope, SendError},
    wire::{Claim, Failed, Ledger, Malformed, Notification, Submission, Unanswered},
};

/// How many mails are remembered: days of leads, and a few megabytes.
const REMEMBERED: usize = 4096;

/// How others learn that a mail was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Road {
    /// By an event.
    Broker,
    /// By a call.
    Grpc,
}

/// Tells everybody.
pub(crate) struct Teller {
    sender: Mailbox,
    recipients: Recipients,
    mailer: Mailer,
    publisher: Publisher,
    ledger: Arc<Ledger>,
    clock: SharedClock,
    metrics: Metrics,
    told: Told,
    gate: Gate,
}

/// What came of telling everybody of one lead.
pub(crate) struct Telling {
    lead: Option<Uuid>,
    verdict: Verdict,
    /// Who could not be told though this process has claimed them: the ledger is to hear what follows.
    failed: Vec<Granted>,
}

struct Granted {
    recipient: Address,
    attempt: u32,
}

/// Someone who is to be told of a lead.
struct Errand<'a> {
    submission: &'a Submission,
    lead: &'a Result<Lead, Malformed>,
    recipient: &'a Address,
    trace: Option<&'a TraceParent>,
}

impl Teller {
    pub(crate) fn new(
        sender: Mailbox,
        recipients: Recipients,
        mailer: Mailer,
        publisher: Publisher,
        ledger: Arc<Ledger>,
        metrics: Metrics,
        context: &Context,
    ) -> Self {
        let (clock, told) = (context.clock.clone(), Told::new(REMEMBERED));
        let gate = Gate::new(metrics.paused());
        Self { sender, recipients, mailer, publisher, ledger, clock, metrics, told, gate }
    }

    /// Tells everybody who was not told yet, and reports who was.
    pub(crate) async fn tell(&self, submission: &Submission, trace: Option<&TraceParent>) -> Telling {
        let id = match submission.id() {
            Ok(id) => id,
            Err(error) => return Telling::malformed(error),
        };
        let lead = &submission.lead();
        let recipients = self.recipients.addresses();
        let mut telling = Telling { lead: Some(id), verdict: Verdict::Done, failed: Vec::new() };
        for (index, recipient) in recipients.iter().enumerate() {
            let errand = Errand { submission, lead, recipient, trace };
            if let Err(setback) = self.tell_one(id, &errand, &mut telling.failed).await {
                let detail = format!("recipient {} of {}: {setback}", index + 1, recipients.len());
                telling.verdict = worse(telling.verdict, setback.verdict(detail));
            }
        }
        telling
    }

    /// Lets the ledger know what follows for those who could not be told. When it does not hear, it waits for a
    /// claim to expire in vain, and no more is lost.
    pub(crate) async fn report_failed(&self, telling: &Telling, what_follows: &Failed<'_>) {
        let Some(lead) = telling.lead else { return };
        for Granted { recipient, .. } in &telling.failed {
            if let Err(error) = self.ledger.failed(lead, recipient, what_follows).await {
                warn!(lead_id = %lead, %error, "the ledger did not hear that a recipient could not be told");
                return;
            }
        }
    }

    /// Lets the ledger know, once it answers again, of what was mailed without it. The claim stores the lead, should
    /// the message that was to store it be lost.
    pub(crate) async fn settle_what_is_owed(&self) {
        for mut progress in self.told.owed() {
            while let Some((submission, recipient)) = progress.unseen.last() {
                if self.ask(submission, recipient).await.is_err() {
                    break;
                }
                progress.unseen.pop();
            }
            let is_answered = progress.unseen.is_empty();
            if self.report(&mut progress, None, is_answered).await.is_err() || progress.is_owed() {
                return;
            }
        }
    }

    /// Whether the mail server is there, as far as is known.
    pub(crate) fn may_mail(&self) -> bool {
        self.gate.is_open()
    }

    /// Whether the mail server is there again.
    pub(crate) async fn probe(&self) -> Result<(), Reason> {
        if self.gate.is_open() {
            return Ok(());
        }
        let Some(_probing) = self.gate.may_probe() else {
            return Err(Reason::new("smtp", "the mail server is left alone for now"));
        };
        let probed = self.mailer.probe(&self.sender.email).await;
        probed.map_err(|error| Reason::new("smtp", error.to_string()))?;
        self.gate.open();
        Ok(())
    }

    async fn tell_one(
        &self,
        id: Uuid,
        errand: &Errand<'_>,
        failed: &mut Vec<Granted>,
    ) -> Result<(), Setback> {
        let entry = self.told.entry(&MessageId::new(id, errand.recipient, &self.sender.email));
        let Ok(mut progress) = entry.try_lock() else { return Err(Setback::Held) };
        if !progress.is_told() && !self.gate.is_open() {
            return Err(Setback::Closed);
        }
        // Also when this process knows the answer: the question carries the lead, which is stored with it.
        let claim = self.ask(errand.submission, errand.recipient).await;
        match &claim {
            Ok(Claim::AlreadyTold) => progress.settled = true,
            Ok(Claim::Granted(_) | Claim::Held) => progress.settled = false,
            Err(_) => {}
        }
        if !progress.is_told() {
            let granted = match &claim {
                Ok(Claim::Granted(attempt)) => {
                    Some(Granted { recipient: errand.recipient.clone(), attempt: *attempt })
                }
                Ok(Claim::Held | Claim::AlreadyTold) => return Err(Setback::Held),
                // The mail goes out all the same: neither road waits for the other.
                Err(_) => None,
            };
            crash::point("notifier-claimed");
            // A panic must not leave the ledger without the number of attempts.
            let mailing = AssertUnwindSafe(self.mail(errand)).catch_unwind().await;
            match mailing.unwrap_or(Err(Setback::Panicked)) {
                Ok(notification) => {
                    progress.notification = Some(notification);
                    if granted.is_none() {
                        self.metrics.mailed_unclaimed();
                    }
                }
                Err(setback) => {
                    failed.extend(granted);
                    return Err(setback);
                }
            }
            crash::point("notifier-mailed");
        }
        if claim.is_err() {
            progress.unseen.push((errand.submission.clone(), errand.recipient.clone()));
        }
        self.report(&mut progress, errand.trace, claim.is_ok()).await
    }

    async fn ask(&self, submission: &Submission, recipient: &Address) -> Result<Claim, Unanswered> {
        let claim = self.ledger.claim(submission, recipient, self.recipients.addresses()).await;
        self.metrics.claimed(&claim);
        claim
    }

    async fn mail(&self, errand: &Errand<'_>) -> Result<Notification, Setback> {
        let lead = errand.lead.as_ref().map_err(|malformed| *malformed)?;
        let mail = mail::compose(lead, &self.sender, errand.recipient, self.clock.now())?;
        let accepted = self.send(&mail).await?;
        info!(lead_id = %lead.id, reference = %lead.reference, mail = %mail.message_id, "told");
        Ok(Notification::new(lead, &mail, accepted, self.clock.now(), self.recipients.addresses()))
    }

    async fn send(&self, mail: &Mail) -> Result<Accepted, SendError> {
        let started = Instant::now();
        let result = self.mailer.send(mail).await;
        self.metrics.sent(&result, started.elapsed().as_secs_f64());
        match &result {
            Ok(_) => self.gate.passed(),
            Err(error) => match error.scope() {
                Scope::Server => self.gate.close(error),
                Scope::Mail | Scope::ForGood => {}
            },
        }
        result
    }

    /// Says what was told over both roads, as far as it was not said: the broker's message lasts, and the ledger's
    /// answer keeps others from mailing before that message is read.
    async fn report(
        &self,
        progress: &mut Progress,
        trace: Option<&TraceParent>,
        ledger_answers: bool,
    ) -> Result<(), Setback> {
        let Some(notification) = &progress.notification else { return Ok(()) };
        let publish = async {
            progress.published || self.publisher.publish(&notification.event(), trace).await.is_ok()
        };
        let settle =
            async { progress.settled || (ledger_answers && self.ledger.told(notification).await.is_ok()) };
        let (published, settled) = tokio::join!(publish, settle);
        for (road, taken) in
            [(Road::Broker, published && !progress.published), (Road::Grpc, settled && !progress.settled)]
        {
            if taken {
                self.metrics.reported(Some(road));
            }
        }
        (progress.published, progress.settled) = (published, settled);
        if published || settled {
            crash::point("notifier-reported");
            Ok(())
        } else {
            self.metrics.reported(None);
            Err(Setback::Unreported)
        }
    }
}

impl Telling {
    fn malformed(error: Malformed) -> Self {
        Self { lead: None, verdict: malformed(error.to_string()), failed: Vec::new() }
    }

    /// What came of it for the lead as a whole.
    pub(crate) fn into_verdict(self) -> Verdict {
        self.verdict
    }

    /// Whether the mail server turned out to be away.
    pub(crate) fn is_paused(&self) -> bool {
        matches!(self.verdict, Verdict::Pause(_))
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
