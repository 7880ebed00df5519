//! One round of consuming: from the subscription until the process stops or the handler pauses. When the caller then
//! closes the channel, the broker returns all messages that are not settled to their queue.

use std::{
    panic::AssertUnwindSafe,
    pin::pin,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use lapin::{
    Channel,
    options::{BasicCancelOptions, BasicConsumeOptions, BasicQosOptions},
    types::FieldTable,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span, warn};

use crate::{
    arrivals::Arrivals,
    error::ConnectionError,
    event::DecodeError,
    handler::{Batching, Consumer, Delivery, Handler, Reason, Verdict},
    message::Message,
    settle::Settler,
    span,
};

const CONSUMER_TAG: &str = "consumer";

pub(crate) struct Round<'a, H> {
    consumer: &'a Consumer<H>,
    queue: String,
    settler: &'a Settler,
    arrivals: &'a Arrivals,
    retry_waits: [Duration; 3],
    /// Limits concurrent retries to the number of concurrent batches.
    retries: Semaphore,
    /// Cancelled when the process stops or the handler pauses: no further event is handed over.
    ending: CancellationToken,
    /// Whether any message was settled.
    settled: AtomicBool,
}

/// An event with its verdict.
struct Judged {
    message: Message,
    delivery: Delivery,
    span: Span,
    verdict: Verdict,
}

impl<'a, H: Handler> Round<'a, H> {
    /// A round that ends when `ending` is cancelled, and cancels it to pause.
    pub(crate) fn new(
        consumer: &'a Consumer<H>,
        settler: &'a Settler,
        arrivals: &'a Arrivals,
        retry_waits: [Duration; 3],
        ending: CancellationToken,
    ) -> Self {
        Self {
            consumer,
            queue: consumer.subscription.queue(),
            settler,
            arrivals,
            retry_waits,
            retries: Semaphore::new(usize::from(consumer.batching.concurrency)),
            ending,
            settled: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.ending.is_cancelled()
    }

    pub(crate) fn has_settled(&self) -> bool {
        self.settled.load(Ordering::Relaxed)
    }

    pub(crate) async fn subscribe(&self, channel: &Channel) -> Result<lapin::Consumer, ConnectionError> {
        let Batching { size, concurrency } = self.consumer.batching;
        let prefetch = size.saturating_mul(concurrency.saturating_add(1));
        channel.basic_qos(prefetch, BasicQosOptions::default()).await?;
        let (queue, options) = (self.queue.as_str(), BasicConsumeOptions::default());
        let subscribing =
            channel.basic_consume(queue.into(), CONSUMER_TAG.into(), options, FieldTable::default());
        Ok(subscribing.await?)
    }

    /// Handles deliveries until the round ends or the broker ends the subscription.
    pub(crate) async fn take(
        &self,
        channel: &Channel,
        deliveries: lapin::Consumer,
    ) -> Result<(), ConnectionError> {
        let Batching { size, concurrency } = self.consumer.batching;
        let taking = deliveries
            .ready_chunks(usize::from(size))
            .map(|batch| self.deal_with(batch))
            .buffer_unordered(usize::from(concurrency))
            .map_ok(|judged| stream::iter(judged).map(Ok))
            .try_flatten()
            // Unlimited here, as the prefetch limits it: events that wait for a retry must not block batches.
            .try_for_each_concurrent(None, |judged| self.finish(judged));
        // Cancels at once, while current events are finished: each acknowledgement would make room for another
        // delivery.
        let cancelling = async {
            self.ending.cancelled().await;
            channel.basic_cancel(CONSUMER_TAG.into(), BasicCancelOptions::default()).await
        };
        let mut taking = pin!(taking);
        tokio::select! {
            taken = &mut taking => taken,
            cancelled = cancelling => {
                cancelled?;
                taking.await
            }
        }
    }

    /// Hands a batch to the handler. Undecodable messages become dead letters and are not in the result.
    async fn deal_with(
        &self,
        batch: Vec<lapin::Result<lapin::message::Delivery>>,
    ) -> Result<Vec<Judged>, ConnectionError> {
        let batch = batch.into_iter().map(|delivery| delivery.map(Message::from));
        let batch = batch.collect::<Result<Vec<_>, _>>()?;
        if self.ending.is_cancelled() {
            return Ok(Vec::new());
        }
        let (mut messages, mut spans) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
        let mut deliveries = Vec::with_capacity(batch.len());
        for message in batch {
            let span = span::processing(&self.queue, &message);
            match message.event() {
                Ok(event) => {
                    self.arrivals.note(&event);
                    deliveries.push(Delivery { event, trace: message.trace() });
                    messages.push(message);
                    spans.push(span);
                }
                Err(error) => {
                    let verdict = Verdict::DeadLetter(undecodable(&error));
                    self.settle(message, verdict, span).await?;
                }
            }
        }
        if deliveries.is_empty() {
            return Ok(Vec::new());
        }
        let lead = if let [message] = messages.as_slice() { span::lead(message) } else { Span::none() };
        let verdicts = self.verdicts(&deliveries).instrument(lead);
        let verdicts = verdicts.instrument(span::together(&self.queue, &spans)).await;
        let judged = messages.into_iter().zip(deliveries).zip(spans).zip(verdicts);
        Ok(judged
            .map(|(((message, delivery), span), verdict)| Judged { message, delivery, span, verdict })
            .collect())
    }

    /// Retries an event if need be, then settles it. What is rare is boxed: each message in work would take its room.
    async fn finish(&self, judged: Judged) -> Result<(), ConnectionError> {
        let Judged { message, delivery, span, verdict } = judged;
        if !matches!(verdict, Verdict::Retry(_)) {
            drop(delivery);
            return self.settle(message, verdict, span).await;
        }
        match Box::pin(self.retry(&message, &delivery, verdict, &span)).await {
            Some(verdict) => self.settle(message, verdict, span).await,
            None => Ok(()),
        }
    }

    /// Retries an event as long as its verdict is [`Verdict::Retry`] and a try is left; returns the last verdict. `None`
    /// when the round ended during a wait.
    async fn retry(
        &self,
        message: &Message,
        delivery: &Delivery,
        mut verdict: Verdict,
        span: &Span,
    ) -> Option<Verdict> {
        for wait in self.retry_waits {
            let Verdict::Retry(reason) = &verdict else { break };
            let lead = span::lead(message);
            lead.in_scope(|| {
                warn!(class = reason.class, detail = reason.detail, ?wait, "event not handled, retrying");
            });
            let turn = async {
                tokio::time::sleep(wait).await;
                self.retries.acquire().await
            };
            let _turn = tokio::select! {
                biased;
                () = self.ending.cancelled() => return None,
                turn = turn => turn,
            };
            verdict = self.verdict(delivery).instrument(lead).instrument(span.clone()).await;
        }
        Some(verdict)
    }

    async fn settle(&self, message: Message, verdict: Verdict, span: Span) -> Result<(), ConnectionError> {
        span.record("verdict", verdict.name());
        let lead = span::lead(&message);
        let settling = async {
            match verdict {
                Verdict::Done => self.settler.done(&message).await?,
                Verdict::Return => self.settler.requeue(&message).await?,
                // After the last try, `Retry` means a dead letter.
                Verdict::Retry(reason) | Verdict::DeadLetter(reason) => {
                    Box::pin(self.settler.dead_letter(&message, &reason, &self.ending)).await?;
                }
                Verdict::Pause(reason) => {
                    self.pause(&reason);
                    return Ok(());
                }
            }
            self.settled.store(true, Ordering::Relaxed);
            Ok(())
        };
        settling.instrument(lead).instrument(span).await
    }

    fn pause(&self, reason: &Reason) {
        if !self.ending.is_cancelled() {
            warn!(
                queue = self.queue,
                class = reason.class,
                detail = reason.detail,
                "consumer paused: dependency unavailable"
            );
            self.ending.cancel();
        }
    }

    /// The handler's verdicts. If it panics, each event is handled alone, so that only the event causing the panic
    /// fails.
    async fn verdicts(&self, deliveries: &[Delivery]) -> Vec<Verdict> {
        if let Some(verdicts) = self.try_handle(deliveries).await {
            return verdicts;
        }
        let mut verdicts = Vec::with_capacity(deliveries.len());
        for delivery in deliveries {
            verdicts.push(self.verdict(delivery).await);
        }
        verdicts
    }

    /// A panic counts as [`Verdict::Retry`].
    async fn verdict(&self, delivery: &Delivery) -> Verdict {
        let verdicts = self.try_handle(std::slice::from_ref(delivery)).await;
        let panicked = || Verdict::Retry(Reason::new("panic", "handler panicked"));
        verdicts.and_then(|mut verdicts| verdicts.pop()).unwrap_or_else(panicked)
    }

    async fn try_handle(&self, deliveries: &[Delivery]) -> Option<Vec<Verdict>> {
        let handling = AssertUnwindSafe(self.consumer.handler.handle(deliveries)).catch_unwind();
        handling.await.ok().filter(|verdicts| verdicts.len() == deliveries.len())
    }
}

fn undecodable(error: &DecodeError) -> Reason {
    Reason::new("undecodable", error.to_string())
}
