//! Connection settings of the mail server.

use std::{fmt, str::FromStr, time::Duration};

use secrecy::SecretString;

/// Upper bound of [`Settings::connect_timeout`].
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

pub struct Settings {
    /// Host name or IP address.
    pub host: String,
    pub port: u16,
    /// The name in EHLO. Receiving servers compare it with the sender's address and the reverse DNS.
    pub hello: String,
    pub tls: TlsMode,
    /// `None`: no login.
    pub login: Option<Login>,
    /// Time limit for one mail, from connecting to the last reply; servers that scan mail are slow to reply.
    pub timeout: Duration,
    /// False for a mail catcher, which shows mails to whoever looks.
    pub delivers: bool,
}

pub struct Login {
    pub username: String,
    pub password: SecretString,
}

impl Settings {
    /// The lifetime of a claim: longer than the longest mail, so that no other notifier sends the same mail meanwhile.
    #[must_use]
    pub fn claim(&self) -> Duration {
        self.timeout * 5 / 4
    }

    /// Limit for connecting, including encryption and login.
    pub(super) fn connect_timeout(&self) -> Duration {
        (self.timeout / 2).min(CONNECT_TIMEOUT)
    }
}

/// How the connection is encrypted, without fallback to another mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsMode {
    None,
    /// STARTTLS, before any other command.
    Starttls,
    /// From the first byte.
    Implicit,
}

impl TlsMode {
    #[must_use]
    pub fn usual_port(self) -> u16 {
        match self {
            Self::None => 25,
            Self::Starttls => 587,
            Self::Implicit => 465,
        }
    }
}

impl FromStr for TlsMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self::None),
            "starttls" => Ok(Self::Starttls),
            "implicit" => Ok(Self::Implicit),
            _ => Err("must be `none`, `starttls` or `implicit`".to_owned()),
        }
    }
}

impl fmt::Display for TlsMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Starttls => "starttls",
            Self::Implicit => "implicit",
        })
    }
}
