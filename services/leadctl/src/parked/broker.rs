//! The broker's queues of parked messages.

use std::collections::HashSet;

use messaging::{
    parked::{Parked, ParkedError, ParkedMessage, Selection},
    topology::{CRM_SYNC, NOTIFIER, Subscription},
};

use super::message::Message;
use crate::{
    broker::{Broker, said},
    cli::Queue,
    config::Config,
    error::Error,
};

/// What one service parked.
pub(super) struct ParkedQueue {
    subscription: Subscription,
    parked: Parked,
    broker: Broker,
}

/// The queue of a service, or all there are.
pub(super) async fn open(config: &Config, queue: Option<Queue>) -> Result<Vec<ParkedQueue>, Error> {
    let broker = Broker::of(config)?;
    let mut queues = Vec::new();
    for (known, subscription) in [(Queue::Notifier, NOTIFIER), (Queue::CrmSync, CRM_SYNC)] {
        if queue.is_none_or(|wanted| wanted == known) {
            let parked = Parked::open(broker.settings().clone(), subscription).await;
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
            Err(ParkedError::Connection(error)) => Err(self.broker.failed(&error)),
            Err(error @ ParkedError::Interrupted { .. }) => Err(Error::BrokerFailed(said(&error))),
        }
    }
}
