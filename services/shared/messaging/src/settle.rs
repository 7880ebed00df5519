//! What a verdict means for the message it is about: gone, or safe in another queue and then gone from this one.

use lapin::options::BasicAckOptions;
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use runtime::{backoff::Backoff, clock::SharedClock, crash};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::{
    error::ConnectionError,
    handler::{Reason, Verdict},
    lane::Outgoing,
    message::Message,
    publisher::Publisher,
    schedule::Schedule,
    topology::Subscription,
};

/// Settles the messages of one subscription.
pub(crate) struct Settler {
    pub(crate) subscription: Subscription,
    pub(crate) retry_after: Schedule,
    pub(crate) publisher: Publisher,
    pub(crate) clock: SharedClock,
    pub(crate) settled: Counter<u64>,
    pub(crate) stopping: CancellationToken,
}

/// What became of a message.
pub(crate) enum Settled {
    /// It is gone from the queue, or will be there again because the process stops.
    Yes,
    /// It waits for what the handler depends on.
    No(Message, Reason),
}

pub(crate) fn counter(meter: &Meter) -> Counter<u64> {
    meter
        .u64_counter("messaging_settled")
        .with_description("Messages consumed, by queue and verdict.")
        .build()
}

impl Settler {
    pub(crate) async fn settle(
        &self,
        message: Message,
        verdict: Verdict,
    ) -> Result<Settled, ConnectionError> {
        match verdict {
            Verdict::Done => self.acknowledge(&message, "done").await?,
            Verdict::Retry(reason) => self.retry(&message, &reason).await?,
            Verdict::Defer(reason) => self.defer(&message, &reason).await?,
            Verdict::Pause(reason) => return Ok(Settled::No(message, reason)),
            Verdict::Park(reason) => self.park(&message, &reason).await?,
        }
        Ok(Settled::Yes)
    }

    /// Puts a message back at the end of its queue as it came, which the broker does not count as a delivery that
    /// failed. `false`: the process stops and no copy is safe; the broker will deliver the message again.
    pub(crate) async fn give_back(&self, message: &Message) -> Result<bool, ConnectionError> {
        let copy = message.copy(self.subscription.queue(), message.headers_without(&[]));
        self.replace(message, copy, "returned").await
    }

    async fn retry(&self, message: &Message, reason: &Reason) -> Result<(), ConnectionError> {
        let attempt = message.attempt();
        let Some(wait) = self.retry_after.after(attempt) else { return self.park(message, reason).await };
        warn!(
            lead_id = message.id,
            attempt,
            class = reason.class,
            detail = reason.detail,
            ?wait,
            "to be tried again"
        );
        let copy = message.copy(self.subscription.retry_queue(wait), message.headers_to_retry(reason));
        self.replace(message, copy, "retry").await?;
        Ok(())
    }

    async fn defer(&self, message: &Message, reason: &Reason) -> Result<(), ConnectionError> {
        let wait = self.retry_after.first();
        info!(lead_id = message.id, class = reason.class, detail = reason.detail, ?wait, "deferred");
        let copy = message.copy(self.subscription.retry_queue(wait), message.headers_without(&[]));
        self.replace(message, copy, "defer").await?;
        Ok(())
    }

    async fn park(&self, message: &Message, reason: &Reason) -> Result<(), ConnectionError> {
        let attempt = message.attempt();
        error!(lead_id = message.id, attempt, class = reason.class, detail = reason.detail, "parked");
        let headers = message.headers_to_park(reason, self.clock.now());
        self.replace(message, message.copy(self.subscription.parked_queue(), headers), "parked").await?;
        Ok(())
    }

    /// Acknowledges a message once its copy is safe. Tries until it is: giving up would make the broker deliver the
    /// message again and count that against it. Only a process that stops leaves it to the broker.
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
            warn!(lead_id = message.id, to = copy.routing_key, %error, ?wait, "not settled, trying again");
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
