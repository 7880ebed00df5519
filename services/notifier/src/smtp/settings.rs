//! Connection settings of the mail server.

use std::time::Duration;

use clap::{ValueEnum, builder::TypedValueParser, value_parser};
use runtime::config::SECRETS;
use secrecy::SecretString;

/// Upper bound of [`Settings::connect_timeout`].
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, clap::Args)]
#[group(skip)]
pub struct Settings {
    /// Host name of the mail server
    #[arg(long)]
    pub smtp_host: String,
    /// Port of the mail server; unset: 587 with starttls, 465 with implicit, 25 with none
    #[arg(long)]
    pub smtp_port: Option<u16>,
    /// Our name in EHLO; unset: the domain of MAIL_FROM
    // Receiving servers compare it with the sender's address and the reverse DNS.
    #[arg(long)]
    pub smtp_hello: Option<String>,
    /// Encryption of the connection, without fallback to another mode; none only for localhost
    #[arg(long, value_enum, default_value = "starttls")]
    pub smtp_tls: TlsMode,
    /// User name for the mail server; unset: no login
    #[arg(long, requires = "smtp_password")]
    pub smtp_username: Option<String>,
    /// Host name of the mail catcher, which shows emails without delivering them; the log and /readyz warn if it equals
    /// SMTP_HOST
    #[arg(long)]
    pub mail_catcher_host: Option<String>,
    /// Time limit in seconds for sending one email, until the server's last reply; a claim lasts a quarter longer
    // Servers that scan email are slow to reply.
    #[arg(id = "smtp_timeout_seconds", long = "smtp-timeout-seconds", value_name = "SMTP_TIMEOUT_SECONDS")]
    #[arg(default_value = "120", value_parser = value_parser!(u64).range(1..).map(Duration::from_secs))]
    pub timeout: Duration,
    /// Password for SMTP_USERNAME
    #[arg(long, help_heading = SECRETS, requires = "smtp_username")]
    pub smtp_password: Option<SecretString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TlsMode {
    None,
    /// STARTTLS, before any other command
    Starttls,
    /// From the first byte
    Implicit,
}

impl Settings {
    /// The lifetime of a claim: longer than the longest email, so that no other notifier sends the same email meanwhile.
    #[must_use]
    pub fn claim(&self) -> Duration {
        self.timeout * 5 / 4
    }

    /// False for a mail catcher, which shows emails to whoever looks.
    #[must_use]
    pub fn delivers(&self) -> bool {
        self.mail_catcher_host.as_ref() != Some(&self.smtp_host)
    }

    /// Limit for connecting, including encryption and login.
    pub(super) fn connect_timeout(&self) -> Duration {
        (self.timeout / 2).min(CONNECT_TIMEOUT)
    }

    pub(super) fn port(&self) -> u16 {
        self.smtp_port.unwrap_or(match self.smtp_tls {
            TlsMode::None => 25,
            TlsMode::Starttls => 587,
            TlsMode::Implicit => 465,
        })
    }
}
