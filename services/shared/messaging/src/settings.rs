//! Settings of the broker connection.

use std::time::Duration;

use lapin::uri::AMQPUri;
use runtime::config::{Invalid, Vars};
use secrecy::{ExposeSecret, SecretString};

use crate::topology::Subscription;

/// The broker's address and timing.
#[derive(Clone)]
pub struct Settings {
    /// `amqp://user:password@host:port/vhost`, or `amqps://`.
    pub url: SecretString,
    /// The service's subscription, whose queues must exist.
    pub subscription: Option<Subscription>,
    /// Time limit of a publish, including the confirm.
    pub publish_timeout: Duration,
    /// Waits before retries after [`Verdict::Retry`](crate::Verdict::Retry). After the last retry the event becomes a
    /// dead letter.
    pub retry_waits: [Duration; 3],
    /// Interval between checks that detect deleted queues and bindings.
    pub topology_interval: Duration,
}

impl Settings {
    /// Within the time lead-intake allows the broker before it uses the fallback path.
    pub const PUBLISH_TIMEOUT: Duration = Duration::from_secs(2);

    /// Leads have a fallback path meanwhile, and the interval is short compared to manual detection.
    pub const TOPOLOGY_INTERVAL: Duration = Duration::from_secs(30);

    /// Long enough for a deadlock or a short overload to pass. The event stays unacknowledged meanwhile.
    pub const RETRY_WAITS: [Duration; 3] =
        [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

    /// Default settings of a service with this subscription, for the broker at `url`.
    #[must_use]
    pub fn new(url: SecretString, subscription: Option<Subscription>) -> Self {
        Self {
            url,
            subscription,
            publish_timeout: Self::PUBLISH_TIMEOUT,
            retry_waits: Self::RETRY_WAITS,
            topology_interval: Self::TOPOLOGY_INTERVAL,
        }
    }

    /// Reads `AMQP_URL` for a service with this subscription.
    ///
    /// # Errors
    /// [`Invalid`] when it is missing or wrong.
    pub fn read(vars: &mut Vars<'_>, subscription: Option<Subscription>) -> Result<Self, Invalid> {
        let url =
            vars.secret("AMQP_URL", "Broker address, amqp://USER:PASSWORD@HOST:PORT/VHOST or amqps://.")?;
        if let Err(error) = url.expose_secret().parse::<AMQPUri>() {
            return vars.reject(format!("AMQP_URL: {error}"));
        }
        Ok(Self::new(url, subscription))
    }
}
