//! Rows of `timeline`: events of a lead that no other table records.

use std::fmt;

use ::lead::{ClosingReason, LeadState, field::timestamp};
use contracts::{
    crm::v1::{self as crm, timeline_entry as entry},
    leads::v1::Reason,
};
use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};

use crate::db::prelude::*;

#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "timeline")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    pub lead_id: Uuid,
    pub at: DateTimeUtc,
    /// Empty unless the event is about one delivery.
    pub recipient: String,
    pub details: Event,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Required by sea-orm; omits addresses and typed texts.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("timeline").field("lead_id", &self.lead_id).finish_non_exhaustive()
    }
}

/// Stored as JSON, with its name as `event`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    Conflicting,
    Deferred {
        until: DateTimeUtc,
        #[serde(flatten)]
        reason: StoredReason,
    },
    Failed(StoredReason),
    Cancelled(StoredReason),
    Leased {
        holder: String,
        until: DateTimeUtc,
    },
    Retried {
        client: String,
    },
    Discarded {
        reason: String,
        client: String,
    },
    Progressed {
        state: LeadState,
        owner: String,
        client: String,
        next_step_at: Option<DateTimeUtc>,
        closing_reason: Option<ClosingReason>,
    },
    /// Another person has the lead. `reference` is a lead of that person; empty for a new one.
    PersonChanged {
        reference: String,
        client: String,
    },
    Noted {
        text: String,
        client: String,
    },
    ContactChanged {
        allowed: bool,
        client: String,
    },
    ErasureRequested,
}

/// Required by sea-orm; omits addresses and typed texts.
impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").finish_non_exhaustive()
    }
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredReason {
    class: String,
    detail: String,
}

impl From<&Reason> for StoredReason {
    fn from(reason: &Reason) -> Self {
        Self { class: reason.class.clone(), detail: reason.detail.clone() }
    }
}

impl From<StoredReason> for Option<Reason> {
    fn from(StoredReason { class, detail }: StoredReason) -> Self {
        Some(Reason { class, detail })
    }
}

pub(crate) fn lead_entry(lead_id: Uuid, event: Event) -> ActiveModel {
    delivery_entry(lead_id, "", event)
}

pub(crate) fn delivery_entry(lead_id: Uuid, recipient: &str, event: Event) -> ActiveModel {
    ActiveModel {
        lead_id: Set(lead_id),
        recipient: Set(recipient.to_owned()),
        details: Set(event),
        ..Default::default()
    }
}

pub(crate) async fn insert(tx: &Transaction, entries: impl IntoIterator<Item = ActiveModel>) -> Result<()> {
    Entity::insert_many(entries).exec_without_returning(&tx.db).await?;
    Ok(())
}

/// Inserts an event about each of these deliveries of one lead.
pub(crate) async fn insert_for(
    tx: &Transaction,
    lead_id: Uuid,
    recipients: &[&str],
    event: &Event,
) -> Result<()> {
    insert(tx, recipients.iter().map(|it| delivery_entry(lead_id, it, event.clone()))).await
}

/// The events of these leads, oldest first.
pub(crate) async fn find_by_leads(connection: &impl ConnectionTrait, leads: &[Uuid]) -> Result<Vec<Model>> {
    let select = Entity::find().filter(Column::LeadId.is_in(leads.iter().copied()));
    Ok(select.order_by_asc(Column::At).order_by_asc(Column::Number).all(connection).await?)
}

/// Whether a lead's timeline has this event at `since` or later.
pub(crate) async fn contains(
    tx: &Transaction,
    lead_id: Uuid,
    event: &Event,
    since: DateTimeUtc,
) -> Result<bool> {
    let rows = Entity::find().filter(Column::LeadId.eq(lead_id)).filter(Column::At.gte(since));
    Ok(rows.all(&tx.db).await?.iter().any(|row| row.details == *event))
}

impl From<Model> for crm::TimelineEntry {
    fn from(row: Model) -> Self {
        let event = match row.details {
            Event::Conflicting => entry::Event::Conflicting(entry::Conflicting {}),
            Event::Deferred { until, reason } => {
                let until = Some(timestamp(until));
                entry::Event::Deferred(entry::Deferred { until, reason: reason.into() })
            }
            Event::Failed(reason) => entry::Event::Failed(entry::Failed { reason: reason.into() }),
            Event::Cancelled(reason) => entry::Event::Cancelled(entry::Cancelled { reason: reason.into() }),
            Event::Leased { holder, until } => {
                entry::Event::Leased(entry::Leased { holder, until: Some(timestamp(until)) })
            }
            Event::Retried { client } => entry::Event::Retried(entry::Retried { client }),
            Event::Discarded { reason, client } => {
                entry::Event::Discarded(entry::Discarded { reason, client })
            }
            Event::Progressed { state, owner, client, next_step_at, closing_reason } => {
                entry::Event::Progressed(entry::Progressed {
                    state: LeadState::number(state),
                    owner,
                    client,
                    next_step_at: next_step_at.map(timestamp),
                    closing_reason: ClosingReason::number(closing_reason),
                })
            }
            Event::PersonChanged { reference, client } => {
                entry::Event::PersonChanged(entry::PersonChanged { reference, client })
            }
            Event::Noted { text, client } => entry::Event::Noted(entry::Noted { text, client }),
            Event::ContactChanged { allowed, client } => {
                entry::Event::ContactChanged(entry::ContactChanged { allowed, client })
            }
            Event::ErasureRequested => entry::Event::ErasureRequested(entry::ErasureRequested {}),
        };
        Self { at: Some(timestamp(row.at)), recipient: row.recipient, event: Some(event) }
    }
}
