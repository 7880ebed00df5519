//! Consuming with a verdict: each event is done, comes again, or is parked; never dropped, never lost. When what the
//! handler depends on is away, nothing is taken until it is back.

use std::{
    convert::Infallible,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::{FutureExt, StreamExt, TryStreamExt, future::try_join_all};
use lapin::{
    Channel, Connection,
    options::{BasicCancelOptions, BasicConsumeOptions, BasicQosOptions},
    types::FieldTable,
};
use opentelemetry::{KeyValue, metrics::Gauge};
use runtime::{backoff::Backoff, service::Context};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span, debug, info, warn};

use crate::{
    arrivals::Arrivals,
    connection::{self, connect},
    error::ConnectionError,
    event::DecodeError,
    handler::{Batching, Delivery, Handler, Reason, Verdict},
    message::Message,
    publisher::Publisher,
    settings::Settings,
    settle::{self, Settled, Settler},
    span,
    topology::Subscription,
};

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
    /// Starts consuming, as soon as the broker lets it. What comes again or is parked goes through `publisher`.
    pub fn start(self, settings: Settings, publisher: Publisher, context: &Context) {
        let meter = context.metrics.meter();
        let supervisor = Supervisor {
            settler: Settler {
                subscription: self.subscription,
                retry_after: settings.retry_after.clone(),
                publisher,
                clock: context.clock.clone(),
                settled: settle::counter(meter),
                stopping: context.lifecycle.soft_stop(),
            },
            queue: self.subscription.queue(),
            arrivals: Arrivals::new(self.subscription, context),
            consumer: self,
            settings,
            connected: connection::gauge(meter),
            paused: meter
                .u64_gauge("messaging_paused")
                .with_description(
                    "Whether nothing is taken from a queue because what is needed for it is away.",
                )
                .build(),
            soft: context.lifecycle.soft_stop(),
            hard: context.lifecycle.hard_stop(),
        };
        context.lifecycle.spawn("consumer", supervisor.run());
    }
}

struct Supervisor<H> {
    consumer: Consumer<H>,
    queue: String,
    arrivals: Arrivals,
    settings: Settings,
    settler: Settler,
    connected: Gauge<u64>,
    paused: Gauge<u64>,
    soft: CancellationToken,
    hard: CancellationToken,
}

/// What outlives a connection.
#[derive(Default)]
struct State {
    /// Between connections.
    reconnecting: Backoff,
    /// Between probes. It grows over pauses, too, until something is settled: a probe may succeed where work fails.
    probing: Backoff,
    paused: bool,
}

/// From subscribing to the end of it.
#[derive(Default)]
struct Round {
    /// The process stops, or something is away: no event is handed over any more.
    ending: CancellationToken,
    /// Something was dealt with.
    settled: AtomicBool,
    /// What was delivered and is to be given back.
    held: Mutex<Vec<Message>>,
}

enum Ended {
    Stopped,
    Paused,
}

impl<H: Handler> Supervisor<H> {
    async fn run(self) -> Result<(), Infallible> {
        let mut state = State::default();
        self.note_paused(false);
        loop {
            connection::note(&self.connected, "consume", false);
            let ended = tokio::select! {
                ended = self.session(&mut state) => ended,
                () = self.hard.cancelled() => return Ok(()),
            };
            let Err(error) = ended else { return Ok(()) };
            let wait = state.reconnecting.next_delay();
            warn!(%error, ?wait, "not consuming, trying again");
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.soft.cancelled() => return Ok(()),
            }
        }
    }

    /// Consumes on one connection, until it breaks (an error: what is in hand comes back) or the process stops.
    async fn session(&self, state: &mut State) -> Result<(), ConnectionError> {
        let connecting = connect(&self.settings, self.consumer.subscription.service);
        let connection = tokio::select! {
            connection = connecting => connection?,
            () = self.soft.cancelled() => return Ok(()),
        };
        connection::note(&self.connected, "consume", true);
        loop {
            if state.paused {
                tokio::select! {
                    () = self.probe(&mut state.probing) => {}
                    error = connection::broken(&connection) => return Err(error),
                    () = self.soft.cancelled() => break,
                }
                state.paused = false;
                self.note_paused(false);
                info!(queue = self.queue, "taking events again");
            }
            match self.consume(&connection, state).await? {
                Ended::Stopped => break,
                Ended::Paused => {}
            }
        }
        connection.close(200, "stopping".into()).await?;
        Ok(())
    }

    /// Asks until what the handler depends on is there.
    async fn probe(&self, backoff: &mut Backoff) {
        loop {
            tokio::time::sleep(backoff.next_delay()).await;
            match AssertUnwindSafe(self.consumer.handler.probe()).catch_unwind().await {
                Ok(Ok(())) => return,
                Ok(Err(reason)) => debug!(class = reason.class, detail = reason.detail, "still away"),
                Err(_) => debug!("the probe panicked"),
            }
        }
    }

    /// Hands events over until the process stops or something they need is away.
    async fn consume(&self, connection: &Connection, state: &mut State) -> Result<Ended, ConnectionError> {
        let Batching { size, concurrency } = self.consumer.batching;
        let queue = self.queue.as_str();
        let channel = connection.create_channel().await?;
        let prefetch = size.saturating_mul(concurrency.saturating_add(1));
        channel.basic_qos(prefetch, BasicQosOptions::default()).await?;
        let options = BasicConsumeOptions::default();
        let deliveries =
            channel.basic_consume(queue.into(), CONSUMER_TAG.into(), options, FieldTable::default()).await?;
        info!(queue, "consuming");
        state.reconnecting.reset();

        let round = Round { ending: self.soft.child_token(), ..Round::default() };
        let taken = self.take(&channel, deliveries, &round).await;

        let Round { ending, settled, held } = round;
        let stopped = self.soft.is_cancelled();
        if ending.is_cancelled() && !stopped {
            state.paused = true;
            self.note_paused(true);
        }
        if settled.into_inner() {
            state.probing.reset();
        }
        taken?;
        if !ending.is_cancelled() {
            return Err(ConnectionError::Cancelled);
        }
        for message in held.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if !self.settler.give_back(&message).await? {
                break;
            }
        }
        channel.close(200, "done".into()).await?;
        Ok(if stopped { Ended::Stopped } else { Ended::Paused })
    }

    /// Takes what is delivered until the round ends or the broker ends the subscription.
    async fn take(
        &self,
        channel: &Channel,
        deliveries: lapin::Consumer,
        round: &Round,
    ) -> Result<(), ConnectionError> {
        let Batching { size, concurrency } = self.consumer.batching;
        let taking = deliveries
            .ready_chunks(usize::from(size))
            .map(|batch| self.deal_with(batch, round))
            .buffer_unordered(usize::from(concurrency))
            .try_for_each(|()| std::future::ready(Ok(())));
        // At once, while what is in hand is finished: an acknowledgement makes room for another delivery.
        let cancelling = async {
            round.ending.cancelled().await;
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

    async fn deal_with(
        &self,
        batch: Vec<lapin::Result<lapin::message::Delivery>>,
        round: &Round,
    ) -> Result<(), ConnectionError> {
        let batch = batch.into_iter().map(|delivery| delivery.map(Message::from));
        let batch = batch.collect::<Result<Vec<_>, _>>()?;
        if round.ending.is_cancelled() {
            round.hold(batch);
            return Ok(());
        }
        let (mut messages, mut spans) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
        let mut deliveries = Vec::with_capacity(batch.len());
        for message in batch {
            let span = span::processing(&self.queue, &message);
            match message.event() {
                Ok(event) => {
                    let (trace, attempt) = (message.trace(), message.attempt());
                    self.arrivals.note(&event, attempt);
                    deliveries.push(Delivery { event, trace, attempt });
                    messages.push(message);
                    spans.push(span);
                }
                Err(error) => self.settle(message, Verdict::Park(undecodable(&error)), &span, round).await?,
            }
        }
        if deliveries.is_empty() {
            return Ok(());
        }
        let lead = if let [message] = messages.as_slice() { span::lead(message) } else { Span::none() };
        let verdicts = self.verdicts(&deliveries).instrument(lead);
        let verdicts = verdicts.instrument(span::together(&self.queue, &spans)).await;
        // Together, so that their acknowledgements leave together.
        let settling = messages.into_iter().zip(verdicts).zip(&spans);
        let settling = settling.map(|((message, verdict), span)| self.settle(message, verdict, span, round));
        try_join_all(settling).await.map(drop)
    }

    async fn settle(
        &self,
        message: Message,
        verdict: Verdict,
        span: &Span,
        round: &Round,
    ) -> Result<(), ConnectionError> {
        span.record("verdict", verdict.name());
        let lead = span::lead(&message);
        match self.settler.settle(message, verdict).instrument(lead).instrument(span.clone()).await? {
            Settled::Yes => round.settled.store(true, Ordering::Relaxed),
            Settled::No(message, reason) => {
                if !round.ending.is_cancelled() {
                    warn!(
                        queue = self.queue,
                        class = reason.class,
                        detail = reason.detail,
                        "taking no events for now"
                    );
                    round.ending.cancel();
                }
                round.hold(vec![message]);
            }
        }
        Ok(())
    }

    /// The handler's verdicts. A handler that panics over a batch is given each event alone, so that only the one
    /// it panics over suffers.
    async fn verdicts(&self, deliveries: &[Delivery]) -> Vec<Verdict> {
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

    fn note_paused(&self, paused: bool) {
        let queue = KeyValue::new("queue", self.queue.clone());
        self.paused.record(u64::from(paused), &[queue]);
    }
}

impl Round {
    fn hold(&self, messages: Vec<Message>) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).extend(messages);
    }
}

fn undecodable(error: &DecodeError) -> Reason {
    Reason::new("undecodable", error.to_string())
}
