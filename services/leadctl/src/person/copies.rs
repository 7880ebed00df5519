//! What lies in the broker's queues of one person.

use std::collections::{BTreeMap, BTreeSet};

use messaging::{
    Event,
    copies::{Copy, HeldCopies},
};
use uuid::Uuid;

use super::Person;
use crate::{broker::Broker, config::Config, error::Error};

/// Everything that lies in queues, in hand.
pub(super) struct Held {
    copies: HeldCopies,
    broker: Broker,
}

/// What lies in queues of one person.
#[derive(Default)]
pub(crate) struct Lying {
    /// How many messages, by queue.
    pub(crate) messages: BTreeMap<String, usize>,
    /// The leads they say they are.
    pub(crate) leads: BTreeSet<Uuid>,
    /// How many messages of whomever cannot be read.
    pub(crate) unreadable: usize,
}

/// Takes what lies in the queues.
pub(super) async fn hold(config: &Config) -> Result<Held, Error> {
    let broker = Broker::of(config)?;
    let copies = HeldCopies::take(broker.settings()).await;
    let copies = copies.map_err(|error| broker.cannot_open(&error))?;
    Ok(Held { copies, broker })
}

impl Held {
    /// What is there of a person, and of leads that are known to be theirs.
    pub(super) fn of(&self, person: &Person, known: &BTreeSet<Uuid>) -> Lying {
        let own = self.copies.iter().filter_map(submitted).filter(|lead| person.sent(lead));
        let leads: BTreeSet<_> =
            own.filter_map(|lead| lead.lead_id.parse().ok()).chain(known.iter().copied()).collect();
        let mut lying = Lying::default();
        for copy in self.copies.iter() {
            if is_about(copy, person, &leads) {
                *lying.messages.entry(copy.queue.clone()).or_default() += 1;
            } else if copy.event.is_none() {
                lying.unreadable += 1;
            }
        }
        lying.leads = leads;
        lying
    }

    /// Drops what is a person's or about one of these leads, and lets the rest go; returns how many were dropped.
    pub(super) async fn drop_those_of(self, person: &Person, leads: &BTreeSet<Uuid>) -> Result<usize, Error> {
        let dropped = self.copies.drop_those(|copy| is_about(copy, person, leads)).await;
        dropped.map_err(|error| self.broker.failed(&error))
    }

    /// Lets all go.
    pub(super) async fn release(self) -> Result<(), Error> {
        self.copies.release().await.map_err(|error| self.broker.failed(&error))
    }
}

fn submitted(copy: &Copy) -> Option<&contracts::leads::v1::LeadSubmitted> {
    match copy.event.as_ref()? {
        Event::LeadSubmitted(lead) => Some(lead),
        Event::LeadNotified(_) => None,
    }
}

fn is_about(copy: &Copy, person: &Person, leads: &BTreeSet<Uuid>) -> bool {
    let is_one = |id: &str| id.parse().is_ok_and(|id| leads.contains(&id));
    is_one(copy.event.as_ref().map_or(copy.message_id.as_str(), Event::lead_id))
        || submitted(copy).is_some_and(|lead| person.sent(lead))
}
