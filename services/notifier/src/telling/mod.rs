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
    wire::{Claim, Failed, Ledger, Malformed, Notification, Submission},
};

/// How many mails are remembered: days of leads, and a few megabytes.
const REMEMBERED: usize = 4096;

/// How the CRM learns that a mail was taken: over this road or, when it is closed, over the other.
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

/// Leave to mail a recipient.
enum Leave {
    /// It is not needed: they were told.
    Told,
    /// The ledger gave it.
    Granted(Granted),
    /// The ledger did not answer. The mail goes out all the same: neither road waits for the other.
    Unasked,
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
    road: Road,
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

    /// Tells everybody who was not told yet, and reports who was, first over `road`.
    pub(crate) async fn tell(
        &self,
        submission: &Submission,
        trace: Option<&TraceParent>,
        road: Road,
    ) -> Telling {
        let id = match submission.id() {
            Ok(id) => id,
            Err(error) => return Telling::malformed(error),
        };
        let lead = &submission.lead();
        let recipients = self.recipients.addresses();
        let mut telling = Telling { lead: Some(id), verdict: Verdict::Done, failed: Vec::new() };
        for (index, recipient) in recipients.iter().enumerate() {
            let errand = Errand { submission, lead, recipient, trace, road };
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

    /// Reports what was told while both roads were closed.
    pub(crate) async fn report_the_unreported(&self) {
        for mut progress in self.told.unreported() {
            if self.report(&mut progress, None, Road::Grpc).await.is_err() {
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
        if let Progress::Untold = *progress {
            let granted = match self.claim(errand).await? {
                Leave::Told => return Ok(()),
                Leave::Granted(granted) => Some(granted),
                Leave::Unasked => None,
            };
            crash::point("notifier-claimed");
            // A panic is one more way not to be told: the ledger hears of it and counts the attempt.
            let mailing = AssertUnwindSafe(self.mail(errand)).catch_unwind().await;
            match mailing.unwrap_or(Err(Setback::Panicked)) {
                Ok(notification) => {
                    *progress = Progress::Told(notification);
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
        } else if let (Progress::Reported(notification), Road::Grpc) = (&*progress, errand.road) {
            // The ledger gave the lead out: it has not heard of it yet.
            *progress = Progress::Told(notification.clone());
        }
        self.report(&mut progress, errand.trace, errand.road).await
    }

    async fn claim(&self, errand: &Errand<'_>) -> Result<Leave, Setback> {
        if !self.gate.is_open() {
            return Err(Setback::Closed);
        }
        let recipient = errand.recipient;
        let claim = self.ledger.claim(errand.submission, recipient, self.recipients.addresses()).await;
        self.metrics.claimed(&claim);
        match claim {
            Ok(Claim::Granted(attempt)) => {
                Ok(Leave::Granted(Granted { recipient: recipient.clone(), attempt }))
            }
            Ok(Claim::AlreadyTold) => Ok(Leave::Told),
            Ok(Claim::Held) => Err(Setback::Held),
            Err(_) => Ok(Leave::Unasked),
        }
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

    async fn report(
        &self,
        progress: &mut Progress,
        trace: Option<&TraceParent>,
        first: Road,
    ) -> Result<(), Setback> {
        let Progress::Told(notification) = &*progress else { return Ok(()) };
        let other = match first {
            Road::Broker => Road::Grpc,
            Road::Grpc => Road::Broker,
        };
        for road in [first, other] {
            let taken = match road {
                Road::Broker => self.publisher.publish(&notification.event(), trace).await.is_ok(),
                Road::Grpc => self.ledger.told(notification).await.is_ok(),
            };
            if taken {
                self.metrics.reported(Some(road));
                *progress = Progress::Reported(notification.clone());
                crash::point("notifier-reported");
                return Ok(());
            }
        }
        self.metrics.reported(None);
        Err(Setback::Unreported)
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
