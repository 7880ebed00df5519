//! Dead deliveries: mails that an operator has to decide about, as the CRM holds them.

use chrono::{DateTime, Utc};
use contracts::crm::v1::{self as crm, DeadFilter};
use lead::field::timestamp;
use prost_types::Timestamp;
use runtime::clock::Clock;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    cli::{DeliveriesCommand, Recipient, Selection},
    client::Client,
    config::Config,
    confirm::confirm,
    error::Error,
    lead::{Reason, rfc3339, time},
    output::{Output, counted, one_line},
    when::When,
};

/// One lead's mail to one recipient.
#[derive(Serialize)]
pub(crate) struct DeadDelivery {
    pub(crate) lead_id: String,
    /// Empty when the CRM does not hold the lead.
    pub(crate) reference: String,
    pub(crate) recipient: String,
    pub(crate) attempts: u32,
    pub(crate) reason: Reason,
    #[serde(serialize_with = "rfc3339")]
    pub(crate) since: DateTime<Utc>,
}

/// The oldest of some dead deliveries.
pub(crate) struct DeadList {
    pub(crate) deliveries: Vec<DeadDelivery>,
    /// How many there are in all.
    pub(crate) total: u64,
}

/// Carries a command out.
pub(crate) async fn run(
    command: DeliveriesCommand,
    config: &Config,
    clock: &impl Clock,
    output: &mut Output,
) -> Result<(), Error> {
    let mut client = Client::connect(config).await?;
    let begins = |when: When| timestamp(when.begins(clock.now(), config.time_zone));
    match command {
        DeliveriesCommand::List { lead, recipient, since } => {
            let lead_id = optional_id(&mut client, lead.as_deref()).await?;
            let filter = filter(lead_id, recipient, since.map(begins));
            output.dead(&client.list_dead(filter).await?)
        }
        DeliveriesCommand::Show { lead } => {
            let filter = DeadFilter { lead_id: id(&mut client, &lead).await?, ..DeadFilter::default() };
            let dead = client.list_dead(filter).await?.deliveries;
            if dead.is_empty() { Err(not_dead(&lead)) } else { output.dead_in_full(&dead) }
        }
        DeliveriesCommand::Replay { selection, recipient } => {
            let lead_id = optional_id(&mut client, selection.name()).await?;
            let filter = filter(lead_id, recipient, selection.since().map(begins));
            agree("Replay", &selection, &filter, &mut client).await?;
            let replayed = client.replay_dead(filter).await?;
            decided(replayed, "replayed", &selection, output)
        }
        DeliveriesCommand::Discard { selection, recipient, why } => {
            let lead_id = optional_id(&mut client, selection.name()).await?;
            let filter = filter(lead_id, recipient, selection.since().map(begins));
            agree("Discard", &selection, &filter, &mut client).await?;
            let discarded = client.discard_dead(filter, why).await?;
            decided(discarded, "discarded", &selection, output)
        }
    }
}

fn filter(lead_id: String, recipient: Recipient, since: Option<Timestamp>) -> DeadFilter {
    DeadFilter { lead_id, recipient: recipient.address.unwrap_or_default(), since }
}

async fn optional_id(client: &mut Client, typed: Option<&str>) -> Result<String, Error> {
    match typed {
        Some(typed) => id(client, typed).await,
        None => Ok(String::new()),
    }
}

/// The id of a lead, never empty: that would mean all leads. Only a reference is looked up, since of an id the CRM need
/// not hold the lead.
async fn id(client: &mut Client, typed: &str) -> Result<String, Error> {
    let id = match Uuid::try_parse(typed.trim()) {
        Ok(id) => id,
        Err(_) => client.get(typed).await?.lead.submission.id,
    };
    Ok(id.to_string())
}

async fn agree(
    what: &str,
    selection: &Selection,
    filter: &DeadFilter,
    client: &mut Client,
) -> Result<(), Error> {
    if !selection.is_to_be_confirmed() {
        return Ok(());
    }
    match client.list_dead(filter.clone()).await?.total {
        0 => Ok(()),
        total => confirm(&format!("{what} {}?", counted(total, "dead delivery", "dead deliveries"))).await,
    }
}

fn decided(count: u64, done: &str, selection: &Selection, output: &mut Output) -> Result<(), Error> {
    match selection.name() {
        Some(lead) if count == 0 => Err(not_dead(lead)),
        _ => output.decided(count, done),
    }
}

fn not_dead(lead: &str) -> Error {
    Error::NotDead(one_line(lead))
}

impl DeadList {
    /// What the CRM sent; fails on what it never should.
    pub(crate) fn from_wire(list: crm::ListDeadResponse) -> Result<Self, Error> {
        let deliveries =
            list.deliveries.into_iter().map(DeadDelivery::from_wire).collect::<Result<_, _>>()?;
        Ok(Self { deliveries, total: list.total })
    }
}

impl DeadDelivery {
    fn from_wire(dead: crm::DeadDelivery) -> Result<Self, Error> {
        Ok(Self {
            lead_id: dead.lead_id,
            reference: dead.reference,
            recipient: dead.recipient,
            attempts: dead.attempts,
            reason: Reason::from_wire(dead.reason),
            since: time(dead.since)?,
        })
    }
}
