//! Reads, replays and discards dead letters.

use std::{collections::HashSet, path::PathBuf};

use clap::ValueEnum;
use messaging::{
    ConnectionError, Settings,
    dead_letters::{DeadLetter, DeadLetters, DeadLettersError, Selection},
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};

use secrecy::ExposeSecret;
use tonic::transport::Uri;

use super::message::Message;
use crate::{config::Config, error::Error, terminal::single_line};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Service {
    /// Leads that could not be decoded or dealt with.
    Notifier,
    /// Leads and delivery reports that could not be decoded or stored
    CrmSync,
}

pub(crate) struct DeadLetterQueue {
    subscription: Subscription,
    letters: DeadLetters,
    broker: Broker,
}

/// Opens the queue of one service, or of all.
pub(crate) async fn open(config: &Config, only: Option<Service>) -> Result<Vec<DeadLetterQueue>, Error> {
    let broker = Broker::of(config)?;
    let mut queues = Vec::new();
    for service in Service::value_variants().iter().filter(|it| only.is_none_or(|only| only == **it)) {
        let subscription = match service {
            Service::Notifier => NOTIFIER,
            Service::CrmSync => CRM_SYNC,
        };
        let letters = DeadLetters::connect(broker.settings.clone(), subscription).await;
        let letters = letters.map_err(|error| broker.cannot_open(&error))?;
        queues.push(DeadLetterQueue { subscription, letters, broker: broker.clone() });
    }
    Ok(queues)
}

/// The messages of all queues in turn, each oldest first.
pub(crate) async fn list(queues: &[DeadLetterQueue]) -> Result<Vec<Message>, Error> {
    let mut all = Vec::new();
    for queue in queues {
        all.extend(queue.messages(queue.letters.list().await)?);
    }
    Ok(all)
}

impl DeadLetterQueue {
    /// Gives those of the messages that are in this queue back to the service. Returns them.
    pub(crate) async fn replay(&self, messages: &[Message]) -> Result<Vec<Message>, Error> {
        let Some(selection) = self.select(messages) else { return Ok(Vec::new()) };
        self.messages(self.letters.replay(&selection).await)
    }

    /// Deletes those of the messages that are in this queue. Returns them.
    pub(crate) async fn discard(&self, messages: &[Message]) -> Result<Vec<Message>, Error> {
        let Some(selection) = self.select(messages) else { return Ok(Vec::new()) };
        self.messages(self.letters.discard(&selection).await)
    }

    fn select(&self, messages: &[Message]) -> Option<Selection> {
        let ours = messages.iter().filter(|message| message.queue == self.subscription.service);
        let fingerprints: HashSet<_> = ours.map(|message| message.fingerprint).collect();
        (!fingerprints.is_empty()).then_some(Selection::These(fingerprints))
    }

    fn messages(&self, letters: Result<Vec<DeadLetter>, DeadLettersError>) -> Result<Vec<Message>, Error> {
        match letters {
            Ok(letters) => Ok(letters.into_iter().map(|it| Message::new(self.subscription, it)).collect()),
            Err(DeadLettersError::Connection(error)) => Err(self.broker.failed(&error)),
            Err(error @ DeadLettersError::Interrupted { .. }) => Err(Error::BrokerFailed(said(&error))),
        }
    }
}

/// The configured broker, for errors.
#[derive(Clone)]
struct Broker {
    settings: Settings,
    address: String,
    path: PathBuf,
}

impl Broker {
    fn of(config: &Config) -> Result<Self, Error> {
        let path = config.path.clone();
        let Some(url) = &config.amqp else { return Err(Error::NoBroker { path }) };
        Ok(Self { settings: Settings::new(url.clone()), address: address(url.expose_secret()), path })
    }

    /// The error for a connection that could not be opened.
    fn cannot_open(&self, error: &ConnectionError) -> Error {
        let Self { address, path, .. } = self.clone();
        match error {
            ConnectionError::Address(_) => Error::BrokerAddress { path },
            ConnectionError::Broken(_) if error.is_refusal() => self.refused(error),
            ConnectionError::Timeout(_)
            | ConnectionError::Broken(_)
            | ConnectionError::Topology(_)
            | ConnectionError::Stalled
            | ConnectionError::Cancelled => {
                Error::Away { service: "the broker", address, cause: said(error), path }
            }
        }
    }

    /// The error for a connection that broke.
    fn failed(&self, error: &ConnectionError) -> Error {
        if error.is_refusal() { self.refused(error) } else { Error::BrokerFailed(said(error)) }
    }

    fn refused(&self, error: &ConnectionError) -> Error {
        let Self { address, path, .. } = self.clone();
        Error::BrokerRefused { address, cause: said(error), path }
    }
}

/// The broker's errors may contain the user's name, never the password.
fn said(error: &impl ToString) -> String {
    single_line(&error.to_string())
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
