//! A lane owns a channel. It publishes what is waiting, up to [`BATCH`], awaits all confirms, sets aside what was
//! returned, and only then answers: lapin hands a returned message to whichever confirm comes next, so only a whole
//! batch can tell which publish it belongs to.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use lapin::{
    BasicProperties, Channel, Confirmation,
    options::BasicPublishOptions,
    types::{FieldTable, ShortString},
};
use tokio::{sync::oneshot, time::timeout};

use crate::{
    error::{ConnectionError, PublishError},
    topology::EXCHANGE,
};

/// How many publishes share one wait for confirms.
pub(crate) const BATCH: usize = 64;

/// `delivery_mode` of a message that survives a restart of the broker.
const PERSISTENT: u8 = 2;

/// Bound to no queue.
const NOWHERE: &str = "nowhere";

/// A message on its way to the broker.
#[derive(Clone)]
pub(crate) struct Outgoing {
    pub(crate) exchange: &'static str,
    pub(crate) routing_key: String,
    pub(crate) message_id: String,
    pub(crate) kind: String,
    pub(crate) headers: FieldTable,
    pub(crate) body: Vec<u8>,
}

/// A message, and who waits to hear of it.
pub(crate) struct Request {
    pub(crate) message: Outgoing,
    pub(crate) answer: oneshot::Sender<Result<(), PublishError>>,
}

/// Publishes batch after batch, until the channel breaks or nobody can ask any more.
pub(crate) async fn run(
    channel: Channel,
    waiting: flume::Receiver<Request>,
    deadline: Duration,
    confirmed: Arc<AtomicBool>,
) -> Result<(), ConnectionError> {
    while let Ok(first) = waiting.recv_async().await {
        let batch: Vec<Request> = std::iter::once(first)
            .chain(waiting.try_iter().take(BATCH - 1))
            // Who gave up has told its caller so: it must not be published after that.
            .filter(|request| !request.answer.is_closed())
            .collect();
        if publish_batch(&channel, batch, deadline).await? {
            confirmed.store(true, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// Makes sure that the broker confirms: it is sent a message for nobody, which goes through a broker that is blocked
/// or stalled no more than a lead would.
pub(crate) async fn probe(channel: &Channel, deadline: Duration) -> Result<(), ConnectionError> {
    let options = BasicPublishOptions { mandatory: true, ..Default::default() };
    let publishing = async {
        channel
            .basic_publish(EXCHANGE.into(), NOWHERE.into(), options, &[], BasicProperties::default())
            .await?
            .await
    };
    match timeout(deadline, publishing).await {
        Ok(Ok(Confirmation::Ack(_))) => Ok(()),
        Ok(Ok(Confirmation::Nack(_) | Confirmation::NotRequested)) | Err(_) => Err(ConnectionError::Stalled),
        Ok(Err(error)) => Err(error.into()),
    }
}

/// Publishes and answers. `true` when something was confirmed.
pub(crate) async fn publish_batch(
    channel: &Channel,
    batch: Vec<Request>,
    deadline: Duration,
) -> Result<bool, ConnectionError> {
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
    let confirmed = results.contains(&Ok(()));
    for ((key, answer), result) in sent.into_iter().zip(results) {
        let result = if returned.contains(&key) { Err(PublishError::Unroutable) } else { result };
        let _ = answer.send(result);
    }
    broken.map_or(Ok(confirmed), |error| Err(error.into()))
}
