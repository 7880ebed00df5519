//! The broker's queues of parked messages.

use std::{collections::HashSet, path::PathBuf};

use messaging::{
    ConnectionError, Settings,
    parked::{Parked, ParkedError, ParkedMessage, Selection},
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};
use secrecy::ExposeSecret;
use tonic::transport::Uri;

use super::message::Message;
use crate::{cli::Queue, config::Config, error::Error, output::one_line};

/// What one service parked.
pub(super) struct ParkedQueue {
    subscription: Subscription,
    parked: Parked,
    broker: Broker,
}

/// Which broker is asked, and who says so: for errors.
#[derive(Clone)]
struct Broker {
    address: String,
    path: PathBuf,
}

/// The queue of a service, or all there are.
pub(super) async fn open(config: &Config, queue: Option<Queue>) -> Result<Vec<ParkedQueue>, Error> {
    let path = config.path.clone();
    let Some(url) = &config.amqp else { return Err(Error::NoBroker { path }) };
    let broker = Broker { address: address(url.expose_secret()), path };
    let mut queues = Vec::new();
    for (known, subscription) in [(Queue::Notifier, NOTIFIER), (Queue::CrmSync, CRM_SYNC)] {
        if queue.is_none_or(|wanted| wanted == known) {
            let parked = Parked::open(Settings::new(url.clone()), subscription).await;
            let parked = parked.map_err(|error| broker.cannot_open(&error))?;
            queues.push(ParkedQueue { subscription, parked, broker: broker.clone() });
        }
    }
    Ok(queues)
}

impl ParkedQueue {
    /// What is there, oldest first.
    pub(super) async fn list(&self) -> Result<Vec<Message>, Error> {
        self.messages(self.parked.list().await)
    }

    /// Puts exactly these back to work, those of other queues left aside, and returns them.
    pub(super) async fn replay(&self, messages: &[Message]) -> Result<Vec<Message>, Error> {
        let Some(selection) = self.these(messages) else { return Ok(Vec::new()) };
        self.messages(self.parked.replay(&selection).await)
    }

    /// Throws exactly these away, those of other queues left aside, and returns them.
    pub(super) async fn discard(&self, messages: &[Message]) -> Result<Vec<Message>, Error> {
        let Some(selection) = self.these(messages) else { return Ok(Vec::new()) };
        self.messages(self.parked.discard(&selection).await)
    }

    fn these(&self, messages: &[Message]) -> Option<Selection> {
        let ours = messages.iter().filter(|message| message.queue == self.subscription.service);
        let fingerprints: HashSet<_> = ours.map(|message| message.fingerprint).collect();
        (!fingerprints.is_empty()).then_some(Selection::These(fingerprints))
    }

    fn messages(&self, parked: Result<Vec<ParkedMessage>, ParkedError>) -> Result<Vec<Message>, Error> {
        match parked {
            Ok(parked) => Ok(parked.into_iter().map(|it| Message::new(self.subscription, it)).collect()),
            Err(ParkedError::Connection(error)) if error.is_refusal() => Err(self.broker.refused(&error)),
            Err(ParkedError::Connection(error)) => Err(Error::BrokerFailed(said(&error))),
            Err(error @ ParkedError::Interrupted { .. }) => Err(Error::BrokerFailed(said(&error))),
        }
    }
}

impl Broker {
    fn cannot_open(&self, error: &ConnectionError) -> Error {
        let Self { address, path } = self.clone();
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

    fn refused(&self, error: &ConnectionError) -> Error {
        let Self { address, path } = self.clone();
        Error::BrokerRefused { address, cause: said(error), path }
    }
}

/// What the broker said, which may repeat the user's name and never the password.
fn said(error: &impl ToString) -> String {
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
