//! Publishing with an answer: `Ok` means that a quorum of the broker has the message and that it was routed.
//!
//! A lane owns a channel. It publishes what is waiting, up to [`BATCH`], awaits all confirms, sets aside what was
//! returned, and only then answers: lapin hands a returned message to whichever confirm comes next, so only a whole
//! batch can tell which publish it belongs to.

use std::{collections::HashSet, time::Duration};

use futures_util::{StreamExt, future::join_all};
use lapin::{
    BasicProperties, Channel, Confirmation, Connection,
    options::{BasicPublishOptions, ConfirmSelectOptions},
    types::{AMQPValue, FieldTable, ShortString},
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
    connection::{ConnectionError, connect},
    event::Event,
    settings::Settings,
    topology::EXCHANGE,
    trace::TraceParent,
};

/// How many publishes share one wait for confirms.
const BATCH: usize = 64;
/// How many channels publish side by side.
const LANES: usize = 4;
/// How many publishes may wait for a lane.
const WAITING: usize = 1024;

/// `delivery_mode` of a message that survives a restart of the broker.
const PERSISTENT: u8 = 2;

/// Why a publish was not confirmed. Unless said otherwise nobody has the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// No connection came up in time, or the one there was broke.
    #[error("the broker is away")]
    Away,
    /// The broker takes nothing because it is short of memory or disk.
    #[error("the broker is blocked by an alarm")]
    Blocked,
    /// No confirm came in time. The message is probably in the queue all the same.
    #[error("the broker did not confirm in time")]
    Unconfirmed,
    /// No queue is bound for it.
    #[error("the broker has no queue for it")]
    Unroutable,
    /// A queue is full.
    #[error("the broker refused it")]
    Refused,
    /// Too many publishes are waiting already.
    #[error("too many publishes are waiting")]
    Busy,
}

impl PublishError {
    fn label(self) -> &'static str {
        match self {
            Self::Away => "away",
            Self::Blocked => "blocked",
            Self::Unconfirmed => "unconfirmed",
            Self::Unroutable => "unroutable",
            Self::Refused => "refused",
            Self::Busy => "busy",
        }
    }
}

/// Publishes events. Clones share one connection, which lives until the last of them is gone.
#[derive(Clone)]
pub struct Publisher {
    requests: flume::Sender<Request>,
    link: watch::Receiver<Link>,
    deadline: Duration,
    metrics: Metrics,
    _open: std::sync::Arc<DropGuard>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Down,
    Up,
    Blocked,
}

/// A message on its way to the broker.
pub(crate) struct Outgoing {
    pub(crate) exchange: &'static str,
    pub(crate) routing_key: String,
    pub(crate) message_id: String,
    pub(crate) kind: String,
    pub(crate) headers: FieldTable,
    pub(crate) body: Vec<u8>,
}

struct Request {
    message: Outgoing,
    answer: oneshot::Sender<Result<(), PublishError>>,
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
            _open: std::sync::Arc::new(closing.clone().drop_guard()),
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
            lanes.spawn(lane(channel, self.waiting.clone(), self.settings.publish_timeout));
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

/// Publishes batch after batch, until the channel breaks or nobody can ask any more.
async fn lane(
    channel: Channel,
    waiting: flume::Receiver<Request>,
    deadline: Duration,
) -> Result<(), ConnectionError> {
    while let Ok(first) = waiting.recv_async().await {
        let batch: Vec<Request> = std::iter::once(first)
            .chain(waiting.try_iter().take(BATCH - 1))
            // Who gave up has told its caller so: it must not be published after that.
            .filter(|request| !request.answer.is_closed())
            .collect();
        publish_batch(&channel, batch, deadline).await?;
    }
    Ok(())
}

async fn publish_batch(
    channel: &Channel,
    batch: Vec<Request>,
    deadline: Duration,
) -> Result<(), ConnectionError> {
    let mut sent = Vec::with_capacity(batch.len());
    let mut confirms = Vec::with_capacity(batch.len());
    for Request { message, answer } in batch {
        let key = (message.routing_key.clone(), message.message_id.clone());
        let properties = BasicProperties::default()
            .with_delivery_mode(PERSISTENT)
            .with_message_id(message.message_id.into())
            .with_type(message.kind.into())
            .with_content_type("application/x-protobuf".into())
            .with_headers(message.headers);
        let (exchange, routing_key): (ShortString, ShortString) =
            (message.exchange.into(), message.routing_key.into());
        let options = BasicPublishOptions { mandatory: true, ..Default::default() };
        match channel.basic_publish(exchange, routing_key, options, &message.body, properties).await {
            Ok(confirm) => {
                confirms.push(confirm);
                sent.push((key, answer));
            }
            Err(error) => {
                let _ = answer.send(Err(PublishError::Away));
                return Err(error.into());
            }
        }
    }

    // Answers that are dropped with `sent` on an early return read as unconfirmed.
    let confirmations = timeout(deadline, join_all(confirms)).await.map_err(|_| ConnectionError::Stalled)?;
    let mut broken = None;
    let mut returned = HashSet::new();
    let mut results = Vec::with_capacity(sent.len());
    for confirmation in confirmations {
        results.push(match &confirmation {
            Ok(Confirmation::Ack(_)) => Ok(()),
            Ok(Confirmation::Nack(_)) => Err(PublishError::Refused),
            Ok(Confirmation::NotRequested) | Err(_) => Err(PublishError::Unconfirmed),
        });
        match confirmation.map(Confirmation::take_message) {
            Ok(Some(message)) => {
                let id = message.properties.message_id().as_ref().map(ToString::to_string);
                returned.insert((message.routing_key.to_string(), id.unwrap_or_default()));
            }
            Ok(None) => {}
            Err(error) => broken = Some(error),
        }
    }
    for ((key, answer), result) in sent.into_iter().zip(results) {
        let result = if returned.contains(&key) { Err(PublishError::Unroutable) } else { result };
        let _ = answer.send(result);
    }
    broken.map_or(Ok(()), |error| Err(error.into()))
}
