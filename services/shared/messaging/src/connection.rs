//! One connection to the broker.

use std::time::Duration;

use lapin::{Connection, ConnectionProperties, uri::AMQPUri};
use secrecy::ExposeSecret;
use tokio::time::timeout;

use crate::{declare, error::ConnectionError, settings::Settings};

/// How long the broker may take to let us in.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Seconds after which a silent peer counts as gone; the broker's own default is a minute.
const HEARTBEAT: u16 = 10;

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
    timeout(CONNECT_TIMEOUT, connecting).await.map_err(|_| ConnectionError::Timeout(CONNECT_TIMEOUT))?
}
