//! Telling visitors that their lead has come. It never stands in the way of telling the sales team: it has a queue of its
//! own, and what the queue cannot hold, or the ledger cannot answer, the ledger brings again.

use std::{convert::Infallible, panic::AssertUnwindSafe, sync::Arc};

use futures_util::{FutureExt, StreamExt, stream};
use messaging::{Reason, TraceParent};
use runtime::{crash, service::Context};
use tokio::sync::mpsc;
use tracing::{info, warn};
use uuid::Uuid;

use super::Teller;
use crate::{
    domain::Lead,
    mail::{self, ComposeError, Mail},
    recipients::Recipient,
    smtp::{Accepted, Scope, SendError},
    wire::{Claim, Failed, Notification, Submission},
};

/// How many leads wait for their visitors to be written to.
const QUEUED: usize = 1024;

/// How many visitors are written to side by side.
const CONCURRENCY: usize = 4;

/// A lead whose visitor is to be written to.
pub(super) struct Acknowledgement {
    submission: Submission,
    trace: Option<TraceParent>,
}

/// Where such leads wait.
pub(super) type Queue = mpsc::Sender<Acknowledgement>;

/// Writes to visitors, one lead after the other.
pub(crate) struct Acknowledger(mpsc::Receiver<Acknowledgement>);

/// Why a visitor was not written to.
enum Unwritten {
    /// Nobody can be written to at what they typed.
    Unaddressable,
    /// The mail could not be written.
    Compose(ComposeError),
    /// The mail was not taken.
    Send(SendError),
    /// A mistake of ours.
    Panicked,
}

pub(super) fn queue() -> (Queue, Acknowledger) {
    let (queue, queued) = mpsc::channel(QUEUED);
    (queue, Acknowledger(queued))
}

impl Acknowledger {
    /// Writes until the process is asked to stop, then finishes what is under way.
    pub(crate) fn start(self, teller: Arc<Teller>, context: &Context) {
        let (soft, hard) = (context.lifecycle.soft_stop(), context.lifecycle.hard_stop());
        let Self(mut queued) = self;
        context.lifecycle.spawn("acknowledger", async move {
            let writing = stream::poll_fn(move |task| queued.poll_recv(task))
                .take_until(soft.cancelled())
                .for_each_concurrent(CONCURRENCY, async |one| teller.acknowledge(&one).await);
            tokio::select! {
                () = writing => {}
                () = hard.cancelled() => {}
            }
            Ok::<_, Infallible>(())
        });
    }
}

impl Teller {
    /// Has the visitor written to, some time soon.
    pub(super) fn acknowledge_soon(&self, submission: &Submission, trace: Option<&TraceParent>) {
        let one = Acknowledgement { submission: submission.clone(), trace: trace.cloned() };
        // When there is no room, the ledger brings the lead again.
        let _ = self.acknowledgements.try_send(one);
    }

    async fn acknowledge(&self, Acknowledgement { submission, trace }: &Acknowledgement) {
        let lead = submission.lead();
        let audience = self.audience(lead.as_ref().ok());
        let (Ok(lead), Some(visitor)) = (lead, audience.visitor()) else { return };
        let entry = self.told.entry(lead.id, visitor);
        let Ok(mut progress) = entry.try_lock() else { return };
        if !progress.is_told() && !self.may_mail() {
            return;
        }
        let claim = self.ask(submission, visitor, &audience).await;
        match &claim {
            Ok(Claim::AlreadyTold | Claim::Declined) => progress.settled = true,
            Ok(Claim::Erased) => progress.forget(),
            Ok(Claim::Granted(_) | Claim::Held) => progress.settled = false,
            Err(_) => {}
        }
        if !progress.is_told() {
            // Without a claim nobody knows how many mails the address had today.
            let Ok(Claim::Granted(grant)) = &claim else { return };
            crash::point("notifier-acknowledging");
            let writing = AssertUnwindSafe(self.write_to_visitor(&lead)).catch_unwind().await;
            match writing.unwrap_or(Err(Unwritten::Panicked)) {
                Ok((mail, accepted)) => {
                    let now = self.clock.now();
                    let told = Notification::new(&lead, visitor, &mail, &accepted, now, &audience);
                    progress.notification = Some(told);
                }
                Err(error) => return self.report_unwritten(lead.id, visitor, grant.attempt, &error).await,
            }
            crash::point("notifier-acknowledged");
        }
        // What nobody hears is owed.
        let unseen = claim.is_err().then_some(submission);
        let _ = self.report(&mut progress, trace.as_ref(), unseen).await;
    }

    async fn write_to_visitor(&self, lead: &Lead) -> Result<(Mail, Accepted), Unwritten> {
        let mail = mail::acknowledgement(lead, &self.letterhead, self.clock.now());
        let mail = mail.map_err(Unwritten::Compose)?.ok_or(Unwritten::Unaddressable)?;
        // Whatever the server says of a visitor's address, it says nothing of the sales team's: the gate stays open.
        let result = self.mailer.send(&mail).await;
        self.metrics.acknowledged(&result);
        let accepted = result.map_err(Unwritten::Send)?;
        info!(lead_id = %lead.id, reference = %lead.reference, mail = %mail.message_id, "acknowledged");
        Ok((mail, accepted))
    }

    async fn report_unwritten(&self, lead: Uuid, visitor: Recipient<'_>, attempt: u32, error: &Unwritten) {
        let reason = error.reason();
        let next = if error.is_final() { None } else { self.schedule.after(attempt) };
        let what_follows = match next {
            Some(wait) => Failed::Waiting(wait, &reason),
            None => Failed::Declined(&reason),
        };
        if let Err(error) = self.ledger.failed(lead, visitor, &what_follows).await {
            warn!(lead_id = %lead, %error, "the ledger did not hear that a visitor could not be written to");
        }
    }
}

impl Unwritten {
    fn is_final(&self) -> bool {
        match self {
            Self::Unaddressable | Self::Compose(_) => true,
            Self::Send(error) => match error.scope() {
                Scope::ForGood => true,
                Scope::Mail | Scope::Server => false,
            },
            Self::Panicked => false,
        }
    }

    fn reason(&self) -> Reason {
        match self {
            Self::Unaddressable => Reason::new("address", "no mail can be sent to the address"),
            Self::Compose(error) => Reason::new("compose", error.to_string()),
            Self::Send(error) if self.is_final() => Reason::new("smtp-rejected", error.to_string()),
            Self::Send(error) => Reason::new("smtp", error.to_string()),
            Self::Panicked => Reason::new("panic", "a panic"),
        }
    }
}
