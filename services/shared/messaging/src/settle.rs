//! Settles messages: acknowledges them, for some after a copy has been confirmed.

use lapin::options::BasicAckOptions;
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use runtime::{backoff::Backoff, clock::SharedClock, crash};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use crate::{
    error::ConnectionError, handler::Reason, lane::Outgoing, message::Message, publisher::Publisher,
    topology::Subscription,
};

pub(crate) struct Settler {
    pub(crate) subscription: Subscription,
    pub(crate) publisher: Publisher,
    pub(crate) clock: SharedClock,
    pub(crate) settled: Counter<u64>,
    pub(crate) stopping: CancellationToken,
}

pub(crate) fn counter(meter: &Meter) -> Counter<u64> {
    meter
        .u64_counter("messaging_consumed")
        .with_description("Messages consumed, by queue and verdict.")
        .build()
}

impl Settler {
    pub(crate) async fn done(&self, message: &Message) -> Result<(), ConnectionError> {
        self.acknowledge(message, "done").await
    }

    /// Moves a message to the end of its queue by publishing a copy, which does not count towards the delivery limit.
    /// `false`: the process stops before the copy was confirmed, and the broker will redeliver the message.
    pub(crate) async fn give_back(&self, message: &Message) -> Result<bool, ConnectionError> {
        let copy = message.copy(self.subscription.queue(), message.headers_without(&[]));
        self.replace(message, copy, "returned").await
    }

    pub(crate) async fn dead_letter(
        &self,
        message: &Message,
        reason: &Reason,
    ) -> Result<(), ConnectionError> {
        error!(lead_id = message.id, class = reason.class, detail = reason.detail, "message dead-lettered");
        let headers = message.headers_of_dead_letter(reason, self.clock.now());
        let copy = message.copy(self.subscription.dead_letter_queue(), headers);
        self.replace(message, copy, "dead_letter").await.map(drop)
    }

    /// Acknowledges a message once its copy is confirmed. Retries until then, as giving up would count towards the
    /// message's delivery limit; stops only with the process.
    async fn replace(
        &self,
        message: &Message,
        copy: Outgoing,
        label: &'static str,
    ) -> Result<bool, ConnectionError> {
        let mut backoff = Backoff::new();
        while let Err(error) = self.publisher.send(copy.clone()).await {
            if self.stopping.is_cancelled() {
                return Ok(false);
            }
            if message.acker.poisoned() {
                return Err(error.into());
            }
            let wait = backoff.next_delay();
            warn!(lead_id = message.id, to = copy.routing_key, %error, ?wait, "message not moved, retrying");
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.stopping.cancelled() => {}
            }
        }
        crash::point("messaging-copied");
        self.acknowledge(message, label).await?;
        Ok(true)
    }

    async fn acknowledge(&self, message: &Message, label: &'static str) -> Result<(), ConnectionError> {
        message.acker.ack(BasicAckOptions::default()).await?;
        let attributes = [KeyValue::new("queue", self.subscription.queue()), KeyValue::new("verdict", label)];
        self.settled.add(1, &attributes);
        Ok(())
    }
}
