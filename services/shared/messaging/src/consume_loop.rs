//! Consumes one queue from the subscription until the process stops or the handler pauses. When the caller then closes
//! the channel, the broker requeues all messages that are not settled.

use std::{
    panic::AssertUnwindSafe,
    pin::pin,
    slice,
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

use chrono::DateTime;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use lapin::{
    Channel,
    options::{BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicNackOptions, BasicQosOptions},
    types::FieldTable,
};
use opentelemetry::{Context, KeyValue, context::FutureExt as _};
use runtime::{backoff::Backoff, crash};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span, error, warn};

use crate::{
    consumer::{Batching, Handler, Reason, Supervisor, Verdict},
    error::ConnectionError,
    event::Event,
    message::ReceivedMessage,
    telemetry::{batch_span, lead_span, process_span},
};

const CONSUMER_TAG: &str = "consumer";

pub(crate) struct ConsumeLoop<'a, H> {
    supervisor: &'a Supervisor<H>,
    /// Limits concurrent retries to the number of concurrent batches.
    retries: Semaphore,
    /// Cancelled when the process stops or the handler pauses: no further event is handed over.
    pub(crate) ending: CancellationToken,
    /// Whether any message was settled.
    pub(crate) settled: AtomicBool,
}

/// An event that was handed over, with its verdict.
struct HandledMessage {
    message: ReceivedMessage,
    event: Event,
    span: Span,
    verdict: Verdict,
}

impl<'a, H: Handler> ConsumeLoop<'a, H> {
    pub(crate) fn new(supervisor: &'a Supervisor<H>) -> Self {
        let retries = Semaphore::new(usize::from(supervisor.consumer.batching.concurrency));
        let (ending, settled) = (supervisor.soft.child_token(), AtomicBool::new(false));
        Self { supervisor, retries, ending, settled }
    }

    pub(crate) async fn subscribe(&self, channel: &Channel) -> Result<lapin::Consumer, ConnectionError> {
        let Batching { size, concurrency } = self.supervisor.consumer.batching;
        let prefetch = size.saturating_mul(concurrency.saturating_add(1));
        channel.basic_qos(prefetch, BasicQosOptions::default()).await?;
        let (queue, options) = (self.supervisor.queue, BasicConsumeOptions::default());
        let subscribing =
            channel.basic_consume(queue.into(), CONSUMER_TAG.into(), options, FieldTable::default());
        Ok(subscribing.await?)
    }

    /// Handles deliveries until the loop ends or the broker ends the subscription.
    pub(crate) async fn run(
        &self,
        channel: &Channel,
        deliveries: lapin::Consumer,
    ) -> Result<(), ConnectionError> {
        let Batching { size, concurrency } = self.supervisor.consumer.batching;
        let handling = deliveries
            .ready_chunks(usize::from(size))
            .map(|batch| self.handle_batch(batch))
            .buffer_unordered(usize::from(concurrency))
            .map_ok(|handled| stream::iter(handled).map(Ok))
            .try_flatten()
            // Unlimited here, as the prefetch limits it: events that wait for a retry must not block batches.
            .try_for_each_concurrent(None, |handled| self.finish(handled));
        // Cancels immediately, while current events finish. Otherwise each acknowledgement makes room for another
        // delivery.
        let cancelling = async {
            self.ending.cancelled().await;
            channel.basic_cancel(CONSUMER_TAG.into(), BasicCancelOptions::default()).await
        };
        let mut handling = pin!(handling);
        tokio::select! {
            handled = &mut handling => handled,
            cancelled = cancelling => {
                cancelled?;
                handling.await
            }
        }
    }

    /// Undecodable messages become dead letters and are not in the result.
    async fn handle_batch(
        &self,
        batch: Vec<lapin::Result<lapin::message::Delivery>>,
    ) -> Result<Vec<HandledMessage>, ConnectionError> {
        let batch = batch.into_iter().map(|delivery| delivery.map(ReceivedMessage::from));
        let batch = batch.collect::<Result<Vec<_>, _>>()?;
        if self.ending.is_cancelled() {
            return Ok(Vec::new());
        }
        let (mut messages, mut spans) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
        let mut events = Vec::with_capacity(batch.len());
        for message in batch {
            let span = process_span(self.supervisor.queue, &message);
            match message.event() {
                Ok(event) => {
                    self.record_age(&event);
                    events.push(event);
                    messages.push(message);
                    spans.push(span);
                }
                Err(error) => {
                    let reason = Reason::new("undecodable", error.to_string());
                    self.settle(message, Verdict::DeadLetter(reason), span).await?;
                }
            }
        }
        let (lead, producer) = match messages.as_slice() {
            [] => return Ok(Vec::new()),
            [message] => (lead_span(message), message.context.clone()),
            _ => (Span::none(), Context::new()),
        };
        let verdicts = self.handle(&events).instrument(lead);
        let verdicts = verdicts.instrument(batch_span(self.supervisor.queue, &spans));
        let verdicts = verdicts.with_context(producer).await;
        let handled = messages.into_iter().zip(events).zip(spans).zip(verdicts);
        Ok(handled
            .map(|(((message, event), span), verdict)| HandledMessage { message, event, span, verdict })
            .collect())
    }

    /// Retries an event as long as its verdict is [`Verdict::Retry`] and a try is left, then settles it. An event that
    /// waits for a retry when the loop ends is not settled.
    async fn finish(&self, handled: HandledMessage) -> Result<(), ConnectionError> {
        let HandledMessage { message, event, span, mut verdict } = handled;
        for wait in self.supervisor.settings.retry_waits {
            let Verdict::Retry(reason) = &verdict else { break };
            let lead = lead_span(&message);
            lead.in_scope(|| {
                warn!(class = reason.class, detail = reason.detail, ?wait, "event not handled, retrying");
            });
            let permit = async {
                tokio::time::sleep(wait).await;
                self.retries.acquire().await
            };
            let _permit = tokio::select! {
                biased;
                () = self.ending.cancelled() => return Ok(()),
                permit = permit => permit,
            };
            // Boxed because it is rare: each message in flight would take its room.
            let verdicts = Box::pin(self.handle(slice::from_ref(&event)));
            let verdicts = verdicts.instrument(lead).instrument(span.clone());
            verdict = verdicts.with_context(message.context.clone()).await.remove(0);
        }
        drop(event);
        self.settle(message, verdict, span).await
    }

    async fn settle(
        &self,
        message: ReceivedMessage,
        verdict: Verdict,
        span: Span,
    ) -> Result<(), ConnectionError> {
        span.record("verdict", verdict.name());
        let lead = lead_span(&message);
        let settling = async {
            let settled = match &verdict {
                Verdict::Done => message.acker.ack(BasicAckOptions::default()).await?,
                // Counts towards the delivery limit.
                Verdict::Return => {
                    let options = BasicNackOptions { requeue: true, ..BasicNackOptions::default() };
                    message.acker.nack(options).await?
                }
                // After the last try, `Retry` means a dead letter.
                Verdict::Retry(reason) | Verdict::DeadLetter(reason) => {
                    if !Box::pin(self.copy_to_dead_letters(&message, reason)).await? {
                        return Ok(());
                    }
                    crash::point("messaging-copied");
                    message.acker.ack(BasicAckOptions::default()).await?
                }
                Verdict::Pause(Reason { class, detail }) => {
                    if !self.ending.is_cancelled() {
                        let queue = self.supervisor.queue;
                        warn!(queue, class, detail, "consumer paused: dependency unavailable");
                        self.ending.cancel();
                    }
                    return Ok(());
                }
            };
            // lapin reports a channel that is already closed by `false`.
            if !settled {
                return Err(ConnectionError::Cancelled);
            }
            self.settled.store(true, Ordering::Relaxed);
            let queue = KeyValue::new("queue", self.supervisor.queue);
            self.supervisor.metrics.consumed.add(1, &[queue, KeyValue::new("verdict", verdict.name())]);
            Ok(())
        };
        settling.instrument(lead).instrument(span).await
    }

    /// Publishes a copy to the queue of dead letters until the broker confirms it. `false` when the loop ended before;
    /// the message is then redelivered.
    async fn copy_to_dead_letters(
        &self,
        message: &ReceivedMessage,
        reason: &Reason,
    ) -> Result<bool, ConnectionError> {
        error!(lead_id = message.id, class = reason.class, detail = reason.detail, "message dead-lettered");
        let Supervisor { consumer, publisher, clock, .. } = self.supervisor;
        let headers = message.dead_letter_headers(reason, clock.now());
        let copy = message.copy(consumer.subscription.dead_letter_queue, headers);
        let mut backoff = Backoff::default();
        while let Err(error) = publisher.send(copy.clone()).await {
            if message.acker.poisoned() {
                return Err(ConnectionError::Cancelled);
            }
            let wait = backoff.next_delay();
            warn!(lead_id = message.id, to = copy.routing_key, %error, ?wait, "message not moved, retrying");
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.ending.cancelled() => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The handler's verdicts, one for each event. If it panics over a batch, each event is handled alone, so that only
    /// the event causing the panic fails.
    async fn handle(&self, events: &[Event]) -> Vec<Verdict> {
        let handling = AssertUnwindSafe(self.supervisor.consumer.handler.handle(events)).catch_unwind();
        match handling.await {
            Ok(verdicts) if verdicts.len() == events.len() => return verdicts,
            Ok(_) | Err(_) => {}
        }
        if let [_] = events {
            return vec![Verdict::Retry(Reason::new("panic", "handler panicked"))];
        }
        let mut verdicts = Vec::with_capacity(events.len());
        for event in events {
            verdicts.extend(Box::pin(self.handle(slice::from_ref(event))).await);
        }
        verdicts
    }

    fn record_age(&self, event: &Event) {
        if let Some(at) = event.happened_at().and_then(|at| SystemTime::try_from(*at).ok()) {
            let age = (self.supervisor.clock.now() - DateTime::from(at)).as_seconds_f64().max(0.0);
            let queue = KeyValue::new("queue", self.supervisor.queue);
            self.supervisor.metrics.ages.record(age, &[queue]);
        }
    }
}
