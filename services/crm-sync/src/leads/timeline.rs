//! Stores events of a lead that no other table records.

use lead::Recipient;

use crate::{
    db::{
        Relation, Result,
        transaction::{Transaction, chunks},
    },
    deliveries::ledger::DeliveryEvent,
};

use contracts::crm::v1 as crm;
pub(crate) use contracts::crm::v1::timeline_entry::{self as entry, Event};
use lead::field::timestamp;
use sea_orm::{QueryOrder, Set, entity::prelude::*};
use serde_json::json;

/// sea-orm requires `Debug`, which omits addresses and typed texts.
#[derive(
    Clone, PartialEq, Eq, derive_more::Debug, DeriveEntityModel, DeriveActiveModelBehavior,
)]
#[debug("timeline {lead_id}")]
#[sea_orm(table_name = "timeline")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    pub lead_id: Uuid,
    pub at: DateTimeUtc,
    /// Empty unless the event is about one delivery.
    pub recipient: String,
    /// An [`Event`] as JSON.
    pub details: Json,
}

pub(crate) async fn add(tx: &Transaction, leads: &[Uuid], event: &Event) -> Result<()> {
    let entries: Vec<_> = leads.iter().map(|id| to_row(*id, "", event)).collect();
    insert(tx, entries).await
}

fn to_row(lead_id: Uuid, recipient: &str, event: &Event) -> ActiveModel {
    ActiveModel {
        lead_id: Set(lead_id),
        recipient: Set(recipient.to_owned()),
        details: Set(json!(event)),
        ..Default::default()
    }
}

/// Adds the events of deliveries, except of erasure notices, because an erased lead has no timeline.
pub(crate) async fn insert_delivery_events(
    tx: &Transaction,
    events: &[DeliveryEvent],
) -> Result<()> {
    let entries = events
        .iter()
        .filter(|it| !matches!(it.recipient, Recipient::ErasureNotice(_)))
        .map(|it| to_row(it.lead_id, &it.recipient.to_string(), &it.event));
    insert(tx, entries).await
}

async fn insert(tx: &Transaction, entries: impl IntoIterator<Item = ActiveModel>) -> Result<()> {
    let entries: Vec<ActiveModel> = entries.into_iter().collect();
    for entries in chunks(&entries) {
        Entity::insert_many(entries.iter().cloned())
            .exec_without_returning(&tx.db)
            .await?;
    }
    Ok(())
}

/// The events of these leads, of one page, oldest first. After a rollback, an event that only the newer version defines is `None`.
pub(crate) async fn find_by_leads(
    connection: &impl ConnectionTrait,
    leads: &[Uuid],
) -> Result<Vec<(Uuid, crm::TimelineEntry)>> {
    let select = Entity::find().filter(Column::LeadId.is_in(leads.iter().copied()));
    let rows = select
        .order_by_asc(Column::At)
        .order_by_asc(Column::Number)
        .all(connection)
        .await?;
    let to_message = |row: Model| {
        let entry = crm::TimelineEntry {
            at: Some(timestamp(row.at)),
            recipient: row.recipient,
            event: serde_json::from_value(row.details).ok(),
        };
        (row.lead_id, entry)
    };
    Ok(rows.into_iter().map(to_message).collect())
}

/// Whether a lead's timeline has this event at `since` or later.
pub(crate) async fn contains(
    tx: &Transaction,
    lead_id: Uuid,
    event: &Event,
    since: DateTimeUtc,
) -> Result<bool> {
    let rows = Entity::find()
        .filter(Column::LeadId.eq(lead_id))
        .filter(Column::At.gte(since));
    Ok(rows
        .all(&tx.db)
        .await?
        .iter()
        .any(|row| row.details == json!(event)))
}
