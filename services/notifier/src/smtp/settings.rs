//! Which mail server, and how to treat it.

use std::{fmt, net::IpAddr, str::FromStr, time::Duration};

use secrecy::SecretString;

/// How long connecting may take at most.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How to reach the mail server.
pub struct Settings {
    /// Name or address.
    pub host: String,
    pub port: u16,
    /// How the connection is encrypted.
    pub tls: TlsMode,
    /// Who logs in, if anybody.
    pub login: Option<Login>,
    /// How long one mail may take, from connecting to the last reply. Servers that scan mail take their time for that.
    pub timeout: Duration,
}

/// A name and a password.
pub struct Login {
    pub username: String,
    pub password: SecretString,
}

impl Settings {
    /// How long a claim lasts: longer than the longest mail, so that no other notifier sends it meanwhile.
    #[must_use]
    pub fn claim(&self) -> Duration {
        self.timeout * 5 / 4
    }

    /// How long connecting may take, encryption and login included.
    pub(super) fn connect_timeout(&self) -> Duration {
        (self.timeout / 2).min(CONNECT_TIMEOUT)
    }
}

/// How the connection to the mail server is encrypted. There is no falling back from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsMode {
    None,
    /// By STARTTLS, before anything else is said.
    Starttls,
    /// From the first byte.
    Implicit,
}

impl TlsMode {
    /// The port where servers usually expect it.
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

/// Whether what is sent to this host stays on this machine, whatever its name servers say.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.8.8.8", "::1"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in
            ["", "mail.example", "10.0.0.1", "localhost.example", "0.0.0.0", "::", "127.0.0.1.example"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
