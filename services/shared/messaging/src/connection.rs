//! One connection to the broker.

use std::time::Duration;

use lapin::{Connection, ConnectionProperties, uri::AMQPUri};
use secrecy::ExposeSecret;
use tokio::time::timeout;

use crate::{
    declare::{self, DeclareError},
    settings::Settings,
};

/// How long the broker may take to let us in.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Seconds after which a silent peer counts as gone; the broker's own default is a minute.
const HEARTBEAT: u16 = 10;

/// Why there is no connection, or no longer one.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The address is not an AMQP address.
    #[error("not an AMQP address: {0}")]
    Address(String),
    /// The broker did not answer in time.
    #[error("the broker did not answer within {CONNECT_TIMEOUT:?}")]
    Timeout,
    /// The broker, or what is between, ended it.
    #[error("the connection to the broker broke: {0}")]
    Broken(#[from] lapin::Error),
    /// Connected, but the queues are not as they should be.
    #[error(transparent)]
    Topology(#[from] DeclareError),
    /// Confirms did not come, so nothing can be said of what was published.
    #[error("the broker did not confirm in time")]
    Stalled,
    /// The broker ended the subscription, as when its queue is deleted.
    #[error("the broker ended the subscription")]
    Cancelled,
    /// A handled message could be settled nowhere.
    #[error("a message could not be settled: {0}")]
    Unsettled(#[from] crate::publisher::PublishError),
}

/// Connects and makes sure of the topology. `name` is what the broker's own tools show.
pub(crate) async fn connect(settings: &Settings, name: &str) -> Result<Connection, ConnectionError> {
    let mut uri: AMQPUri = settings.url.expose_secret().parse().map_err(ConnectionError::Address)?;
    uri.query.heartbeat.get_or_insert(HEARTBEAT);
    let properties = ConnectionProperties::default().with_connection_name(name.into());
    let connecting = async {
        let connection = Connection::connect_uri(uri, properties).await?;
        declare::ensure(&connection, settings.topology).await?;
        Ok(connection)
    };
    timeout(CONNECT_TIMEOUT, connecting).await.map_err(|_| ConnectionError::Timeout)?
}
