//! Where the broker is and how to treat it.

use std::{str::FromStr, time::Duration};

use lapin::uri::AMQPUri;
use runtime::config::{Invalid, Vars};
use secrecy::{ExposeSecret, SecretString};

/// How to reach the broker.
#[derive(Clone)]
pub struct Settings {
    /// `amqp://user:password@host:port/vhost`, or `amqps://`.
    pub url: SecretString,
    /// Whether queues are made or only looked for.
    pub topology: TopologyMode,
    /// How long a publish may take, confirm included.
    pub publish_timeout: Duration,
}

/// Whether a service makes the queues or only makes sure that they are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyMode {
    /// Declare exchange, queues and bindings.
    Declare,
    /// Check that exchange and queues are there; for users who may not declare.
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
    /// Within what the design allows a broker before another road is taken.
    pub const PUBLISH_TIMEOUT: Duration = Duration::from_secs(2);

    /// For the broker at `url`, declaring the topology.
    #[must_use]
    pub fn new(url: SecretString) -> Self {
        Self { url, topology: TopologyMode::Declare, publish_timeout: Self::PUBLISH_TIMEOUT }
    }

    /// Reads `AMQP_URL` and `AMQP_TOPOLOGY`.
    ///
    /// # Errors
    /// [`Invalid`] when one is missing or wrong.
    pub fn read(vars: &mut Vars<'_>) -> Result<Self, Invalid> {
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
        Ok(Self { url, topology: topology?, publish_timeout: Self::PUBLISH_TIMEOUT })
    }
}
