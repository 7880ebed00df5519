//! Consumes events, and settles each by the verdict of its handler. Pauses while a dependency of the handler is
//! unavailable.

use std::{future::Future, panic::AssertUnwindSafe, sync::atomic::Ordering};

use futures_util::FutureExt;
use lapin::Connection;
use opentelemetry::KeyValue;
use runtime::{admin::Readiness, backoff::Backoff, clock::SharedClock, service::Context};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use crate::{
    connection::{self, Settings, connect},
    consume_loop::ConsumeLoop,
    error::ConnectionError,
    event::Event,
    publisher::Publisher,
    telemetry::Metrics,
    topology::Subscription,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Handled. The message is acknowledged.
    Done,
    /// The event returns to its queue immediately, with all others in progress. The handler must wait before it returns this
    /// verdict.
    Return,
    /// Failed, and may succeed later. If [`Handler::probe`] fails, the event returns unchanged to its queue, and the handler
    /// receives none until a probe succeeds. Otherwise the handler receives the event again, alone, after each of
    /// [`Settings::retry_waits`](crate::Settings::retry_waits). Then the event becomes a dead letter.
    Retry(Reason),
    /// The event can never be handled. It becomes a dead letter for an operator.
    DeadLetter(Reason),
}

impl Verdict {
    /// The label of a settled message. A `Retry` that is settled was the last one.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Return => "returned",
            Self::Retry(_) | Self::DeadLetter(_) => "dead_letter",
        }
    }
}

/// The reason for a verdict. Logs and headers contain it, so it must contain no personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of error, from a small set such as `database` and `smtp`.
    pub class: &'static str,
    pub detail: String,
}

impl Reason {
    pub fn new(class: &'static str, detail: impl Into<String>) -> Self {
        Self {
            class,
            detail: detail.into(),
        }
    }
}

pub trait Handler: Send + Sync + 'static {
    /// Handles a non-empty batch and returns one verdict for each event, in order. A batch of one event is handled in the
    /// producer's trace.
    fn handle(&self, batch: &[Event]) -> impl Future<Output = Vec<Verdict>> + Send;

    /// Checks whether the dependencies are available for every valid event. Called after an event failed, and at least every
    /// two seconds during a pause. Must have a time limit.
    fn probe(&self) -> impl Future<Output = Result<(), Reason>> + Send;
}

/// Limits of batches. The handler receives a batch as soon as one event is available. Batches grow if events arrive faster
/// than they are handled.
#[derive(Clone, Copy, Debug)]
pub struct Batching {
    pub size: u16,
    pub concurrency: u16,
}

pub struct Consumer<H> {
    pub subscription: Subscription,
    pub batching: Batching,
    pub handler: H,
}

impl<H: Handler> Consumer<H> {
    /// Consumes in the background once the broker is available. `publisher` publishes the copies of dead letters.
    pub fn start(self, settings: Settings, publisher: Publisher, context: &Context) {
        let supervisor = Supervisor {
            queue: self.subscription.queue,
            consumer: self,
            settings,
            publisher,
            clock: context.clock.clone(),
            metrics: Metrics::new(&context.metrics),
            readiness: context.readiness.clone(),
            soft: context.lifecycle.soft_stop(),
        };
        context
            .lifecycle
            .spawn_until("consumer", context.lifecycle.hard_stop(), supervisor.run());
    }
}

pub(crate) struct Supervisor<H> {
    pub(crate) consumer: Consumer<H>,
    pub(crate) queue: &'static str,
    pub(crate) settings: Settings,
    pub(crate) publisher: Publisher,
    pub(crate) clock: SharedClock,
    pub(crate) metrics: Metrics,
    pub(crate) soft: CancellationToken,
    readiness: Readiness,
}

/// State kept across connections.
#[derive(Default)]
struct State {
    reconnecting: Backoff,
    /// Grows across pauses until a message is settled, because a probe may succeed where the work fails.
    probing: Backoff,
    paused: bool,
}

impl<H: Handler> Supervisor<H> {
    async fn run(self) {
        let mut state = State::default();
        self.record_paused(false);
        loop {
            self.metrics.record_connected("consume", false);
            let Err(error) = self.session(&mut state).await else {
                return;
            };
            connection::record_login(&self.readiness, Some(&error));
            let wait = state.reconnecting.next_delay();
            warn!(%error, ?wait, "consumer not connected, retrying");
            if self
                .soft
                .run_until_cancelled(tokio::time::sleep(wait))
                .await
                .is_none()
            {
                return;
            }
        }
    }

    /// Consumes on one connection until the process stops or the connection fails. The broker then redelivers unsettled
    /// messages.
    async fn session(&self, state: &mut State) -> Result<(), ConnectionError> {
        let subscription = &self.consumer.subscription;
        let connection = tokio::select! {
            connection = connect(&self.settings, subscription.service, Some(subscription)) => connection?,
            () = self.soft.cancelled() => return Ok(()),
        };
        self.metrics.record_connected("consume", true);
        connection::record_login(&self.readiness, None);
        tokio::select! {
            ended = self.consume_until_stop(&connection, state) => ended?,
            error = self.check_topology(&connection) => return Err(error),
        }
        connection.close(200, "stopping".into()).await?;
        Ok(())
    }

    /// Consumes and pauses until the process stops or the connection breaks.
    async fn consume_until_stop(
        &self,
        connection: &Connection,
        state: &mut State,
    ) -> Result<(), ConnectionError> {
        while !self.soft.is_cancelled() {
            if state.paused {
                tokio::select! {
                    () = self.wait_until_available(&mut state.probing) => {}
                    error = connection::wait_until_broken(connection) => return Err(error),
                    () = self.soft.cancelled() => return Ok(()),
                }
                state.paused = false;
                self.record_paused(false);
                info!(queue = self.queue, "consumer resumed");
            }
            self.consume(connection, state).await?;
        }
        Ok(())
    }

    /// Checks the topology at intervals, because a deleted binding does not break the connection.
    async fn check_topology(&self, connection: &Connection) -> ConnectionError {
        let subscription = Some(&self.consumer.subscription);
        loop {
            tokio::time::sleep(self.settings.topology_interval).await;
            match connection::check_topology(connection, subscription).await {
                Ok(()) => {}
                Err(error @ ConnectionError::Topology { .. }) => {
                    warn!(%error, "topology check failed")
                }
                Err(error) => return error,
            }
        }
    }

    async fn wait_until_available(&self, backoff: &mut Backoff) {
        loop {
            tokio::time::sleep(backoff.next_delay()).await;
            let Err(reason) = self.probe().await else {
                return;
            };
            debug!(
                class = reason.class,
                detail = reason.detail,
                "dependency still unavailable"
            );
        }
    }

    /// Calls the handler's probe, which fails if it panics.
    pub(crate) async fn probe(&self) -> Result<(), Reason> {
        let probing = AssertUnwindSafe(self.consumer.handler.probe()).catch_unwind();
        let panicked = |_| Err(Reason::new("panic", "probe panicked"));
        probing.await.unwrap_or_else(panicked)
    }

    /// Consumes until the process stops, a probe fails or an event returns.
    async fn consume(
        &self,
        connection: &Connection,
        state: &mut State,
    ) -> Result<(), ConnectionError> {
        let consume_loop = ConsumeLoop::new(self);
        let channel = connection.create_channel().await?;
        let deliveries = consume_loop.subscribe(&channel).await?;
        info!(queue = self.queue, "consumer started");
        state.reconnecting.reset();

        let ended = consume_loop.run(&channel, deliveries).await;
        let is_ending = consume_loop.ending.is_cancelled();
        if consume_loop.paused.load(Ordering::Relaxed) && !self.soft.is_cancelled() {
            state.paused = true;
            self.record_paused(true);
        }
        if consume_loop.settled.load(Ordering::Relaxed) {
            state.probing.reset();
        }
        ended?;
        if !is_ending {
            return Err(ConnectionError::Cancelled);
        }
        Ok(channel.close(200, "done".into()).await?)
    }

    fn record_paused(&self, paused: bool) {
        let queue = KeyValue::new("queue", self.queue);
        self.metrics.paused.record(u64::from(paused), &[queue]);
    }
}
