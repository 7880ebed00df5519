//! Consumes events, and settles each by the verdict of its handler. Pauses while a dependency of the handler is
//! unavailable.

use std::sync::atomic::Ordering;

use lapin::Connection;
use opentelemetry::KeyValue;
use runtime::{admin::Readiness, backoff::Backoff, service::Context};
use tracing::{debug, info, warn};

use crate::{
    connection::{self, Settings, connect},
    consume_loop::{ConsumeLoop, Shared},
    error::ConnectionError,
    handler::{Batching, Handler},
    publisher::Publisher,
    telemetry::Metrics,
    topology::Subscription,
};

pub struct Consumer<H> {
    pub subscription: Subscription,
    pub batching: Batching,
    pub handler: H,
}

impl<H: Handler> Consumer<H> {
    /// Consumes in the background once the broker is available. `publisher` publishes the copies of dead letters.
    pub fn start(self, settings: Settings, publisher: Publisher, context: &Context) {
        let supervisor = Supervisor {
            shared: Shared {
                subscription: self.subscription,
                handler: self.handler,
                batching: self.batching,
                settings,
                publisher,
                clock: context.clock.clone(),
                metrics: Metrics::new(&context.metrics),
                soft: context.lifecycle.soft_stop(),
            },
            readiness: context.readiness.clone(),
        };
        context
            .lifecycle
            .spawn_until("consumer", context.lifecycle.hard_stop(), supervisor.run());
    }
}

struct Supervisor<H> {
    shared: Shared<H>,
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
        self.shared.metrics.begin_consuming(self.shared.queue());
        loop {
            self.shared.metrics.record_connected("consume", false);
            let Err(error) = self.session(&mut state).await else {
                return;
            };
            connection::record_login(&self.readiness, Some(&error));
            let wait = state.reconnecting.next_delay();
            warn!(%error, ?wait, "consumer not connected, retrying");
            if self
                .shared
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
        let subscription = &self.shared.subscription;
        let connection = tokio::select! {
            connection = connect(&self.shared.settings, subscription.service, Some(subscription)) => connection?,
            () = self.shared.soft.cancelled() => return Ok(()),
        };
        self.shared.metrics.record_connected("consume", true);
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
        while !self.shared.soft.is_cancelled() {
            if state.paused {
                tokio::select! {
                    () = self.wait_until_available(&mut state.probing) => {}
                    error = connection::wait_until_broken(connection) => return Err(error),
                    () = self.shared.soft.cancelled() => return Ok(()),
                }
                state.paused = false;
                self.record_paused(false);
                info!(queue = self.shared.queue(), "consumer resumed");
            }
            self.consume(connection, state).await?;
        }
        Ok(())
    }

    /// Checks the topology at intervals, because a deleted binding does not break the connection.
    async fn check_topology(&self, connection: &Connection) -> ConnectionError {
        let subscription = Some(&self.shared.subscription);
        loop {
            tokio::time::sleep(self.shared.settings.topology_interval).await;
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
            let Err(reason) = self.shared.probe().await else {
                return;
            };
            debug!(
                class = reason.class,
                detail = reason.detail,
                "dependency still unavailable"
            );
        }
    }

    /// Consumes until the process stops, a probe fails or an event returns.
    async fn consume(
        &self,
        connection: &Connection,
        state: &mut State,
    ) -> Result<(), ConnectionError> {
        let consume_loop = ConsumeLoop::new(&self.shared);
        let channel = connection.create_channel().await?;
        let deliveries = consume_loop.subscribe(&channel).await?;
        info!(queue = self.shared.queue(), "consumer started");
        state.reconnecting.reset();

        let ended = consume_loop.run(&channel, deliveries).await;
        let is_ending = consume_loop.ending.is_cancelled();
        if consume_loop.paused.load(Ordering::Relaxed) && !self.shared.soft.is_cancelled() {
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
        let queue = KeyValue::new("queue", self.shared.queue());
        self.shared
            .metrics
            .paused
            .record(u64::from(paused), &[queue]);
    }
}
