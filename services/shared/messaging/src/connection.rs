//! Connections to the broker, and their settings.

use std::{
    io, net,
    ops::Deref,
    os::fd::AsFd,
    sync::{Arc, OnceLock},
    time::Duration,
};

use futures_util::StreamExt;
use lapin::{
    AsyncTcpStream, Connection, ConnectionProperties, ExchangeKind,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    tcp::TLSConfig,
    types::FieldTable,
    uri::{AMQPScheme, AMQPUri},
};
use runtime::{admin::Readiness, config::SECRETS};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::timeout;

use crate::{
    error::ConnectionError,
    topology::{EXCHANGE, Subscription},
};

pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Heartbeat interval in seconds. The broker's default is 60.
const HEARTBEAT: u16 = 10;

/// Maximum frame size in bytes. lapin buffers 64 frames per connection: 8 MiB with RabbitMQ's default of 128 KiB. Larger
/// messages are split into several frames.
const FRAME_MAX: u32 = 16 * 1024;

#[derive(Clone, clap::Args)]
#[group(skip)]
pub struct Settings {
    /// Broker address, amqp://USER:PASSWORD@HOST:PORT/VHOST or amqps://
    #[arg(long, env, help_heading = SECRETS, value_parser = parse_url)]
    pub amqp_url: SecretString,
    /// Time limit of a publish, including the confirm.
    #[arg(skip = Self::PUBLISH_TIMEOUT)]
    pub publish_timeout: Duration,
    /// Waits before retries after [`Verdict::Retry`](crate::Verdict::Retry). After the last retry the event becomes a
    /// dead letter.
    #[arg(skip = Self::RETRY_WAITS)]
    pub retry_waits: [Duration; 3],
    /// Interval between checks that detect deleted bindings.
    #[arg(skip = Self::TOPOLOGY_INTERVAL)]
    pub topology_interval: Duration,
}

impl Settings {
    /// lead-intake then uses the fallback path, and still responds within five seconds.
    pub const PUBLISH_TIMEOUT: Duration = Duration::from_secs(2);

    /// Until then, notifier emails leads from the CRM.
    pub const TOPOLOGY_INTERVAL: Duration = Duration::from_secs(30);

    /// Long enough for a deadlock or a short overload to end. Meanwhile the event stays unacknowledged.
    pub const RETRY_WAITS: [Duration; 3] = [
        Duration::from_secs(1),
        Duration::from_secs(2),
        Duration::from_secs(4),
    ];

    pub fn new(amqp_url: SecretString) -> Self {
        Self {
            amqp_url,
            publish_timeout: Self::PUBLISH_TIMEOUT,
            retry_waits: Self::RETRY_WAITS,
            topology_interval: Self::TOPOLOGY_INTERVAL,
        }
    }
}

fn parse_url(text: &str) -> Result<SecretString, String> {
    text.parse::<AMQPUri>()?;
    Ok(text.into())
}

/// A connection that closes its socket when dropped. Without this, lapin would wait forever for a silent or blocked broker,
/// with a thread for each connection.
pub(crate) struct BrokerConnection {
    connection: Connection,
    _socket: Arc<OnceLock<Socket>>,
}

impl Deref for BrokerConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

struct Socket(net::TcpStream);

impl Drop for Socket {
    fn drop(&mut self) {
        // Fails only if the socket is already closed.
        let _ = self.0.shutdown(net::Shutdown::Both);
    }
}

/// Connects and checks the topology. The broker's management tools show `name`.
pub(crate) async fn connect(
    settings: &Settings,
    name: &str,
    subscription: Option<&Subscription>,
) -> Result<BrokerConnection, ConnectionError> {
    let connection = connect_unchecked(settings, name).await?;
    check_topology(&connection, subscription).await?;
    Ok(connection)
}

/// Checks that the exchange and the subscription's queues exist. Binds the work queue again, because AMQP cannot check a
/// binding.
pub(crate) async fn check_topology(
    connection: &Connection,
    subscription: Option<&Subscription>,
) -> Result<(), ConnectionError> {
    let failed = |name: &str| {
        let name = name.to_owned();
        move |source| ConnectionError::Topology { name, source }
    };
    let checking = async {
        let channel = connection
            .create_channel()
            .await
            .map_err(failed("a channel"))?;
        let options = ExchangeDeclareOptions {
            passive: true,
            ..Default::default()
        };
        let exchange = channel
            .exchange_declare(
                EXCHANGE.into(),
                ExchangeKind::Topic,
                options,
                FieldTable::default(),
            )
            .await;
        exchange.map_err(failed("exchange leads"))?;
        if let Some(subscription) = subscription {
            for queue in [subscription.queue, subscription.dead_letter_queue] {
                let options = QueueDeclareOptions {
                    passive: true,
                    ..Default::default()
                };
                let declared = channel
                    .queue_declare(queue.into(), options, FieldTable::default())
                    .await;
                declared.map_err(failed(&format!("queue {queue}")))?;
            }
            for route in subscription.routes {
                let key = route.key();
                let options = QueueBindOptions::default();
                let bound = channel
                    .queue_bind(
                        subscription.queue.into(),
                        EXCHANGE.into(),
                        key.into(),
                        options,
                        FieldTable::default(),
                    )
                    .await;
                bound.map_err(failed(&format!("binding {key}")))?;
            }
        }
        channel
            .close(200, "done".into())
            .await
            .map_err(failed("a channel"))
    };
    timeout(CONNECT_TIMEOUT, checking)
        .await
        .map_err(|_| ConnectionError::Timeout(CONNECT_TIMEOUT))?
}

pub(crate) async fn connect_unchecked(
    settings: &Settings,
    name: &str,
) -> Result<BrokerConnection, ConnectionError> {
    let mut uri: AMQPUri = settings
        .amqp_url
        .expose_secret()
        .parse()
        .map_err(ConnectionError::Address)?;
    uri.query.heartbeat.get_or_insert(HEARTBEAT);
    uri.query.frame_max.get_or_insert(FRAME_MAX);
    let properties = ConnectionProperties::default().with_connection_name(name.into());
    let socket = Arc::new(OnceLock::new());
    let slot = Arc::downgrade(&socket);
    let connecting = Connection::connector(
        uri,
        lapin::runtime::default_runtime()?,
        async move |uri, runtime| {
            let address = runtime.to_socket_addrs((uri.authority.host.clone(), uri.authority.port));
            let stream = timeout(CONNECT_TIMEOUT, AsyncTcpStream::connect(&runtime, address))
                .await
                .map_err(io::Error::from)??;
            // The slot no longer exists after the caller's timeout.
            let slot = slot
                .upgrade()
                .ok_or_else(|| io::Error::from(io::ErrorKind::ConnectionAborted))?;
            if let AsyncTcpStream::Plain(plain) = &stream {
                let handle = plain.get_ref().as_fd().try_clone_to_owned()?;
                slot.get_or_init(|| Socket(handle.into()));
            }
            match uri.scheme {
                AMQPScheme::AMQP => Ok(stream),
                AMQPScheme::AMQPS => Ok(stream
                    .into_tls(&uri.authority.host, TLSConfig::default())
                    .await?),
            }
        },
        properties,
    );
    let connected = timeout(CONNECT_TIMEOUT, connecting).await;
    let connection = connected.map_err(|_| ConnectionError::Timeout(CONNECT_TIMEOUT))??;
    Ok(BrokerConnection {
        connection,
        _socket: socket,
    })
}

/// Reports on `/readyz` whether the broker accepts our login. Ignores errors other than a refusal.
pub(crate) fn record_login(readiness: &Readiness, error: Option<&ConnectionError>) {
    const REJECTION: &str =
        "the broker rejects the user, the password or the virtual host in AMQP_URL";
    if error.is_none_or(ConnectionError::is_refusal) {
        readiness.record_credential(REJECTION, error.is_none());
    }
}

/// Waits until a connection breaks. A connection must have one listener only, because lapin delivers each event to one.
pub(crate) async fn wait_until_broken(connection: &Connection) -> ConnectionError {
    let mut events = connection.events_listener();
    while let Some(event) = events.next().await {
        // A channel error affects only the user of that channel.
        if let lapin::Event::Error(error) = event
            && !error.is_amqp_soft_error()
        {
            return error.into();
        }
    }
    ConnectionError::Stalled
}
