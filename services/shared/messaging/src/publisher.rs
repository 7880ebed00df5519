//! Publishes with confirms: `Ok` means that the message was routed and a quorum of the broker has it.

use std::{convert::Infallible, sync::Arc};

use futures_util::StreamExt;
use lapin::types::{AMQPValue, FieldTable};
use runtime::{admin::Readiness, backoff::Backoff, service::Context, trace};
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until, timeout, timeout_at},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::{Instrument, Span, info, warn};

use crate::{
    confirm_channels::{ConfirmChannels, OutgoingMessage},
    connection::{self, CONNECT_TIMEOUT, Settings, connect},
    error::{ConnectionError, PublishError},
    event::Event,
    telemetry::{Metrics, publish_span},
    topology::EXCHANGE,
};

/// Publishes events. Clones share one connection, which closes with the last clone.
#[derive(Clone)]
pub struct Publisher {
    shared: Arc<SharedConnection>,
    _guard: Arc<DropGuard>,
}

/// The connection of all clones.
struct SharedConnection {
    settings: Settings,
    state: watch::Sender<PublisherState>,
    metrics: Metrics,
    readiness: Readiness,
}

/// The channels of a broker that confirms, or the reason why messages cannot be published. `None` until the first attempt
/// to connect has ended.
type PublisherState = Option<Result<Arc<ConfirmChannels>, PublishError>>;

fn is_connected(channels: &Arc<ConfirmChannels>, state: &PublisherState) -> bool {
    matches!(state, Some(Ok(current)) if Arc::ptr_eq(current, channels))
}

impl Publisher {
    /// Connects in the background. A publish before the end of the first attempt waits for it.
    pub fn start(settings: Settings, context: &Context) -> Self {
        let metrics = Metrics::new(&context.metrics);
        metrics.begin_publishing();
        let shared = Arc::new(SharedConnection {
            settings,
            state: watch::Sender::default(),
            metrics,
            readiness: context.readiness.clone(),
        });
        let maintained = Arc::clone(&shared);
        let closing = CancellationToken::new();
        let guard = Arc::new(closing.clone().drop_guard());
        context.lifecycle.spawn("publisher", async move {
            closing.run_until_cancelled(maintained.run()).await;
            maintained.close().await;
            Ok::<_, Infallible>(())
        });
        Self {
            shared,
            _guard: guard,
        }
    }

    /// Publishes an event on its route, within the current trace, and returns once the broker has confirmed it.
    ///
    /// # Errors
    /// [`PublishError`] after at most [`Settings::publish_timeout`], or immediately while the broker is known to be
    /// unavailable or blocked. One missing confirm marks the broker as unavailable until it confirms a probe.
    pub async fn publish(&self, event: &Event) -> Result<(), PublishError> {
        let route = event.route().key();
        let mut message = OutgoingMessage {
            exchange: EXCHANGE,
            routing_key: route,
            message_id: event.lead_id().to_owned(),
            kind: route.to_owned(),
            headers: FieldTable::default(),
            body: event.encode(),
        };
        let span = publish_span(&message);
        if let Some(traceparent) = span.in_scope(trace::current_traceparent) {
            message.headers.insert(
                trace::HEADER.into(),
                AMQPValue::LongString(traceparent.into()),
            );
        }
        self.send_in_span(span, message).await
    }

    /// Publishes a message unchanged.
    pub(crate) async fn send(&self, message: OutgoingMessage) -> Result<(), PublishError> {
        self.send_in_span(publish_span(&message), message).await
    }

    async fn send_in_span(&self, span: Span, message: OutgoingMessage) -> Result<(), PublishError> {
        let started = Instant::now();
        let to = message.routing_key;
        let result = self.shared.send(message).instrument(span.clone()).await;
        if let Err(error) = result {
            span.record("otel.status_code", "ERROR")
                .record("error.type", error.label());
        }
        let metrics = &self.shared.metrics;
        metrics.add_published(to, result);
        metrics
            .publish_duration
            .record(started.elapsed().as_secs_f64(), &[]);
        result
    }
}

impl SharedConnection {
    async fn send(&self, message: OutgoingMessage) -> Result<(), PublishError> {
        let deadline = Instant::now() + self.settings.publish_timeout;
        let mut state = self.state.subscribe();
        let started = timeout_at(deadline, state.wait_for(Option::is_some)).await;
        let current = started.ok().and_then(|state| state.ok()?.clone());
        let channels = current.unwrap_or(Err(PublishError::Unavailable))?;
        tokio::select! {
            biased;
            published = channels.publish(message) => if let Ok(published) = published { return published },
            _ = state.wait_for(|state| !is_connected(&channels, state)) => return Err(PublishError::Unconfirmed),
            () = sleep_until(deadline) => {}
        }
        // Ends the session and all its publishes.
        self.state.send_if_modified(|state| {
            let is_current = is_connected(&channels, state);
            if is_current {
                *state = Some(Err(PublishError::Unavailable));
            }
            is_current
        });
        Err(PublishError::Unconfirmed)
    }

    async fn run(&self) {
        let mut backoff = Backoff::default();
        self.metrics.record_connected("publish", false);
        loop {
            let Err(error) = self.session(&mut backoff).await;
            self.set_state(Err(PublishError::Unavailable));
            connection::record_login(&self.readiness, Some(&error));
            let wait = backoff.next_delay();
            warn!(%error, ?wait, "publisher not connected, retrying");
            sleep(wait).await;
        }
    }

    /// Uses one connection until it breaks or a confirm is missing.
    async fn session(&self, backoff: &mut Backoff) -> Result<Infallible, ConnectionError> {
        let channels = Arc::new(self.connect().await?);
        // Only after a confirm, because a broker that accepts connections and confirms nothing must not reset the backoff.
        backoff.reset();
        connection::record_login(&self.readiness, None);
        self.set_state(Ok(Arc::clone(&channels)));
        info!("publisher connected");
        let mut state = self.state.subscribe();
        let is_down =
            |state: &PublisherState| matches!(state, Some(Err(PublishError::Unavailable)));
        tokio::select! {
            error = self.watch_alarms(&channels) => Err(error),
            _ = state.wait_for(is_down) => Err(ConnectionError::Stalled),
        }
    }

    async fn close(&self) {
        let state = self.state.borrow().clone();
        if let Some(Ok(channels)) = state {
            // The result does not matter, because no publish is waiting.
            let _ = timeout(
                CONNECT_TIMEOUT,
                channels.connection.close(200, "stopping".into()),
            )
            .await;
        }
    }

    async fn connect(&self) -> Result<ConfirmChannels, ConnectionError> {
        let channels = ConfirmChannels::new(connect(&self.settings, "publisher", None).await?);
        let probing = timeout(self.settings.publish_timeout, channels.probe());
        probing.await.map_err(|_| ConnectionError::Stalled)??;
        Ok(channels)
    }

    /// Follows the broker's memory and disk alarms until the connection breaks.
    async fn watch_alarms(&self, channels: &Arc<ConfirmChannels>) -> ConnectionError {
        let mut events = channels.connection.events_listener();
        if channels.connection.status().blocked() {
            self.set_state(Err(PublishError::Blocked));
        }
        while let Some(event) = events.next().await {
            match event {
                lapin::Event::ConnectionBlocked(reason) => {
                    warn!(reason, "broker blocked publishing");
                    self.set_state(Err(PublishError::Blocked));
                }
                lapin::Event::ConnectionUnblocked => {
                    info!("broker unblocked publishing");
                    self.set_state(Ok(Arc::clone(channels)));
                }
                // A channel error ends only its channel.
                lapin::Event::Error(error) if !error.is_amqp_soft_error() => return error.into(),
                lapin::Event::Error(_)
                | lapin::Event::Connected
                | lapin::Event::SendFlow(_)
                | _ => {}
            }
        }
        ConnectionError::Stalled
    }

    fn set_state(&self, state: Result<Arc<ConfirmChannels>, PublishError>) {
        self.metrics.record_connected("publish", state.is_ok());
        self.metrics
            .blocked
            .record(u64::from(matches!(state, Err(PublishError::Blocked))), &[]);
        self.state.send_replace(Some(state));
    }
}
