//! Leads that the broker's queue brings.

use std::{convert::Infallible, panic, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use lead::Lead;
use messaging::{Delivery, Event, Handler, Reason, Verdict};
use runtime::{lifecycle::Lifecycle, trace::carried};
use tokio::{sync::oneshot, time::Instant};

use crate::delivery::{
    Source,
    deliverer::{Deliverer, End, Limits},
};

/// How many messages are in hand at once. Some may wait for the CRM or for a recipient; the others go on.
pub(crate) const CONCURRENCY: u16 = 64;

/// Half of what RabbitMQ gives a consumer to acknowledge a message.
const LONGEST_IN_HAND: Duration = Duration::from_secs(15 * 60);

/// Delivers the leads of the queue.
#[derive(Clone)]
pub(crate) struct LeadHandler {
    pub(crate) deliverer: Arc<Deliverer>,
    pub(crate) lifecycle: Lifecycle,
}

impl Handler for LeadHandler {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(batch.len());
        for delivery in batch {
            verdicts.push(self.clone().deliver_apart(delivery.clone()).await);
        }
        verdicts
    }

    async fn probe(&self) -> Result<(), Reason> {
        self.deliverer.probe().await
    }
}

impl LeadHandler {
    /// When the connection to the broker breaks, the caller is dropped and the message comes again: the mail under way
    /// goes on, and is remembered. When the process stops, it waits for it.
    async fn deliver_apart(self, delivery: Delivery) -> Verdict {
        let (answer, answered) = oneshot::channel();
        let lifecycle = self.lifecycle.clone();
        let hard = lifecycle.hard_stop();
        let delivering = async move {
            let delivering = AssertUnwindSafe(self.deliver(&delivery)).catch_unwind();
            tokio::select! {
                // Nobody listens when the connection is gone.
                verdict = delivering => { let _ = answer.send(verdict); }
                () = hard.cancelled() => {}
            }
            Ok::<_, Infallible>(())
        };
        lifecycle.spawn("delivery", carried(delivering));
        match answered.await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(reason)) => panic::resume_unwind(reason),
            Err(_) => Verdict::Return,
        }
    }

    async fn deliver(&self, delivery: &Delivery) -> Verdict {
        let malformed = |detail: String| Verdict::DeadLetter(Reason::new("malformed", detail));
        let lead = match &delivery.event {
            Event::LeadSubmitted(event) => Lead::try_from(event.clone()),
            Event::LeadDelivered(_) => {
                return malformed("not an event about a lead that was submitted".into());
            }
        };
        let lead = match lead {
            Ok(lead) => lead,
            Err(error) => return malformed(error.to_string()),
        };
        let stop = self.lifecycle.soft_stop();
        let limits = Limits { until: Instant::now() + LONGEST_IN_HAND, stop: &stop };
        let trace = delivery.trace.as_ref();
        let (end, _) = self.deliverer.deliver(lead, trace, Source::Queue, &limits).await;
        match end {
            End::Done => Verdict::Done,
            End::Unfinished => Verdict::Return,
            End::Unavailable => Verdict::Pause(Reason::new("smtp", "the mail server is away")),
        }
    }
}
