//! Consuming with a verdict: each event is done, tried again later, or parked; never dropped, never lost.

use std::{convert::Infallible, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::{FutureExt, StreamExt, TryStreamExt};
use lapin::{
    Acker, Connection,
    options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions},
    types::{AMQPValue, FieldTable},
};
use opentelemetry::{KeyValue, metrics::Counter};
use runtime::{admin::Latch, backoff::Backoff, service::Context};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::{
    connection::connect,
    error::ConnectionError,
    event::{DecodeError, Event},
    handler::{Batching, Delivery, Handler, Reason, Verdict},
    lane::Outgoing,
    publisher::Publisher,
    settings::Settings,
    topology::Subscription,
    trace::TraceParent,
};

const ATTEMPT: &str = "x-attempt";
const CONSUMER_TAG: &str = "consumer";

/// Consumes one subscription for as long as the process lives.
pub struct Consumer<H> {
    /// What is listened to.
    pub subscription: Subscription,
    /// How events are handed over.
    pub batching: Batching,
    /// Who deals with them.
    pub handler: H,
}

impl<H: Handler> Consumer<H> {
    /// Starts consuming. The service is not ready before the broker has let it consume once. What is to be tried
    /// again or parked goes through `publisher`.
    pub fn start(self, settings: Settings, publisher: Publisher, context: &Context) {
        let settled = context
            .metrics
            .meter()
            .u64_counter("messaging_settled")
            .with_description("Messages consumed, by queue and verdict.")
            .build();
        let supervisor = Supervisor {
            consumer: Arc::new(self),
            settings,
            publisher,
            settled,
            soft: context.lifecycle.soft_stop(),
            hard: context.lifecycle.hard_stop(),
        };
        let latch = context.readiness.latch("broker, to consume");
        context.lifecycle.spawn("consumer", supervisor.run(latch));
    }
}

struct Supervisor<H> {
    consumer: Arc<Consumer<H>>,
    settings: Settings,
    publisher: Publisher,
    settled: Counter<u64>,
    soft: CancellationToken,
    hard: CancellationToken,
}

/// A message in hand.
struct Message {
    acker: Acker,
    message_id: String,
    kind: String,
    headers: FieldTable,
    attempt: u32,
    body: Vec<u8>,
}

impl<H: Handler> Supervisor<H> {
    async fn run(self, latch: Latch) -> Result<(), Infallible> {
        let mut latch = Some(latch);
        let mut backoff = Backoff::new();
        loop {
            let ended = tokio::select! {
                ended = self.session(&mut latch, &mut backoff) => ended,
                () = self.hard.cancelled() => return Ok(()),
            };
            let Err(error) = ended else { return Ok(()) };
            let wait = backoff.next_delay();
            warn!(%error, ?wait, "not consuming, trying again");
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.soft.cancelled() => return Ok(()),
            }
        }
    }

    /// Consumes on one connection, until it breaks (an error: what is in hand comes back) or the process stops.
    async fn session(&self, latch: &mut Option<Latch>, backoff: &mut Backoff) -> Result<(), ConnectionError> {
        let subscription = &self.consumer.subscription;
        let connecting = connect(&self.settings, subscription.service);
        let connection = tokio::select! {
            connection = connecting => connection?,
            () = self.soft.cancelled() => return Ok(()),
        };
        self.consume(&connection, latch, backoff).await?;
        connection.close(200, "stopping".into()).await?;
        Ok(())
    }

    async fn consume(
        &self,
        connection: &Connection,
        latch: &mut Option<Latch>,
        backoff: &mut Backoff,
    ) -> Result<(), ConnectionError> {
        let Batching { size, wait, concurrency } = self.consumer.batching;
        let queue = self.consumer.subscription.queue();
        let channel = connection.create_channel().await?;
        let prefetch = size.saturating_mul(concurrency.saturating_add(1));
        channel.basic_qos(prefetch, BasicQosOptions::default()).await?;
        let options = BasicConsumeOptions::default();
        let stream = channel
            .basic_consume(queue.as_str().into(), CONSUMER_TAG.into(), options, FieldTable::default())
            .await?;
        info!(queue, "consuming");
        backoff.reset();
        if let Some(latch) = latch.take() {
            latch.release();
        }

        // When the process stops no more is taken, and what is in hand is finished.
        let deliveries = stream.take_until(self.soft.clone().cancelled_owned());
        let batches = tokio_stream::StreamExt::chunks_timeout(deliveries, usize::from(size), wait);
        batches
            .map(|batch| self.deal_with(batch))
            .buffer_unordered(usize::from(concurrency))
            .try_for_each(|()| std::future::ready(Ok(())))
            .await?;
        if !self.soft.is_cancelled() {
            return Err(ConnectionError::Cancelled);
        }
        // The stream is gone, and with it the subscription and its channel.
        Ok(())
    }

    async fn deal_with(
        &self,
        batch: Vec<lapin::Result<lapin::message::Delivery>>,
    ) -> Result<(), ConnectionError> {
        let mut known = Vec::with_capacity(batch.len());
        for delivery in batch {
            let message = Message::from(delivery?);
            match Event::decode(&message.kind, &message.body) {
                Ok(event) => {
                    let (trace, attempt) = (trace_of(&message.headers), message.attempt);
                    known.push((message, Delivery { event, trace, attempt }));
                }
                Err(error) => self.settle(message, Verdict::Park(undecodable(&error))).await?,
            }
        }
        let (messages, deliveries): (Vec<_>, Vec<_>) = known.into_iter().unzip();
        let verdicts = self.verdicts(&deliveries).await;
        for (message, verdict) in messages.into_iter().zip(verdicts) {
            self.settle(message, verdict).await?;
        }
        Ok(())
    }

    /// The handler's verdicts. A handler that panics over a batch is given each event alone, so that only the one
    /// it panics over suffers.
    async fn verdicts(&self, deliveries: &[Delivery]) -> Vec<Verdict> {
        if deliveries.is_empty() {
            return Vec::new();
        }
        if let Some(verdicts) = self.try_handle(deliveries).await {
            return verdicts;
        }
        let mut verdicts = Vec::with_capacity(deliveries.len());
        for delivery in deliveries {
            let alone = self.try_handle(std::slice::from_ref(delivery)).await;
            let panicked = || Verdict::Retry(Reason::new("panic", "the handler panicked"));
            verdicts.push(alone.and_then(|mut alone| alone.pop()).unwrap_or_else(panicked));
        }
        verdicts
    }

    async fn try_handle(&self, deliveries: &[Delivery]) -> Option<Vec<Verdict>> {
        let handling = AssertUnwindSafe(self.consumer.handler.handle(deliveries)).catch_unwind();
        handling.await.ok().filter(|verdicts| verdicts.len() == deliveries.len())
    }

    /// Acknowledges a message, after a copy is safe where the verdict wants it. Without that it is left as it is:
    /// the error ends the session, and the broker delivers it again.
    async fn settle(&self, message: Message, verdict: Verdict) -> Result<(), ConnectionError> {
        let subscription = &self.consumer.subscription;
        let label = match verdict {
            Verdict::Done => "done",
            Verdict::Retry(reason) => match next_wait(subscription, message.attempt) {
                Some(wait) => {
                    warn!(
                        lead_id = message.message_id,
                        attempt = message.attempt,
                        class = reason.class,
                        detail = reason.detail,
                        ?wait,
                        "to be tried again"
                    );
                    self.copy_to(subscription.retry_queue(wait), &message, message.attempt + 1, &reason)
                        .await?;
                    "retry"
                }
                None => self.park(&message, &reason).await?,
            },
            Verdict::Park(reason) => self.park(&message, &reason).await?,
        };
        message.acker.ack(BasicAckOptions::default()).await?;
        let attributes = [KeyValue::new("queue", subscription.queue()), KeyValue::new("verdict", label)];
        self.settled.add(1, &attributes);
        Ok(())
    }

    async fn park(&self, message: &Message, reason: &Reason) -> Result<&'static str, ConnectionError> {
        error!(
            lead_id = message.message_id,
            attempt = message.attempt,
            class = reason.class,
            detail = reason.detail,
            "parked"
        );
        self.copy_to(self.consumer.subscription.parked_queue(), message, message.attempt, reason).await?;
        Ok("parked")
    }

    async fn copy_to(
        &self,
        queue: String,
        message: &Message,
        attempt: u32,
        reason: &Reason,
    ) -> Result<(), ConnectionError> {
        let mut headers = message.headers.clone();
        headers.insert(ATTEMPT.into(), AMQPValue::LongUInt(attempt));
        headers.insert("x-error-class".into(), AMQPValue::LongString(reason.class.into()));
        headers.insert("x-error-detail".into(), AMQPValue::LongString(reason.detail.as_str().into()));
        let copy = Outgoing {
            exchange: "",
            routing_key: queue,
            message_id: message.message_id.clone(),
            kind: message.kind.clone(),
            headers,
            body: message.body.clone(),
        };
        Ok(self.publisher.send(copy).await?)
    }
}

fn next_wait(subscription: &Subscription, attempt: u32) -> Option<Duration> {
    let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
    subscription.retry_after.get(index).copied()
}

fn trace_of(headers: &FieldTable) -> Option<TraceParent> {
    let AMQPValue::LongString(text) = headers.inner().get("traceparent")? else {
        return None;
    };
    std::str::from_utf8(text.as_bytes()).ok()?.parse().ok()
}

fn undecodable(error: &DecodeError) -> Reason {
    Reason::new("undecodable", error.to_string())
}

impl From<lapin::message::Delivery> for Message {
    fn from(delivery: lapin::message::Delivery) -> Self {
        let headers = delivery.properties.headers().clone().unwrap_or_default();
        let attempt = match headers.inner().get(ATTEMPT) {
            Some(AMQPValue::LongUInt(attempt)) => *attempt,
            _ => 1,
        };
        let text = |value: &Option<lapin::types::ShortString>| value.as_ref().map(ToString::to_string);
        Self {
            message_id: text(delivery.properties.message_id()).unwrap_or_default(),
            kind: text(delivery.properties.kind()).unwrap_or_default(),
            headers,
            attempt,
            acker: delivery.acker,
            body: delivery.data,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::NOTIFIER;

    #[test]
    fn waits_grow_with_the_attempts_and_end() {
        let waits: Vec<_> = (1..=7).map(|attempt| next_wait(&NOTIFIER, attempt)).collect();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(
            waits,
            [seconds(5), seconds(30), seconds(120), seconds(600), seconds(3600), seconds(21600), None]
        );
    }
}
