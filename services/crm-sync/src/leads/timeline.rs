//! Rows of `timeline`: events of a lead that no other table records.

use std::fmt;

use ::lead::{ClosingReason, LeadState, field::timestamp};
use contracts::{
    crm::v1::{self as crm, timeline_entry as entry},
    leads::v1::Reason,
};
use sea_orm::{ActiveValue::NotSet, DatabaseTransaction, Set, entity::prelude::*};

use super::progress::{self, Progress};
use crate::db::error::StoreError;

#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "timeline")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    pub lead_id: Uuid,
    pub at: DateTimeUtc,
    pub event: String,
    pub recipient: String,
    pub holder: String,
    pub until: Option<DateTimeUtc>,
    pub reason_class: String,
    pub reason_detail: String,
    pub action: String,
    pub why: String,
    pub client: String,
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

const CONFLICTING: &str = "conflicting";
const DEFERRED: &str = "deferred";
const FAILED: &str = "failed";
const CANCELLED: &str = "cancelled";
const LEASED: &str = "leased";
const RETRIED: &str = "retried";
const DISCARDED: &str = "discarded";
const PROGRESSED: &str = "progressed";
const PERSON_CHANGED: &str = "person_changed";
pub(crate) const NOTED: &str = "noted";
const CONTACT_ALLOWED: &str = "contact_allowed";
const CONTACT_FORBIDDEN: &str = "contact_forbidden";
const ERASURE_REQUESTED: &str = "erasure_requested";

/// A row to insert; the database sets `at`.
fn row(lead_id: Uuid, event: &str) -> ActiveModel {
    let empty = || Set(String::new());
    ActiveModel {
        number: NotSet,
        lead_id: Set(lead_id),
        at: NotSet,
        event: Set(event.to_owned()),
        recipient: empty(),
        holder: empty(),
        until: Set(None),
        reason_class: empty(),
        reason_detail: empty(),
        action: empty(),
        why: empty(),
        client: empty(),
    }
}

pub(crate) fn conflicting(lead_id: Uuid) -> ActiveModel {
    row(lead_id, CONFLICTING)
}

fn with_reason(lead_id: Uuid, event: &str, recipient: &str, reason: &Reason) -> ActiveModel {
    ActiveModel {
        recipient: Set(recipient.to_owned()),
        reason_class: Set(reason.class.clone()),
        reason_detail: Set(reason.detail.clone()),
        ..row(lead_id, event)
    }
}

pub(crate) fn deferred(lead_id: Uuid, recipient: &str, until: DateTimeUtc, reason: &Reason) -> ActiveModel {
    ActiveModel { until: Set(Some(until)), ..with_reason(lead_id, DEFERRED, recipient, reason) }
}

pub(crate) fn failed(lead_id: Uuid, recipient: &str, reason: &Reason) -> ActiveModel {
    with_reason(lead_id, FAILED, recipient, reason)
}

pub(crate) fn cancelled(lead_id: Uuid, recipient: &str, reason: &Reason) -> ActiveModel {
    with_reason(lead_id, CANCELLED, recipient, reason)
}

pub(crate) fn leased(lead_id: Uuid, holder: &str, until: DateTimeUtc) -> ActiveModel {
    ActiveModel { holder: Set(holder.to_owned()), until: Set(Some(until)), ..row(lead_id, LEASED) }
}

pub(crate) fn retried(lead_id: Uuid, recipient: &str, client: &str) -> ActiveModel {
    ActiveModel {
        recipient: Set(recipient.to_owned()),
        client: Set(client.to_owned()),
        ..row(lead_id, RETRIED)
    }
}

pub(crate) fn discarded(lead_id: Uuid, recipient: &str, client: &str, why: &str) -> ActiveModel {
    ActiveModel {
        event: Set(DISCARDED.to_owned()),
        why: Set(why.to_owned()),
        ..retried(lead_id, recipient, client)
    }
}

/// Stores the state in `action`, the owner in `holder`, the next step in `until` and the reason of closing in `why`.
pub(crate) fn progressed(lead_id: Uuid, progress: &Progress) -> ActiveModel {
    ActiveModel {
        action: Set(progress.state.id().to_owned()),
        holder: Set(progress.owner.clone()),
        until: Set(progress.next_step_at),
        why: Set(progress::stored(progress.closing_reason).to_owned()),
        client: Set(progress.changed_by.clone()),
        ..row(lead_id, PROGRESSED)
    }
}

/// Stores the text in `why`.
pub(crate) fn noted(lead_id: Uuid, text: &str, author: &str) -> ActiveModel {
    ActiveModel { why: Set(text.to_owned()), client: Set(author.to_owned()), ..row(lead_id, NOTED) }
}

pub(crate) fn contact_changed(lead_id: Uuid, allowed: bool, author: &str) -> ActiveModel {
    let event = if allowed { CONTACT_ALLOWED } else { CONTACT_FORBIDDEN };
    ActiveModel { client: Set(author.to_owned()), ..row(lead_id, event) }
}

pub(crate) fn erasure_requested(lead_id: Uuid) -> ActiveModel {
    row(lead_id, ERASURE_REQUESTED)
}

pub(crate) async fn has_erasure_request(
    transaction: &DatabaseTransaction,
    lead_id: Uuid,
) -> Result<bool, StoreError> {
    let requests =
        Entity::find().filter(Column::LeadId.eq(lead_id)).filter(Column::Event.eq(ERASURE_REQUESTED));
    Ok(requests.one(transaction).await?.is_some())
}

/// Stores the reference in `action`.
pub(crate) fn person_changed(lead_id: Uuid, reference: &str, client: &str) -> ActiveModel {
    ActiveModel {
        action: Set(reference.to_owned()),
        client: Set(client.to_owned()),
        ..row(lead_id, PERSON_CHANGED)
    }
}

fn state(action: &str) -> Result<LeadState, StoreError> {
    action.parse().map_err(|_| StoreError::Unreadable("timeline.action"))
}

impl Model {
    pub(crate) fn into_entry(self) -> Result<crm::TimelineEntry, StoreError> {
        let reason = Some(Reason { class: self.reason_class, detail: self.reason_detail });
        let until = self.until.map(timestamp);
        let event = match self.event.as_str() {
            CONFLICTING => entry::Event::Conflicting(entry::Conflicting {}),
            DEFERRED => entry::Event::Deferred(entry::Deferred { until, reason }),
            FAILED => entry::Event::Failed(entry::Failed { reason }),
            CANCELLED => entry::Event::Cancelled(entry::Cancelled { reason }),
            LEASED => entry::Event::Leased(entry::Leased { holder: self.holder, until }),
            RETRIED => entry::Event::Retried(entry::Retried { client: self.client }),
            DISCARDED => entry::Event::Discarded(entry::Discarded { reason: self.why, client: self.client }),
            PROGRESSED => entry::Event::Progressed(entry::Progressed {
                state: LeadState::number(Some(state(&self.action)?)),
                owner: self.holder,
                client: self.client,
                next_step_at: until,
                closing_reason: ClosingReason::number(progress::closing_reason(&self.why)?),
            }),
            NOTED => entry::Event::Noted(entry::Noted { text: self.why, client: self.client }),
            CONTACT_ALLOWED | CONTACT_FORBIDDEN => entry::Event::ContactChanged(entry::ContactChanged {
                allowed: self.event == CONTACT_ALLOWED,
                client: self.client,
            }),
            ERASURE_REQUESTED => entry::Event::ErasureRequested(entry::ErasureRequested {}),
            PERSON_CHANGED => entry::Event::PersonChanged(entry::PersonChanged {
                reference: self.action,
                client: self.client,
            }),
            _ => return Err(StoreError::Unreadable("timeline.event")),
        };
        Ok(crm::TimelineEntry { at: Some(timestamp(self.at)), recipient: self.recipient, event: Some(event) })
    }
}
