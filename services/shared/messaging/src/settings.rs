//! Settings of the broker connection.

use std::{str::FromStr, time::Duration};

use lapin::uri::AMQPUri;
use runtime::config::{Invalid, Vars};
use secrecy::{ExposeSecret, SecretString};

use crate::topology::Subscription;

/// The broker's address, topology mode and timing.
#[derive(Clone)]
pub struct Settings {
    /// `amqp://user:password@host:port/vhost`, or `amqps://`.
    pub url: SecretString,
    /// Whether the topology is declared or only checked.
    pub topology: TopologyMode,
    /// The service's subscription: with [`TopologyMode::Check`], only its queues are checked.
    pub subscription: Option<Subscription>,
    /// Time limit of a publish, including the confirm.
    pub publish_timeout: Duration,
    /// Waits before retries after [`Verdict::Retry`](crate::Verdict::Retry). After the last retry the event becomes a
    /// dead letter.
    pub retry_waits: [Duration; 3],
    /// Interval between repeated declarations or checks, which detect deleted queues and bindings.
    pub topology_interval: Duration,
}

/// Whether a service declares the topology or only checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyMode {
    /// Declare exchange, queues and bindings.
    Declare,
    /// Check the exchange and the service's own queues; for users without permission to declare.
    Check,
}

impl FromStr for TopologyMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "declare" => Ok(Self::Declare),
            "check" => Ok(Self::Check),
            _ => Err("must be `declare` or `check`".to_owned()),
        }
    }
}

impl Settings {
    /// Within the time lead-intake allows the broker before it uses the fallback path.
    pub const PUBLISH_TIMEOUT: Duration = Duration::from_secs(2);

    /// Leads have a fallback path meanwhile, and the interval is short compared to manual detection.
    pub const TOPOLOGY_INTERVAL: Duration = Duration::from_secs(30);

    /// Long enough for a deadlock or a short overload to pass. The event stays unacknowledged meanwhile.
    pub const RETRY_WAITS: [Duration; 3] =
        [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

    /// Default settings for the broker at `url`, declaring the topology.
    #[must_use]
    pub fn new(url: SecretString) -> Self {
        Self {
            url,
            topology: TopologyMode::Declare,
            subscription: None,
            publish_timeout: Self::PUBLISH_TIMEOUT,
            retry_waits: Self::RETRY_WAITS,
            topology_interval: Self::TOPOLOGY_INTERVAL,
        }
    }

    /// Default settings for the broker at `url`, checking the topology of `subscription`.
    #[must_use]
    pub fn checking(url: SecretString, subscription: Option<Subscription>) -> Self {
        Self { topology: TopologyMode::Check, subscription, ..Self::new(url) }
    }

    /// Reads `AMQP_URL` and `AMQP_TOPOLOGY` for a service with this subscription.
    ///
    /// # Errors
    /// [`Invalid`] when one is missing or wrong.
    pub fn read(vars: &mut Vars<'_>, subscription: Option<Subscription>) -> Result<Self, Invalid> {
        let url =
            vars.secret("AMQP_URL", "Broker address, amqp://USER:PASSWORD@HOST:PORT/VHOST or amqps://.");
        let topology = vars.or(
            "AMQP_TOPOLOGY",
            "declare",
            "Whether to declare the queues at start (declare) or only check that they exist (check).",
        );
        let url = url?;
        if let Err(error) = url.expose_secret().parse::<AMQPUri>() {
            return vars.reject(format!("AMQP_URL: {error}"));
        }
        Ok(Self { topology: topology?, subscription, ..Self::new(url) })
    }
}
