//! Channels with publisher confirms, each with one message in flight: lapin attaches a returned message to the next
//! confirm of its channel, which is then the confirm of the same message.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use lapin::{
    BasicProperties, Channel, Confirmation, Connection,
    options::{BasicPublishOptions, ConfirmSelectOptions},
    types::FieldTable,
};
use tokio::{sync::oneshot, time::timeout};

use crate::{
    error::{ConnectionError, PublishError},
    topology::EXCHANGE,
};

/// `delivery_mode` of a message that survives a broker restart.
const PERSISTENT: u8 = 2;

/// A routing key without bindings.
const UNROUTED_KEY: &str = "nowhere";

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

/// A message and the sender for its result.
pub(crate) struct Request {
    pub(crate) message: Outgoing,
    pub(crate) result: oneshot::Sender<Result<(), PublishError>>,
}

/// A channel with publisher confirms.
pub(crate) struct ConfirmChannel {
    channel: Channel,
    deadline: Duration,
}

impl ConfirmChannel {
    /// Opens a channel whose confirms may take `deadline`.
    pub(crate) async fn open(connection: &Connection, deadline: Duration) -> Result<Self, lapin::Error> {
        let channel = connection.create_channel().await?;
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        Ok(Self { channel, deadline })
    }

    /// Checks that the broker confirms, with an unroutable message: a blocked or stalled broker does not confirm it, as
    /// it would not confirm a lead.
    pub(crate) async fn probe(&self) -> Result<(), ConnectionError> {
        let message = self.confirm(EXCHANGE, UNROUTED_KEY, &[], BasicProperties::default());
        match message.await? {
            Confirmation::Ack(_) => Ok(()),
            Confirmation::Nack(_) | Confirmation::NotRequested => Err(ConnectionError::Stalled),
        }
    }

    /// Publishes requests until the channel breaks or all senders are gone. Sets `confirmed` on each confirm.
    pub(crate) async fn run(
        self,
        requests: flume::Receiver<Request>,
        confirmed: Arc<AtomicBool>,
    ) -> Result<(), ConnectionError> {
        while let Ok(Request { message, result }) = requests.recv_async().await {
            // An abandoned request was reported as failed, so it must not be published any more.
            if result.is_closed() {
                continue;
            }
            // On an error the dropped sender is read as unconfirmed.
            let published = self.publish(message).await?;
            if published.is_ok() {
                confirmed.store(true, Ordering::Relaxed);
            }
            let _ = result.send(published);
        }
        Ok(())
    }

    /// Publishes a message and awaits its confirm. The outer error means that the result is unknown and the channel can
    /// no longer be used.
    pub(crate) async fn publish(
        &self,
        message: Outgoing,
    ) -> Result<Result<(), PublishError>, ConnectionError> {
        let properties = BasicProperties::default()
            .with_delivery_mode(PERSISTENT)
            .with_message_id(message.message_id.into())
            .with_type(message.kind.into())
            .with_content_type("application/x-protobuf".into())
            .with_headers(message.headers);
        let confirmation =
            self.confirm(message.exchange, &message.routing_key, &message.body, properties).await?;
        Ok(match confirmation {
            Confirmation::Ack(None) => Ok(()),
            Confirmation::Ack(Some(_)) => Err(PublishError::Unroutable),
            Confirmation::Nack(_) => Err(PublishError::Refused),
            Confirmation::NotRequested => Err(PublishError::Unconfirmed),
        })
    }

    async fn confirm(
        &self,
        exchange: &str,
        routing_key: &str,
        body: &[u8],
        properties: BasicProperties,
    ) -> Result<Confirmation, ConnectionError> {
        let options = BasicPublishOptions { mandatory: true, ..Default::default() };
        let confirming = async {
            self.channel
                .basic_publish(exchange.into(), routing_key.into(), options, body, properties)
                .await?
                .await
        };
        let confirmation = timeout(self.deadline, confirming).await;
        Ok(confirmation.map_err(|_| ConnectionError::Stalled)??)
    }
}
