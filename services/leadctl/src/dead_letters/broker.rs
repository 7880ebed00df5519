//! The broker's address, and its errors.

use std::path::PathBuf;

use messaging::{ConnectionError, Settings};
use secrecy::ExposeSecret;
use tonic::transport::Uri;

use crate::{config::Config, error::Error, terminal::one_line};

#[derive(Clone)]
pub(crate) struct Broker {
    pub(super) settings: Settings,
    address: String,
    path: PathBuf,
}

impl Broker {
    pub(super) fn of(config: &Config) -> Result<Self, Error> {
        let path = config.path.clone();
        let Some(url) = &config.amqp else { return Err(Error::NoBroker { path }) };
        Ok(Self { settings: Settings::new(url.clone()), address: address(url.expose_secret()), path })
    }

    /// The error for a connection that could not be opened.
    pub(super) fn cannot_open(&self, error: &ConnectionError) -> Error {
        let Self { address, path, .. } = self.clone();
        match error {
            ConnectionError::Address(_) => Error::BrokerAddress { path },
            ConnectionError::Broken(_) if error.is_refusal() => self.refused(error),
            ConnectionError::Timeout(_)
            | ConnectionError::Broken(_)
            | ConnectionError::Topology(_)
            | ConnectionError::Stalled
            | ConnectionError::Cancelled
            | ConnectionError::Unsettled(_) => Error::BrokerAway { address, cause: said(error), path },
        }
    }

    /// The error for a connection that broke.
    pub(super) fn failed(&self, error: &ConnectionError) -> Error {
        if error.is_refusal() { self.refused(error) } else { Error::BrokerFailed(said(error)) }
    }

    fn refused(&self, error: &ConnectionError) -> Error {
        let Self { address, path, .. } = self.clone();
        Error::BrokerRefused { address, cause: said(error), path }
    }
}

/// Errors of the broker may repeat the user's name, never the password.
pub(super) fn said(error: &impl ToString) -> String {
    one_line(&error.to_string())
}

/// `host:port` of an AMQP address, without the user and the password.
fn address(url: &str) -> String {
    let uri = url.parse::<Uri>().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or("the address of `amqp`");
    match uri.as_ref().and_then(Uri::port_u16) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_names_no_secret() {
        for (url, shown) in [
            ("amqp://operator:secret@rabbit:5672/%2f", "rabbit:5672"),
            ("amqps://operator:secret@10.0.0.1/%2f", "10.0.0.1"),
            ("amqp://operator:sec ret@rabbit", "the address of `amqp`"),
        ] {
            assert_eq!(address(url), shown);
        }
    }
}
