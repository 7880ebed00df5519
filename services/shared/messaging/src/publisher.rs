//! Publishing with an answer: `Ok` means that a quorum of the broker has the message and that it was routed.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use lapin::{
    Connection,
    options::ConfirmSelectOptions,
    types::{AMQPValue, FieldTable},
};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Histogram},
};
use runtime::{admin::Latch, backoff::Backoff, service::Context};
use tokio::{
    sync::{oneshot, watch},
    task::JoinSet,
    time::{Instant, timeout},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::{info, warn};

use crate::{
    connection::connect,
    error::{ConnectionError, PublishError},
    event::Event,
    lane::{self, Outgoing, Request},
    settings::Settings,
    topology::EXCHANGE,
    trace::TraceParent,
};

/// How many channels publish side by side.
const LANES: usize = 4;
/// How many publishes may wait for a lane.
const WAITING: usize = 1024;

/// Publishes events. Clones share one connection, which lives until the last of them is gone.
#[derive(Clone)]
pub struct Publisher {
    requests: flume::Sender<Request>,
    link: watch::Receiver<Link>,
    deadline: Duration,
    metrics: Metrics,
    _open: Arc<DropGuard>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Down,
    Up,
    Blocked,
}

#[derive(Clone)]
struct Metrics {
    published: Counter<u64>,
    seconds: Histogram<f64>,
}

impl Publisher {
    /// Starts publishing. The service is not ready before the first connection.
    #[must_use]
    pub fn start(settings: Settings, context: &Context) -> Self {
        let (requests, waiting) = flume::bounded(WAITING);
        let (link_state, link) = watch::channel(Link::Down);
        let closing = CancellationToken::new();
        let meter = context.metrics.meter();
        let publisher = Self {
            requests,
            link,
            deadline: settings.publish_timeout,
            metrics: Metrics {
                published: meter
                    .u64_counter("messaging_published")
                    .with_description("Messages handed to the broker, by what came of it.")
                    .build(),
                seconds: meter
                    .f64_histogram("messaging_publish")
                    .with_unit("s")
                    .with_description("From the wish to publish to the broker's confirm.")
                    .build(),
            },
            _open: Arc::new(closing.clone().drop_guard()),
        };
        let supervisor = Supervisor { settings, waiting, link: link_state, closing };
        let latch = context.readiness.latch("broker, to publish");
        context.lifecycle.spawn("publisher", supervisor.run(latch));
        publisher
    }

    /// Publishes an event to whoever listens to its route, and answers when the broker has confirmed it.
    ///
    /// # Errors
    /// [`PublishError`], within the deadline of [`Settings::publish_timeout`].
    pub async fn publish(&self, event: &Event, trace: Option<&TraceParent>) -> Result<(), PublishError> {
        let mut headers = FieldTable::default();
        if let Some(trace) = trace {
            headers.insert("traceparent".into(), AMQPValue::LongString(trace.as_str().into()));
        }
        let route = event.route().key();
        self.send(Outgoing {
            exchange: EXCHANGE,
            routing_key: route.to_owned(),
            message_id: event.lead_id().to_owned(),
            kind: route.to_owned(),
            headers,
            body: event.encode(),
        })
        .await
    }

    pub(crate) async fn send(&self, message: Outgoing) -> Result<(), PublishError> {
        let started = Instant::now();
        let to = message.routing_key.clone();
        let result = self.try_send(message).await;
        let label = result.err().map_or("confirmed", PublishError::label);
        self.metrics.published.add(1, &[KeyValue::new("to", to), KeyValue::new("result", label)]);
        self.metrics.seconds.record(started.elapsed().as_secs_f64(), &[]);
        result
    }

    async fn try_send(&self, message: Outgoing) -> Result<(), PublishError> {
        if *self.link.borrow() == Link::Blocked {
            return Err(PublishError::Blocked);
        }
        let (answer, answered) = oneshot::channel();
        self.requests.try_send(Request { message, answer }).map_err(|_| PublishError::Busy)?;
        match timeout(self.deadline, answered).await {
            Ok(Ok(result)) => result,
            // The lane died with it in hand.
            Ok(Err(_)) => Err(PublishError::Unconfirmed),
            Err(_) => Err(match *self.link.borrow() {
                Link::Down => PublishError::Away,
                Link::Blocked => PublishError::Blocked,
                Link::Up => PublishError::Unconfirmed,
            }),
        }
    }
}

/// Keeps a connection with its lanes alive: they are made together and die together.
struct Supervisor {
    settings: Settings,
    waiting: flume::Receiver<Request>,
    link: watch::Sender<Link>,
    closing: CancellationToken,
}

impl Supervisor {
    async fn run(self, latch: Latch) -> Result<(), std::convert::Infallible> {
        let mut latch = Some(latch);
        let mut backoff = Backoff::new();
        loop {
            let ended = tokio::select! {
                ended = self.session(&mut latch, &mut backoff) => ended,
                () = self.closing.cancelled() => return Ok(()),
            };
            self.link.send_replace(Link::Down);
            let Err(error) = ended else { return Ok(()) };
            let wait = backoff.next_delay();
            warn!(%error, ?wait, "no connection to publish on, trying again");
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.closing.cancelled() => return Ok(()),
            }
        }
    }

    /// Publishes on one connection, until it breaks or nobody wants to publish any more.
    async fn session(&self, latch: &mut Option<Latch>, backoff: &mut Backoff) -> Result<(), ConnectionError> {
        let connection = connect(&self.settings, "publisher").await?;
        let mut lanes = JoinSet::new();
        for _ in 0..LANES {
            let channel = connection.create_channel().await?;
            channel.confirm_select(ConfirmSelectOptions::default()).await?;
            lanes.spawn(lane::run(channel, self.waiting.clone(), self.settings.publish_timeout));
        }
        self.link.send_replace(Link::Up);
        info!("connected to the broker to publish");
        backoff.reset();
        if let Some(latch) = latch.take() {
            latch.release();
        }
        tokio::select! {
            ended = lanes.join_next() => match ended {
                Some(Ok(Ok(()))) | None => Ok(()),
                Some(Ok(Err(error))) => Err(error),
                Some(Err(_)) => Err(ConnectionError::Stalled),
            },
            error = self.follow(&connection) => Err(error),
        }
    }

    /// Passes on what the broker says of the connection, until it breaks.
    async fn follow(&self, connection: &Connection) -> ConnectionError {
        let mut events = connection.events_listener();
        if connection.status().blocked() {
            self.link.send_replace(Link::Blocked);
        }
        while let Some(event) = events.next().await {
            match event {
                lapin::Event::ConnectionBlocked(reason) => {
                    warn!(reason, "the broker takes nothing for now");
                    self.link.send_replace(Link::Blocked);
                }
                lapin::Event::ConnectionUnblocked => {
                    info!("the broker takes messages again");
                    self.link.send_replace(Link::Up);
                }
                lapin::Event::Error(error) => return error.into(),
                lapin::Event::Connected | lapin::Event::SendFlow(_) | _ => {}
            }
        }
        ConnectionError::Stalled
    }
}
