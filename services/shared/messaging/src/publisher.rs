//! Publishes with confirms: `Ok` means that the message was routed and a quorum of the broker has it.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt, future::try_join_all};
use lapin::{
    Connection,
    types::{AMQPValue, FieldTable},
};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram, Meter},
};
use runtime::{
    backoff::Backoff,
    service::Context,
    telemetry::SECONDS,
    trace::{self, TraceParent},
};
use tokio::{
    sync::{oneshot, watch},
    task::JoinSet,
    time::{Instant, sleep, sleep_until, timeout, timeout_at},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::{Instrument, Span, info, warn};

use crate::{
    confirm_channel::{ConfirmChannel, Outgoing, Request},
    connection::{self, CONNECT_TIMEOUT, connect},
    error::{ConnectionError, PublishError},
    event::Event,
    settings::Settings,
    span,
    topology::EXCHANGE,
};

/// Messages in flight, each on its own channel.
const CHANNELS: usize = 64;
/// Maximum publishes waiting for a channel.
const WAITING: usize = 1024;

/// Publishes events. Clones share one connection, which closes with the last clone.
#[derive(Clone)]
pub struct Publisher {
    requests: flume::Sender<Request>,
    link: Arc<watch::Sender<Link>>,
    deadline: Duration,
    metrics: Metrics,
    _open: Arc<DropGuard>,
}

/// The known state of the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// The first connection is being established.
    Starting,
    /// The broker is unavailable or does not confirm.
    Down,
    /// The broker reported that it accepts no messages.
    Blocked,
    /// The broker confirms.
    Up,
}

#[derive(Clone)]
struct Metrics {
    published: Counter<u64>,
    seconds: Histogram<f64>,
}

impl Metrics {
    fn new(meter: &Meter) -> Self {
        Self {
            published: meter
                .u64_counter("messaging_published")
                .with_description("Messages published, by destination and result.")
                .build(),
            seconds: meter
                .f64_histogram("messaging_publish_duration")
                .with_unit("s")
                .with_description("Time to publish a message, until the broker's confirm or the failure.")
                .with_boundaries(SECONDS.to_vec())
                .build(),
        }
    }
}

impl Publisher {
    /// Starts connecting in the background; see [`Publisher::publish`] for publishes made before that succeeds.
    #[must_use]
    pub fn start(settings: Settings, context: &Context) -> Self {
        let (requests, waiting) = flume::bounded(WAITING);
        let link = Arc::new(watch::Sender::new(Link::Starting));
        let closing = CancellationToken::new();
        let meter = context.metrics.meter();
        let publisher = Self {
            requests,
            link: Arc::clone(&link),
            deadline: settings.publish_timeout,
            metrics: Metrics::new(meter),
            _open: Arc::new(closing.clone().drop_guard()),
        };
        let supervisor = Supervisor {
            settings,
            requests: waiting,
            link,
            connected: connection::connected_gauge(meter),
            blocked: meter
                .u64_gauge("messaging_blocked")
                .with_description("1 while the broker blocks publishing (memory or disk alarm).")
                .build(),
            closing,
        };
        context.lifecycle.spawn("publisher", supervisor.run());
        publisher
    }

    /// Publishes an event on its route and returns once the broker has confirmed it.
    ///
    /// # Errors
    /// [`PublishError`], at the latest after [`Settings::publish_timeout`]. At once while the broker is known to be
    /// unavailable or blocked; one missing confirm suffices for that, until a probe is confirmed.
    pub async fn publish(&self, event: &Event, trace: Option<&TraceParent>) -> Result<(), PublishError> {
        let route = event.route().key();
        let mut message = Outgoing {
            exchange: EXCHANGE,
            routing_key: route.to_owned(),
            message_id: event.lead_id().to_owned(),
            kind: route.to_owned(),
            headers: FieldTable::default(),
            body: event.encode(),
        };
        let span = span::publishing(&message, trace);
        // Without collected spans, the caller's trace is propagated.
        if let Some(trace) = TraceParent::of(&span).as_ref().or(trace) {
            let value = AMQPValue::LongString(trace.as_str().into());
            message.headers.insert(trace::HEADER.into(), value);
        }
        self.send_in(span, message).await
    }

    /// Publishes a message unchanged.
    pub(crate) async fn send(&self, message: Outgoing) -> Result<(), PublishError> {
        self.send_in(span::publishing(&message, None), message).await
    }

    async fn send_in(&self, span: Span, message: Outgoing) -> Result<(), PublishError> {
        let started = Instant::now();
        let to = message.routing_key.clone();
        let result = self.try_send(message).instrument(span.clone()).await;
        if let Err(error) = result {
            span::fail(&span, error);
        }
        let label = result.err().map_or("confirmed", PublishError::label);
        self.metrics.published.add(1, &[KeyValue::new("to", to), KeyValue::new("result", label)]);
        self.metrics.seconds.record(started.elapsed().as_secs_f64(), &[]);
        result
    }

    async fn try_send(&self, message: Outgoing) -> Result<(), PublishError> {
        let deadline = Instant::now() + self.deadline;
        let mut link = self.link.subscribe();
        let started = timeout_at(deadline, link.wait_for(|link| *link != Link::Starting)).await;
        match started.map(|link| link.map(|link| *link)) {
            Ok(Ok(Link::Up)) => {}
            Ok(Ok(Link::Blocked)) => return Err(PublishError::Blocked),
            Ok(Ok(Link::Starting | Link::Down) | Err(_)) | Err(_) => return Err(PublishError::Away),
        }
        let (result, published) = oneshot::channel();
        self.requests.try_send(Request { message, result }).map_err(|_| PublishError::Busy)?;
        tokio::select! {
            biased;
            // No result means that the channel broke before the confirm.
            result = published => result.unwrap_or(Err(PublishError::Unconfirmed)),
            _ = link.wait_for(|link| *link != Link::Up) => Err(PublishError::Unconfirmed),
            () = sleep_until(deadline) => {
                // Affects all publishes: the supervisor closes the connection.
                self.link.send_replace(Link::Down);
                Err(PublishError::Unconfirmed)
            }
        }
    }
}

/// Maintains a connection and its channels, which are created and dropped together.
struct Supervisor {
    settings: Settings,
    requests: flume::Receiver<Request>,
    link: Arc<watch::Sender<Link>>,
    connected: Gauge<u64>,
    blocked: Gauge<u64>,
    closing: CancellationToken,
}

impl Supervisor {
    async fn run(self) -> Result<(), Infallible> {
        let mut backoff = Backoff::new();
        connection::record_connected(&self.connected, "publish", false);
        loop {
            let confirmed = Arc::new(AtomicBool::new(false));
            let ended = self.session(&confirmed).await;
            self.set_link(Link::Down);
            let Err(error) = ended else { return Ok(()) };
            // A broker that accepts connections but confirms nothing must not reset the backoff.
            if confirmed.load(Ordering::Relaxed) {
                backoff.reset();
            }
            let wait = backoff.next_delay();
            warn!(%error, ?wait, "publisher not connected, retrying");
            tokio::select! {
                () = sleep(wait) => {}
                () = self.closing.cancelled() => return Ok(()),
            }
        }
    }

    /// Publishes on one connection until it breaks, a confirm is late, or the last publisher is dropped.
    async fn session(&self, confirmed: &Arc<AtomicBool>) -> Result<(), ConnectionError> {
        let connecting = connect(&self.settings, "publisher", None);
        let connection = tokio::select! {
            connection = connecting => connection?,
            () = self.closing.cancelled() => return Ok(()),
        };
        let opening = timeout(CONNECT_TIMEOUT, self.open_channels(&connection)).await;
        let channels = opening.map_err(|_| ConnectionError::Timeout(CONNECT_TIMEOUT))??;
        let mut channels: JoinSet<_> = channels
            .into_iter()
            .map(|channel| channel.run(self.requests.clone(), Arc::clone(confirmed)))
            .collect();
        self.set_link(Link::Up);
        info!("publisher connected");
        let mut link = self.link.subscribe();
        let ended = tokio::select! {
            ended = channels.join_next() => match ended {
                Some(Ok(Ok(()))) | None => Ok(()),
                Some(Ok(Err(error))) => Err(error),
                Some(Err(_)) => Err(ConnectionError::Stalled),
            },
            () = self.closing.cancelled() => Ok(()),
            error = self.follow_link(&connection) => Err(error),
            _ = link.wait_for(|link| *link == Link::Down) => Err(ConnectionError::Stalled),
        };
        if ended.is_ok() {
            // The result does not matter, as no publish is waiting any more.
            let _ = timeout(CONNECT_TIMEOUT, connection.close(200, "stopping".into())).await;
        }
        ended
    }

    async fn open_channels(&self, connection: &Connection) -> Result<Vec<ConfirmChannel>, ConnectionError> {
        try_join_all((0..CHANNELS).map(async |_| {
            let channel = ConfirmChannel::open(connection, self.settings.publish_timeout).await?;
            channel.probe().await?;
            Ok(channel)
        }))
        .await
    }

    /// Applies the broker's blocked and unblocked events until the connection breaks.
    async fn follow_link(&self, connection: &Connection) -> ConnectionError {
        let mut events = connection.events_listener();
        if connection.status().blocked() {
            self.set_link(Link::Blocked);
        }
        while let Some(event) = events.next().await {
            match event {
                lapin::Event::ConnectionBlocked(reason) => {
                    warn!(reason, "broker blocked publishing");
                    self.set_link(Link::Blocked);
                }
                lapin::Event::ConnectionUnblocked => {
                    info!("broker unblocked publishing");
                    self.set_link(Link::Up);
                }
                // A channel error ends only its channel.
                lapin::Event::Error(error) if !error.is_amqp_soft_error() => return error.into(),
                lapin::Event::Error(_) | lapin::Event::Connected | lapin::Event::SendFlow(_) | _ => {}
            }
        }
        ConnectionError::Stalled
    }

    fn set_link(&self, link: Link) {
        self.link.send_replace(link);
        connection::record_connected(&self.connected, "publish", link == Link::Up);
        self.blocked.record(u64::from(link == Link::Blocked), &[]);
    }
}
