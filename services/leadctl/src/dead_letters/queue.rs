//! The dead-letter queue of a service.

use std::collections::HashSet;

use clap::ValueEnum;
use messaging::{
    dead_letters::{DeadLetter, DeadLetters, DeadLettersError, Selection},
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};

use super::{
    broker::{Broker, said},
    message::Message,
};
use crate::{config::Config, error::Error};

/// A service with a dead-letter queue.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Service {
    /// Leads that could not be decoded or dealt with.
    Notifier,
    /// Leads, and reports of mails, that could not be decoded or stored.
    CrmSync,
}

pub(crate) struct DeadLetterQueue {
    subscription: Subscription,
    letters: DeadLetters,
    broker: Broker,
}

/// Opens the queue of a service, or of each.
pub(crate) async fn open(config: &Config, only: Option<Service>) -> Result<Vec<DeadLetterQueue>, Error> {
    let broker = Broker::of(config)?;
    let mut queues = Vec::new();
    for service in Service::value_variants().iter().filter(|it| only.is_none_or(|only| only == **it)) {
        let subscription = match service {
            Service::Notifier => NOTIFIER,
            Service::CrmSync => CRM_SYNC,
        };
        let letters = DeadLetters::open(broker.settings.clone(), subscription).await;
        let letters = letters.map_err(|error| broker.cannot_open(&error))?;
        queues.push(DeadLetterQueue { subscription, letters, broker: broker.clone() });
    }
    Ok(queues)
}

/// The messages of all queues, queue by queue, each oldest first.
pub(crate) async fn list(queues: &[DeadLetterQueue]) -> Result<Vec<Message>, Error> {
    let mut all = Vec::new();
    for queue in queues {
        all.extend(queue.messages(queue.letters.list().await)?);
    }
    Ok(all)
}

impl DeadLetterQueue {
    /// Gives those messages that are of this queue back to the service, and returns them.
    pub(crate) async fn replay(&self, messages: &[Message]) -> Result<Vec<Message>, Error> {
        let Some(selection) = self.select(messages) else { return Ok(Vec::new()) };
        self.messages(self.letters.replay(&selection).await)
    }

    /// Deletes those messages that are of this queue, and returns them.
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
