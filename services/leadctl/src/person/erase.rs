//! Forgetting a person: in the CRM, whose tombstones keep every later copy out, and in the queues.

use std::collections::BTreeSet;

use serde::Serialize;
use uuid::Uuid;

use super::{
    Person,
    copies::{self, Lying},
};
use crate::{client::Client, config::Config, confirm::confirm, error::Error, lead::FullLead, output::Output};

/// What there is of a person.
pub(crate) struct Found {
    pub(crate) leads: Vec<FullLead>,
    /// Nothing when the queues are left aside.
    pub(crate) lying: Option<Lying>,
}

/// What was erased.
#[derive(Serialize)]
pub(crate) struct Erased {
    /// All leads of the person that are erased, those of earlier runs that were found again among them.
    pub(crate) leads: BTreeSet<Uuid>,
    /// How many messages; nothing when the queues were left aside.
    pub(crate) messages: Option<usize>,
    /// How many messages of whomever lie in the queues that cannot be read.
    pub(crate) unreadable: usize,
}

/// Looks, asks, and erases.
pub(super) async fn run(
    person: &Person,
    yes: bool,
    without_queues: bool,
    config: &Config,
    output: &mut Output,
) -> Result<(), Error> {
    let mut client = Client::connect(config).await?;
    let leads = client.export_person(person).await?;
    let known = leads.iter().filter_map(|full| full.lead.submission.id.parse().ok()).collect();
    let lying = if without_queues { None } else { Some(look(person, &known, config).await?) };
    let found = Found { leads, lying };
    if found.is_empty() {
        return Err(Error::NobodyKnown);
    }
    output.found(&found)?;
    if !yes {
        confirm("Erase all of it, for good?")?;
    }
    let erased = if without_queues {
        let leads = client.erase_person(person, []).await?.into_iter().collect();
        Erased { leads, messages: None, unreadable: 0 }
    } else {
        erase(person, &known, &mut client, config).await?
    };
    output.erased(&erased)
}

/// What lies in queues is let go again before anybody is asked: nothing is to wait for an answer.
async fn look(person: &Person, known: &BTreeSet<Uuid>, config: &Config) -> Result<Lying, Error> {
    let look = async {
        let held = copies::hold(config).await?;
        let lying = held.of(person, known);
        held.release().await?;
        Ok(lying)
    };
    look.await.map_err(|cause: Error| Error::QueuesUnreachable { cause: Box::new(cause) })
}

/// Erases in the CRM while what lies in queues is in hand: none of it can come round in between, and none is dropped
/// that is not erased.
async fn erase(
    person: &Person,
    known: &BTreeSet<Uuid>,
    client: &mut Client,
    config: &Config,
) -> Result<Erased, Error> {
    let held = copies::hold(config).await;
    let held = held.map_err(|cause| Error::QueuesUnreachable { cause: Box::new(cause) })?;
    let lying = held.of(person, known);
    let mut leads: BTreeSet<_> =
        client.erase_person(person, lying.leads.iter().copied()).await?.into_iter().collect();
    let messages = held.drop_those_of(person, &leads).await;
    let messages = messages.map_err(|cause| Error::HalfErased { cause: Box::new(cause) })?;
    // What a service had in hand meanwhile has been stored since.
    leads.extend(client.erase_person(person, []).await?);
    Ok(Erased { leads, messages: Some(messages), unreadable: lying.unreadable })
}

impl Found {
    fn is_empty(&self) -> bool {
        self.leads.is_empty() && self.lying.as_ref().is_none_or(|lying| lying.messages.is_empty())
    }
}
