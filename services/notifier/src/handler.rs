//! What a lead's event asks for: a mail to every recipient, and an event that says so for each.

use std::{panic, sync::Arc};

use contracts::leads::v1::LeadSubmitted;
use lettre::{Address, message::Mailbox};
use messaging::{Delivery, Event, Handler, PublishError, Publisher, Reason, TraceParent, Verdict};
use runtime::{clock::SharedClock, service::Context};
use tokio::time::Instant;
use tracing::info;

use crate::{
    domain::Lead,
    mail::{self, ComposeError, Mail},
    metrics::Metrics,
    recipients::Recipients,
    smtp::{Accepted, Mailer, SendError},
    told::{Progress, Told},
    wire,
};

/// How many mails are remembered: days of leads, and less than a megabyte.
const REMEMBERED: usize = 4096;

/// Tells the sales team. Clones share what they remember.
#[derive(Clone)]
pub struct Notifier(Arc<Parts>);

struct Parts {
    sender: Mailbox,
    recipients: Recipients,
    mailer: Mailer,
    publisher: Publisher,
    clock: SharedClock,
    told: Told,
    metrics: Metrics,
}

/// Why a recipient was not told, or nobody learnt that they were.
#[derive(Debug, thiserror::Error)]
enum TellError {
    #[error(transparent)]
    Compose(#[from] ComposeError),
    #[error(transparent)]
    Send(#[from] SendError),
    #[error("told, but that could not be published: {0}")]
    Publish(#[from] PublishError),
}

impl Notifier {
    /// Mails from `sender` to `recipients`.
    #[must_use]
    pub fn new(
        sender: Mailbox,
        recipients: Recipients,
        mailer: Mailer,
        publisher: Publisher,
        context: &Context,
    ) -> Self {
        let (clock, metrics) = (context.clock.clone(), Metrics::new(context.metrics.meter()));
        let told = Told::new(REMEMBERED);
        Self(Arc::new(Parts { sender, recipients, mailer, publisher, clock, told, metrics }))
    }
}

impl Handler for Notifier {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(batch.len());
        for delivery in batch {
            let (parts, delivery) = (Arc::clone(&self.0), delivery.clone());
            // When the connection to the broker breaks, this future is dropped and the event comes again: the mail
            // under way goes on, and is remembered.
            #[expect(clippy::disallowed_methods, reason = "awaited in the next line, panics included")]
            let mailing = tokio::spawn(async move { parts.deal_with(&delivery).await });
            verdicts.push(match mailing.await {
                Ok(verdict) => verdict,
                Err(error) => match error.try_into_panic() {
                    Ok(reason) => panic::resume_unwind(reason),
                    Err(_) => Verdict::Retry(Reason::new("stopping", "the process is stopping")),
                },
            });
        }
        verdicts
    }
}

impl Parts {
    async fn deal_with(&self, delivery: &Delivery) -> Verdict {
        match &delivery.event {
            Event::LeadSubmitted(event) => self.tell_everybody(event, delivery.trace.as_ref()).await,
            Event::LeadNotified(_) => malformed("not an event about a lead that was submitted"),
        }
    }

    async fn tell_everybody(&self, event: &LeadSubmitted, trace: Option<&TraceParent>) -> Verdict {
        let lead = match wire::lead(event) {
            Ok(lead) => lead,
            Err(error) => return malformed(error.to_string()),
        };
        let recipients = self.recipients.addresses();
        let mut verdict = Verdict::Done;
        for (index, recipient) in recipients.iter().enumerate() {
            if let Err(error) = self.tell(&lead, recipient, trace).await {
                let detail = format!("recipient {} of {}: {error}", index + 1, recipients.len());
                verdict = worse(verdict, error.verdict(detail));
            }
        }
        verdict
    }

    /// Makes sure that one recipient is told and that this is published, doing only what this process has not done.
    async fn tell(
        &self,
        lead: &Lead,
        recipient: &Address,
        trace: Option<&TraceParent>,
    ) -> Result<(), TellError> {
        let mail = mail::compose(lead, &self.sender, recipient, self.clock.now())?;
        let entry = self.told.entry(&mail.message_id);
        let mut progress = entry.lock().await;
        if let Progress::Untold = *progress {
            let accepted = self.send(&mail).await?;
            info!(lead_id = %lead.id, reference = %lead.reference, mail = %mail.message_id, "told");
            *progress = Progress::Told(accepted, self.clock.now());
        }
        if let Progress::Told(accepted, at) = &*progress {
            let notified = wire::notified(lead, &mail, accepted, *at);
            self.publisher.publish(&Event::LeadNotified(notified), trace).await?;
            *progress = Progress::Published;
        }
        Ok(())
    }

    async fn send(&self, mail: &Mail) -> Result<Accepted, SendError> {
        let started = Instant::now();
        let result = self.mailer.send(mail).await;
        self.metrics.record(&result, started.elapsed().as_secs_f64());
        result
    }
}

impl TellError {
    fn verdict(&self, detail: String) -> Verdict {
        match self {
            Self::Compose(_) => Verdict::Park(Reason::new("compose", detail)),
            Self::Send(SendError::Refused { .. }) => Verdict::Park(Reason::new("smtp-rejected", detail)),
            Self::Send(SendError::Failed { .. }) => Verdict::Retry(Reason::new("smtp", detail)),
            Self::Publish(_) => Verdict::Retry(Reason::new("publish", detail)),
        }
    }
}

fn malformed(detail: impl Into<String>) -> Verdict {
    Verdict::Park(Reason::new("malformed", detail))
}

/// What may still be done comes before what cannot: an event is parked only when all others were told.
fn worse(one: Verdict, other: Verdict) -> Verdict {
    match (&one, &other) {
        (Verdict::Retry(_), _) | (Verdict::Park(_), Verdict::Park(_) | Verdict::Done) => one,
        (_, Verdict::Retry(_)) | (Verdict::Done, _) => other,
    }
}
