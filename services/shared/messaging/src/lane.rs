//! A lane owns a channel. It publishes the waiting messages in batches of up to [`BATCH`] and awaits all confirms
//! before it reports any: lapin attaches a returned message to the next confirm, so returns can be assigned only per
//! batch.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

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

/// Maximum messages that share one wait for confirms.
pub(crate) const BATCH: usize = 64;

/// `delivery_mode` of a message that survives a broker restart.
const PERSISTENT: u8 = 2;

/// A routing key without bindings.
const NOWHERE: &str = "nowhere";

/// A message to publish.
#[derive(Clone)]
pub(crate) struct Outgoing {
    pub(crate) exchange: &'static str,
    pub(crate) routing_key: String,
    pub(crate) message_id: String,
    pub(crate) kind: String,
    pub(crate) headers: FieldTable,
    pub(crate) body: Vec<u8>,
}

/// A message and the channel that reports its confirm.
pub(crate) struct Request {
    pub(crate) message: Outgoing,
    pub(crate) answer: oneshot::Sender<Result<(), PublishError>>,
}

/// Publishes batches until the channel breaks or all publishers are gone. Sets `confirmed` on the first confirm.
pub(crate) async fn run(
    channel: Channel,
    waiting: flume::Receiver<Request>,
    deadline: Duration,
    confirmed: Arc<AtomicBool>,
) -> Result<(), ConnectionError> {
    while let Ok(first) = waiting.recv_async().await {
        let batch: Vec<Request> = std::iter::once(first)
            .chain(waiting.try_iter().take(BATCH - 1))
            // An abandoned request was reported as failed, so it must not be published any more.
            .filter(|request| !request.answer.is_closed())
            .collect();
        if publish_batch(&channel, batch, deadline).await? {
            confirmed.store(true, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// Checks that the broker confirms, with an unroutable message: a blocked or stalled broker does not confirm it, as it
/// would not confirm a lead.
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

/// Publishes a batch and reports each result. Returns whether any message was confirmed.
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

    // One after the other, since confirms that nothing waits for wake nothing. On an early return the dropped senders are
    // read as unconfirmed.
    let all = async {
        let mut confirmations = Vec::with_capacity(sent.len());
        for confirm in confirms {
            confirmations.push(confirm.await);
        }
        confirmations
    };
    let confirmations = timeout(deadline, all).await.map_err(|_| ConnectionError::Stalled)?;
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
