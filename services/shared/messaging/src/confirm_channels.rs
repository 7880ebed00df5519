//! Channels with publisher confirms. Each has one message in flight, because lapin attaches a returned message to the next
//! confirm of its channel: this is then the confirm of the same message.

use lapin::{
    BasicProperties, Channel, Confirmation,
    options::{BasicPublishOptions, ConfirmSelectOptions},
    types::FieldTable,
};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::{
    connection::BrokerConnection,
    error::{ConnectionError, PublishError},
    topology::EXCHANGE,
};

/// Maximum number of messages in flight on one connection.
const CHANNELS: usize = 64;

/// `delivery_mode` of a message that survives a broker restart.
const PERSISTENT: u8 = 2;

/// A routing key without bindings.
const UNROUTED_KEY: &str = "nowhere";

#[derive(Clone)]
pub(crate) struct OutgoingMessage {
    pub(crate) exchange: &'static str,
    pub(crate) routing_key: &'static str,
    pub(crate) message_id: String,
    pub(crate) kind: String,
    pub(crate) headers: FieldTable,
    pub(crate) body: Vec<u8>,
}

/// A connection with its confirm channels, which are opened as needed.
pub(crate) struct ConfirmChannels {
    pub(crate) connection: BrokerConnection,
    idle: Mutex<Vec<Channel>>,
    in_flight: Semaphore,
}

impl ConfirmChannels {
    pub(crate) fn new(connection: BrokerConnection) -> Self {
        Self {
            connection,
            idle: Mutex::default(),
            in_flight: Semaphore::new(CHANNELS),
        }
    }

    /// Checks with an unroutable message that the broker confirms. A blocked or stalled broker confirms neither this message
    /// nor a lead.
    pub(crate) async fn probe(&self) -> Result<(), ConnectionError> {
        match self
            .confirm(EXCHANGE, UNROUTED_KEY, &[], BasicProperties::default())
            .await?
        {
            Confirmation::Ack(_) => Ok(()),
            Confirmation::Nack(_) | Confirmation::NotRequested => Err(ConnectionError::Stalled),
        }
    }

    /// Publishes a message and waits for its confirm, without a time limit. If the future is dropped before the message has
    /// a channel, the message is not published. After the outer error, the result is unknown.
    pub(crate) async fn publish(
        &self,
        message: OutgoingMessage,
    ) -> Result<Result<(), PublishError>, ConnectionError> {
        let properties = BasicProperties::default()
            .with_delivery_mode(PERSISTENT)
            .with_message_id(message.message_id.into())
            .with_type(message.kind.into())
            .with_content_type("application/x-protobuf".into())
            .with_headers(message.headers);
        let confirmation = self
            .confirm(
                message.exchange,
                message.routing_key,
                &message.body,
                properties,
            )
            .await?;
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
        let _in_flight = self.in_flight.acquire().await;
        let idle = self.idle.lock().pop();
        let channel = match idle {
            Some(channel) => channel,
            None => {
                let channel = self.connection.create_channel().await?;
                channel
                    .confirm_select(ConfirmSelectOptions::default())
                    .await?;
                channel
            }
        };
        let options = BasicPublishOptions {
            mandatory: true,
            ..Default::default()
        };
        let confirming = channel
            .basic_publish(
                exchange.into(),
                routing_key.into(),
                options,
                body,
                properties,
            )
            .await?;
        let confirmation = confirming.await?;
        // Any other channel closes. After a full queue has rejected a message, RabbitMQ rejects all messages of that
        // channel until the queue shrinks, even if its limit is raised. After a dropped future, a confirm may still arrive.
        if confirmation.is_ack() {
            self.idle.lock().push(channel);
        }
        Ok(confirmation)
    }
}
