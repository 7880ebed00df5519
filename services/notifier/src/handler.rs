//! What comes by the queue.

use std::{convert::Infallible, panic, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use contracts::leads::v1::LeadSubmitted;
use futures_util::FutureExt;
use messaging::{Delivery, Event, Handler, Reason, Schedule, TraceParent, Verdict};
use runtime::{lifecycle::Lifecycle, trace::carried};
use tokio::sync::oneshot;

use crate::{
    telling::{Source, Teller},
    wire::Submission,
};

/// Tells everybody of the leads that the queue brings.
#[derive(Clone)]
pub(crate) struct LeadHandler {
    pub(crate) teller: Arc<Teller>,
    /// How long the queue lets a lead wait.
    pub(crate) schedule: Schedule,
    /// How much longer the ledger does, so that what waits in the queue is not given to another meanwhile.
    pub(crate) on_top: Duration,
    pub(crate) lifecycle: Lifecycle,
}

impl Handler for LeadHandler {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(batch.len());
        for delivery in batch {
            verdicts.push(self.clone().deal_with_apart(delivery.clone()).await);
        }
        verdicts
    }

    async fn probe(&self) -> Result<(), Reason> {
        self.teller.probe().await
    }
}

impl LeadHandler {
    /// When the connection to the broker breaks, the caller is dropped and the event comes again: the mail under way
    /// goes on, and is remembered. When the process stops, it waits for it.
    async fn deal_with_apart(self, delivery: Delivery) -> Verdict {
        let (answer, answered) = oneshot::channel();
        let lifecycle = self.lifecycle.clone();
        let hard = lifecycle.hard_stop();
        let telling = async move {
            let telling = AssertUnwindSafe(self.deal_with(&delivery)).catch_unwind();
            tokio::select! {
                // Nobody listens when the connection is gone.
                verdict = telling => { let _ = answer.send(verdict); }
                () = hard.cancelled() => {}
            }
            Ok::<_, Infallible>(())
        };
        lifecycle.spawn("telling", carried(telling));
        match answered.await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(reason)) => panic::resume_unwind(reason),
            Err(_) => Verdict::Defer(Reason::new("stopping", "the process is stopping")),
        }
    }

    async fn deal_with(&self, delivery: &Delivery) -> Verdict {
        match &delivery.event {
            Event::LeadSubmitted(event) => {
                self.tell(event.clone(), delivery.trace.as_ref(), delivery.attempt).await
            }
            Event::LeadNotified(_) => {
                Verdict::Park(Reason::new("malformed", "not an event about a lead that was submitted"))
            }
        }
    }

    async fn tell(&self, event: LeadSubmitted, trace: Option<&TraceParent>, attempt: u32) -> Verdict {
        let telling = self.teller.tell(&Submission::new(event), trace, Source::Queue).await;
        if let Some(what_follows) = telling.what_follows(&self.schedule, attempt, self.on_top) {
            self.teller.report_failed(&telling, &what_follows).await;
        }
        telling.into_verdict()
    }
}
