//! Which broker is asked, and what its errors mean for whoever asked.

use std::path::PathBuf;

use messaging::{ConnectionError, Settings};
use secrecy::ExposeSecret;
use tonic::transport::Uri;

use crate::{config::Config, error::Error, output::one_line};

/// The broker of the configuration.
#[derive(Clone)]
pub(crate) struct Broker {
    settings: Settings,
    address: String,
    path: PathBuf,
}

impl Broker {
    /// As the file has it.
    pub(crate) fn of(config: &Config) -> Result<Self, Error> {
        let path = config.path.clone();
        let Some(url) = &config.amqp else { return Err(Error::NoBroker { path }) };
        Ok(Self { settings: Settings::new(url.clone()), address: address(url.expose_secret()), path })
    }

    /// How it is reached.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What it means that no connection came about.
    pub(crate) fn cannot_open(&self, error: &ConnectionError) -> Error {
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

    /// What it means that a connection failed.
    pub(crate) fn failed(&self, error: &ConnectionError) -> Error {
        if error.is_refusal() { self.refused(error) } else { Error::BrokerFailed(said(error)) }
    }

    fn refused(&self, error: &ConnectionError) -> Error {
        let Self { address, path, .. } = self.clone();
        Error::BrokerRefused { address, cause: said(error), path }
    }
}

/// What the broker said, which may repeat the user's name and never the password.
pub(crate) fn said(error: &impl ToString) -> String {
    one_line(&error.to_string())
}

/// `host:port` of an AMQP address, without what is secret in it.
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
