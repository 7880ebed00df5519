//! Handles leads from the broker's queue.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::join_all};
use lead::Lead;
use messaging::{Event, Handler, Reason, Verdict};
use runtime::{lifecycle::Lifecycle, trace::in_current_trace};
use tokio::{sync::oneshot, time::Instant};

use crate::delivery::deliverer::{Deliverer, DeliveryResult, Limits};

/// Messages handled concurrently. Some may wait for the CRM or a mail server without blocking the rest.
pub(crate) const CONCURRENCY: u16 = 64;

/// Half of RabbitMQ's acknowledgement timeout.
const MAX_TIME_IN_FLIGHT: Duration = Duration::from_secs(15 * 60);

#[derive(Clone)]
pub(crate) struct LeadHandler {
    pub(crate) deliverer: Arc<Deliverer>,
    pub(crate) lifecycle: Lifecycle,
}

impl Handler for LeadHandler {
    async fn handle(&self, batch: &[Event]) -> Vec<Verdict> {
        join_all(
            batch
                .iter()
                .map(|event| self.clone().spawn_delivery(event.clone())),
        )
        .await
    }

    async fn probe(&self) -> Result<(), Reason> {
        self.deliverer.sender.probe().await
    }
}

impl LeadHandler {
    /// Delivers in a separate task. If the broker connection breaks, the caller is dropped and the broker redelivers the
    /// message, but the task finishes its email and stores the result. Shutdown waits for the task.
    async fn spawn_delivery(self, event: Event) -> Verdict {
        let (answer, answered) = oneshot::channel();
        let lifecycle = self.lifecycle.clone();
        let delivering = async move {
            let verdict = AssertUnwindSafe(self.deliver(event)).catch_unwind().await;
            let panicked = |_| Verdict::Retry(Reason::new("panic", "delivery panicked"));
            // The receiver is dropped when the connection breaks.
            let _ = answer.send(verdict.unwrap_or_else(panicked));
        };
        lifecycle.spawn_until(
            "delivery",
            lifecycle.hard_stop(),
            in_current_trace(delivering),
        );
        answered.await.unwrap_or(Verdict::Return)
    }

    async fn deliver(&self, event: Event) -> Verdict {
        let lead = match event {
            Event::LeadSubmitted(event) => Lead::try_from(event).map_err(|error| error.to_string()),
            Event::LeadWithdrawn(_) | Event::LeadConsented(_) | Event::LeadDelivered(_) => {
                Err("not a LeadSubmitted event".to_owned())
            }
        };
        let lead = match lead {
            Ok(lead) => lead,
            Err(detail) => return Verdict::DeadLetter(Reason::new("malformed", detail)),
        };
        let stop = self.lifecycle.soft_stop();
        let limits = Limits {
            until: Instant::now() + MAX_TIME_IN_FLIGHT,
            stop: &stop,
            is_leased: false,
        };
        let audience = self.deliverer.audience(&lead);
        match self.deliverer.deliver(lead, audience, &limits).await {
            DeliveryResult::Done => Verdict::Done,
            DeliveryResult::Unfinished => {
                // The broker redelivers a returned message immediately.
                limits.wait_until_reached().await;
                Verdict::Return
            }
            DeliveryResult::Unavailable => {
                Verdict::Retry(Reason::new("smtp", "mail server unavailable"))
            }
        }
    }
}
