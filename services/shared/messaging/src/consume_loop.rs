//! Consumes a queue until the process stops, a probe fails or an event returns. The caller then closes the channel, and
//! the broker requeues all messages that are not settled.

use std::{
    future::pending,
    panic::AssertUnwindSafe,
    pin::pin,
    slice,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, SystemTime},
};

use chrono::DateTime;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use lapin::{
    Channel,
    options::{BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicQosOptions},
    types::FieldTable,
};
use opentelemetry::{Context, KeyValue, context::FutureExt as _};
use runtime::{backoff::Backoff, clock::SharedClock, crash};
use tokio::{
    sync::{Mutex, Semaphore},
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span, error, info, warn};

use crate::{
    connection::Settings,
    error::ConnectionError,
    event::Event,
    handler::{Batching, Handler, Reason, Verdict},
    message::ReceivedMessage,
    publisher::Publisher,
    telemetry::{Metrics, batch_span, lead_span, process_span},
    topology::Subscription,
};

const CONSUMER_TAG: &str = "consumer";

/// How long a pause or a return waits for running handlers. Handlers may wait much longer, for example for a retry, and
/// must not delay the other messages.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(5);

/// What the loops of all connections share.
pub(crate) struct Shared<H> {
    pub(crate) handler: H,
    pub(crate) batching: Batching,
    pub(crate) subscription: Subscription,
    pub(crate) settings: Settings,
    pub(crate) publisher: Publisher,
    pub(crate) clock: SharedClock,
    pub(crate) metrics: Metrics,
    pub(crate) soft: CancellationToken,
}

impl<H: Handler> Shared<H> {
    pub(crate) fn queue(&self) -> &'static str {
        self.subscription.queue
    }

    /// Calls the handler's probe, which fails if it panics.
    pub(crate) async fn probe(&self) -> Result<(), Reason> {
        let probing = AssertUnwindSafe(self.handler.probe()).catch_unwind();
        let panicked = |_| Err(Reason::new("panic", "probe panicked"));
        probing.await.unwrap_or_else(panicked)
    }
}

pub(crate) struct ConsumeLoop<'a, H> {
    shared: &'a Shared<H>,
    /// As many concurrent retries as concurrent batches.
    retries: Semaphore,
    /// Cancelled when the process stops, a probe fails or an event returns. The handler then receives no further event.
    pub(crate) ending: CancellationToken,
    /// Whether a probe failed.
    pub(crate) paused: AtomicBool,
    /// Whether a message was settled.
    pub(crate) settled: AtomicBool,
    /// The time when the last successful probe began. Locked during a probe.
    probed_at: Mutex<Option<Instant>>,
}

struct HandledMessage {
    message: ReceivedMessage,
    /// `None` if the message cannot be decoded.
    event: Option<Event>,
    span: Span,
    verdict: Verdict,
    handled_at: Instant,
}

/// The loop ends, and the broker requeues the message.
struct Ending;

impl<'a, H: Handler> ConsumeLoop<'a, H> {
    pub(crate) fn new(shared: &'a Shared<H>) -> Self {
        let concurrency = shared.batching.concurrency;
        Self {
            shared,
            retries: Semaphore::new(usize::from(concurrency)),
            ending: shared.soft.child_token(),
            paused: AtomicBool::new(false),
            settled: AtomicBool::new(false),
            probed_at: Mutex::new(None),
        }
    }

    pub(crate) async fn subscribe(
        &self,
        channel: &Channel,
    ) -> Result<lapin::Consumer, ConnectionError> {
        let Batching { size, concurrency } = self.shared.batching;
        let prefetch = size.saturating_mul(concurrency.saturating_add(1));
        channel
            .basic_qos(prefetch, BasicQosOptions::default())
            .await?;
        let (queue, options) = (self.shared.queue(), BasicConsumeOptions::default());
        let subscribing = channel.basic_consume(
            queue.into(),
            CONSUMER_TAG.into(),
            options,
            FieldTable::default(),
        );
        Ok(subscribing.await?)
    }

    /// Handles deliveries until `ending` is cancelled or the broker ends the subscription. Then waits for running handlers,
    /// for at most [`HANDLER_TIMEOUT`] unless the process stops.
    pub(crate) async fn run(
        &self,
        channel: &Channel,
        deliveries: lapin::Consumer,
    ) -> Result<(), ConnectionError> {
        let Batching { size, concurrency } = self.shared.batching;
        let handling = deliveries
            .ready_chunks(usize::from(size))
            .map(|batch| self.handle_batch(batch))
            .buffer_unordered(usize::from(concurrency))
            .map_ok(|handled| stream::iter(handled).map(Ok))
            .try_flatten()
            // Not limited here but by the prefetch, because events that wait for a retry must not block batches.
            .try_for_each_concurrent(None, |handled| self.finish(handled));
        // Cancels the subscription while events are still handled. Otherwise each acknowledgement would request another
        // delivery.
        let cancelling = async {
            self.ending.cancelled().await;
            channel
                .basic_cancel(CONSUMER_TAG.into(), BasicCancelOptions::default())
                .await
        };
        let mut handling = pin!(handling);
        tokio::select! {
            handled = &mut handling => return handled,
            cancelled = cancelling => cancelled?,
        }
        tokio::select! {
            handled = handling => handled,
            () = self.wait_for_timeout() => {
                info!(queue = self.shared.queue(), "messages in progress returned to the queue");
                Ok(())
            }
        }
    }

    /// Waits for [`HANDLER_TIMEOUT`]; forever if the process stops meanwhile, because the grace period limits a stop.
    async fn wait_for_timeout(&self) {
        sleep(HANDLER_TIMEOUT).await;
        if self.shared.soft.is_cancelled() {
            pending().await
        }
    }

    /// An undecodable message does not delay the others, because its verdict is applied with theirs.
    async fn handle_batch(
        &self,
        batch: Vec<lapin::Result<lapin::message::Delivery>>,
    ) -> Result<Vec<HandledMessage>, ConnectionError> {
        let batch = batch
            .into_iter()
            .map(|delivery| delivery.map(ReceivedMessage::from));
        let batch = batch.collect::<Result<Vec<_>, _>>()?;
        if self.ending.is_cancelled() {
            return Ok(Vec::new());
        }
        let mut handled = Vec::with_capacity(batch.len());
        let mut messages = Vec::with_capacity(batch.len());
        let mut spans = Vec::with_capacity(batch.len());
        let mut events = Vec::with_capacity(batch.len());
        for message in batch {
            let span = process_span(self.shared.queue(), &message);
            match message.event() {
                Ok(event) => {
                    self.record_age(&event);
                    events.push(event);
                    messages.push(message);
                    spans.push(span);
                }
                Err(error) => {
                    let reason = Reason::new("undecodable", error.to_string());
                    handled.push(HandledMessage {
                        message,
                        event: None,
                        span,
                        verdict: Verdict::DeadLetter(reason),
                        handled_at: Instant::now(),
                    });
                }
            }
        }
        let (lead, producer) = match messages.as_slice() {
            [] => return Ok(handled),
            [message] => (lead_span(message), message.context.clone()),
            _ => (Span::none(), Context::new()),
        };
        let verdicts = self.handle(&events).instrument(lead);
        let verdicts = verdicts.instrument(batch_span(self.shared.queue(), &spans));
        let verdicts = verdicts.with_context(producer).await;
        let handled_at = Instant::now();
        let decoded = messages.into_iter().zip(events).zip(spans).zip(verdicts);
        handled.extend(
            decoded.map(|(((message, event), span), verdict)| HandledMessage {
                message,
                event: Some(event),
                span,
                verdict,
                handled_at,
            }),
        );
        Ok(handled)
    }

    /// Repeats an event while its verdict is [`Verdict::Retry`], probes succeed and a retry is left, then settles its
    /// message. Does not settle an event that waits for a retry when the loop ends.
    async fn finish(&self, handled: HandledMessage) -> Result<(), ConnectionError> {
        let HandledMessage {
            message,
            event,
            span,
            mut verdict,
            mut handled_at,
        } = handled;
        let mut waits = self.shared.settings.retry_waits.into_iter();
        while let (Verdict::Retry(reason), Some(event)) = (&verdict, &event) {
            let lead = lead_span(&message);
            let probing = self
                .probe_or_pause(reason, handled_at)
                .instrument(lead.clone());
            if let Err(Ending) = probing.await {
                span.record("verdict", "pause");
                return Ok(());
            }
            let Some(wait) = waits.next() else {
                break;
            };
            lead.in_scope(|| {
                warn!(
                    class = reason.class,
                    detail = reason.detail,
                    ?wait,
                    "event not handled, retrying"
                );
            });
            let permit = async {
                sleep(wait).await;
                self.retries.acquire().await
            };
            let _permit = tokio::select! {
                biased;
                () = self.ending.cancelled() => return Ok(()),
                permit = permit => permit,
            };
            // Boxed, because retries are rare and each message in flight would reserve space for one.
            let verdicts = Box::pin(self.handle(slice::from_ref(event)));
            let verdicts = verdicts.instrument(lead).instrument(span.clone());
            verdict = verdicts
                .with_context(message.context.clone())
                .await
                .remove(0);
            handled_at = Instant::now();
        }
        drop(event);
        self.settle(message, verdict, span).await
    }

    /// Probes the handler's dependencies after a failure, and pauses if the probe fails. Concurrent failures share a probe
    /// that began after all of them.
    async fn probe_or_pause(&self, failure: &Reason, failed_at: Instant) -> Result<(), Ending> {
        let probing = async {
            let mut probed_at = self.probed_at.lock().await;
            if probed_at.is_some_and(|at| at >= failed_at) {
                return Ok(());
            }
            let started = Instant::now();
            self.shared.probe().await?;
            *probed_at = Some(started);
            Ok(())
        };
        let probed = tokio::select! {
            biased;
            () = self.ending.cancelled() => return Err(Ending),
            probed = probing => probed,
        };
        let Err(Reason { class, detail }) = probed else {
            return Ok(());
        };
        warn!(
            queue = self.shared.queue(),
            class,
            detail,
            failure = failure.detail,
            "consumer paused: dependency unavailable"
        );
        self.paused.store(true, Ordering::Relaxed);
        self.ending.cancel();
        Err(Ending)
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
                // The close of the channel returns the message.
                Verdict::Return => {
                    self.count(&verdict);
                    self.ending.cancel();
                    return Ok(());
                }
                // A `Retry` after the last retry.
                Verdict::Retry(reason) | Verdict::DeadLetter(reason) => {
                    if !Box::pin(self.copy_to_dead_letters(&message, reason)).await? {
                        return Ok(());
                    }
                    crash::point("messaging-copied");
                    message.acker.ack(BasicAckOptions::default()).await?
                }
            };
            // lapin returns `false` if the channel is already closed.
            if !settled {
                return Err(ConnectionError::Cancelled);
            }
            self.settled.store(true, Ordering::Relaxed);
            self.count(&verdict);
            Ok(())
        };
        settling.instrument(lead).instrument(span).await
    }

    fn count(&self, verdict: &Verdict) {
        let shared = &self.shared;
        shared.metrics.add_consumed(shared.queue(), verdict);
    }

    /// Publishes copies to the dead-letter queue until the broker confirms one. Returns `false` if the loop ended before. The
    /// broker then redelivers the message.
    async fn copy_to_dead_letters(
        &self,
        message: &ReceivedMessage,
        reason: &Reason,
    ) -> Result<bool, ConnectionError> {
        error!(
            lead_id = message.id,
            class = reason.class,
            detail = reason.detail,
            "message dead-lettered"
        );
        let Shared {
            subscription,
            publisher,
            clock,
            ..
        } = self.shared;
        let headers = message.dead_letter_headers(reason, clock.now());
        let copy = message.copy(subscription.dead_letter_queue, headers);
        let mut backoff = Backoff::default();
        while let Err(error) = publisher.send(copy.clone()).await {
            if message.acker.poisoned() {
                return Err(ConnectionError::Cancelled);
            }
            let wait = backoff.next_delay();
            warn!(lead_id = message.id, to = copy.routing_key, %error, ?wait, "message not moved, retrying");
            tokio::select! {
                () = sleep(wait) => {}
                () = self.ending.cancelled() => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Returns the handler's verdict for each event. After a panic, handles each event of the batch alone, so that only the
    /// event that causes the panic fails.
    async fn handle(&self, events: &[Event]) -> Vec<Verdict> {
        let handling = AssertUnwindSafe(self.shared.handler.handle(events)).catch_unwind();
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
        if let Some(at) = event
            .happened_at()
            .and_then(|at| SystemTime::try_from(*at).ok())
        {
            let age = (self.shared.clock.now() - DateTime::from(at))
                .as_seconds_f64()
                .max(0.0);
            let queue = KeyValue::new("queue", self.shared.queue());
            self.shared.metrics.ages.record(age, &[queue]);
        }
    }
}
