//! The broker's dead-letter queues.

use std::collections::HashSet;

use messaging::{
    dead_letters::{DeadLetter, DeadLetters, DeadLettersError, Selection},
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};

use super::message::Message;
use crate::{
    broker::{Broker, said},
    cli::Queue,
    config::Config,
    error::Error,
};

/// The dead letters of one service.
pub(crate) struct DeadLetterQueue {
    subscription: Subscription,
    letters: DeadLetters,
    broker: Broker,
}

/// The queue of a service, or all there are.
pub(crate) async fn open(config: &Config, queue: Option<Queue>) -> Result<Vec<DeadLetterQueue>, Error> {
    let broker = Broker::of(config)?;
    let mut queues = Vec::new();
    for (known, subscription) in [(Queue::Notifier, NOTIFIER), (Queue::CrmSync, CRM_SYNC)] {
        if queue.is_none_or(|wanted| wanted == known) {
            let letters = DeadLetters::open(broker.settings().clone(), subscription).await;
            let letters = letters.map_err(|error| broker.cannot_open(&error))?;
            queues.push(DeadLetterQueue { subscription, letters, broker: broker.clone() });
        }
    }
    Ok(queues)
}

impl DeadLetterQueue {
    /// What is there, oldest first.
    pub(super) async fn list(&self) -> Result<Vec<Message>, Error> {
        self.messages(self.letters.list().await)
    }

    /// Gives exactly these back to the service, those of other queues left aside, and returns them.
    pub(crate) async fn replay(&self, messages: &[Message]) -> Result<Vec<Message>, Error> {
        let Some(selection) = self.these(messages) else { return Ok(Vec::new()) };
        self.messages(self.letters.replay(&selection).await)
    }

    /// Deletes exactly these, those of other queues left aside, and returns them.
    pub(crate) async fn discard(&self, messages: &[Message]) -> Result<Vec<Message>, Error> {
        let Some(selection) = self.these(messages) else { return Ok(Vec::new()) };
        self.messages(self.letters.discard(&selection).await)
    }

    fn these(&self, messages: &[Message]) -> Option<Selection> {
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
