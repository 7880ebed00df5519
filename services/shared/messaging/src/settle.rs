//! Settles messages: acknowledges them, dead letters after a copy has been confirmed, or returns them to their queue.

use lapin::options::{BasicAckOptions, BasicNackOptions};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use runtime::{backoff::Backoff, clock::SharedClock, crash};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use crate::{
    error::ConnectionError, handler::Reason, message::Message, publisher::Publisher, topology::Subscription,
};

pub(crate) struct Settler {
    pub(crate) subscription: Subscription,
    pub(crate) publisher: Publisher,
    pub(crate) clock: SharedClock,
    pub(crate) settled: Counter<u64>,
}

pub(crate) fn counter(meter: &Meter) -> Counter<u64> {
    meter
        .u64_counter("messaging_consumed")
        .with_description("Messages consumed, by queue and verdict.")
        .build()
}

impl Settler {
    pub(crate) async fn done(&self, message: &Message) -> Result<(), ConnectionError> {
        let acknowledged = message.acker.ack(BasicAckOptions::default()).await?;
        self.count(acknowledged, "done")
    }

    /// Returns a message to its queue, which counts towards the delivery limit.
    pub(crate) async fn requeue(&self, message: &Message) -> Result<(), ConnectionError> {
        let options = BasicNackOptions { requeue: true, ..BasicNackOptions::default() };
        let returned = message.acker.nack(options).await?;
        self.count(returned, "returned")
    }

    /// Acknowledges a message once the broker has confirmed a copy in the queue of dead letters. Retries until
    /// `ending`; the message is then redelivered.
    pub(crate) async fn dead_letter(
        &self,
        message: &Message,
        reason: &Reason,
        ending: &CancellationToken,
    ) -> Result<(), ConnectionError> {
        error!(lead_id = message.id, class = reason.class, detail = reason.detail, "message dead-lettered");
        let headers = message.headers_of_dead_letter(reason, self.clock.now());
        let copy = message.copy(self.subscription.dead_letter_queue(), headers);
        let mut backoff = Backoff::new();
        while let Err(error) = self.publisher.send(copy.clone()).await {
            if message.acker.poisoned() {
                return Err(error.into());
            }
            let wait = backoff.next_delay();
            warn!(lead_id = message.id, to = copy.routing_key, %error, ?wait, "message not moved, retrying");
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = ending.cancelled() => return Ok(()),
            }
        }
        crash::point("messaging-copied");
        let acknowledged = message.acker.ack(BasicAckOptions::default()).await?;
        self.count(acknowledged, "dead_letter")
    }

    /// lapin reports a channel that is closed already by `false`.
    fn count(&self, settled: bool, verdict: &'static str) -> Result<(), ConnectionError> {
        if !settled {
            return Err(ConnectionError::Cancelled);
        }
        let attributes =
            [KeyValue::new("queue", self.subscription.queue()), KeyValue::new("verdict", verdict)];
        self.settled.add(1, &attributes);
        Ok(())
    }
}
