//! Where the broker is and how to treat it.

use std::{str::FromStr, time::Duration};

use lapin::uri::AMQPUri;
use runtime::config::{Invalid, Vars};
use secrecy::{ExposeSecret, SecretString};

use crate::topology::Subscription;

/// How to reach the broker.
#[derive(Clone)]
pub struct Settings {
    /// `amqp://user:password@host:port/vhost`, or `amqps://`.
    pub url: SecretString,
    /// Whether queues are made or only looked for.
    pub topology: TopologyMode,
    /// What the service listens to: with [`TopologyMode::Check`], only these queues are looked for.
    pub subscription: Option<Subscription>,
    /// How long a publish may take, confirm included.
    pub publish_timeout: Duration,
    /// The waits before an event that got [`Verdict::Retry`](crate::Verdict::Retry) is handed over again; after the
    /// last try it becomes a dead letter.
    pub retry_waits: [Duration; 3],
    /// How often the topology is declared or checked again, for what was deleted meanwhile.
    pub topology_interval: Duration,
}

/// Whether a service makes the queues or only makes sure that they are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyMode {
    /// Declare exchange, queues and bindings.
    Declare,
    /// Check that the exchange and the service's own queues are there; for users who may not declare.
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
    /// Within what lead-intake allows the broker before it takes its fallback path.
    pub const PUBLISH_TIMEOUT: Duration = Duration::from_secs(2);

    /// Longer than matters to one lead, which has a fallback path, and shorter than a person needs to notice.
    pub const TOPOLOGY_INTERVAL: Duration = Duration::from_secs(30);

    /// Long enough for a deadlock or a short overload to pass. The event stays unacknowledged meanwhile.
    pub const RETRY_WAITS: [Duration; 3] =
        [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

    /// For the broker at `url`, declaring the topology.
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

    /// For the broker at `url`, as a user who may not declare: a service that listens to `subscription`.
    #[must_use]
    pub fn checking(url: SecretString, subscription: Option<Subscription>) -> Self {
        Self { topology: TopologyMode::Check, subscription, ..Self::new(url) }
    }

    /// Reads `AMQP_URL` and `AMQP_TOPOLOGY`, for a service that listens to `subscription`.
    ///
    /// # Errors
    /// [`Invalid`] when one is missing or wrong.
    pub fn read(vars: &mut Vars<'_>, subscription: Option<Subscription>) -> Result<Self, Invalid> {
        let url = vars.secret("AMQP_URL", "The broker, amqp://user:password@host:port/vhost or amqps://.");
        let topology = vars.or(
            "AMQP_TOPOLOGY",
            "declare",
            "declare the queues at start, or only check that they are there.",
        );
        let url = url?;
        if let Err(error) = url.expose_secret().parse::<AMQPUri>() {
            return vars.reject(format!("AMQP_URL: {error}"));
        }
        Ok(Self { topology: topology?, subscription, ..Self::new(url) })
    }
}
