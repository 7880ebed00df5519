//! Settings of the broker connection.

use std::time::Duration;

use lapin::uri::AMQPUri;
use runtime::config::SECRETS;
use secrecy::SecretString;

/// The broker's address and timing.
#[derive(Clone, clap::Args)]
#[group(skip)]
pub struct Settings {
    /// Broker address, amqp://USER:PASSWORD@HOST:PORT/VHOST or amqps://
    #[arg(id = "amqp_url", long = "amqp-url", value_name = "AMQP_URL", help_heading = SECRETS)]
    #[arg(value_parser = parse_url)]
    pub url: SecretString,
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
    /// Within the time lead-intake allows the broker before it uses the fallback path.
    pub const PUBLISH_TIMEOUT: Duration = Duration::from_secs(2);

    /// notifier emails leads from the CRM meanwhile, and the interval is short compared to manual detection.
    pub const TOPOLOGY_INTERVAL: Duration = Duration::from_secs(30);

    /// Long enough for a deadlock or a short overload to pass. The event stays unacknowledged meanwhile.
    pub const RETRY_WAITS: [Duration; 3] =
        [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

    /// Default settings for the broker at `url`, `amqp://user:password@host:port/vhost` or `amqps://`.
    pub fn new(url: SecretString) -> Self {
        Self {
            url,
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
