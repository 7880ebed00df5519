//! Rows of `delivery`: one lead's mail to one recipient.

use std::fmt;

use sea_orm::{ActiveValue::NotSet, Set, entity::prelude::*};

use crate::{
    deliveries::{Delivered, State},
    store::{entity::by_tag, error::StoreError},
};

#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub lead_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub recipient: String,
    pub state: String,
    /// Who claimed it; empty unless held.
    pub holder: String,
    /// When the claim or the wait ends; null unless held or deferred.
    pub until: Option<DateTimeUtc>,
    pub attempts: i32,
    /// Why it is deferred, dead or settled.
    pub reason_class: String,
    pub reason_detail: String,
    /// When the state changed, by the database's clock.
    pub changed_at: DateTimeUtc,
    pub mail_message_id: String,
    pub server_reply: String,
    /// Null unless delivered.
    pub delivered_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// sea-orm asks for it; addresses stay out.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("delivery").field("lead_id", &self.lead_id).finish_non_exhaustive()
    }
}

/// A pending delivery to insert.
pub(crate) fn pending(lead_id: Uuid, recipient: &str) -> ActiveModel {
    let empty = || Set(String::new());
    ActiveModel {
        lead_id: Set(lead_id),
        recipient: Set(recipient.to_owned()),
        state: Set(State::Pending.tag().to_owned()),
        holder: empty(),
        until: Set(None),
        attempts: Set(0),
        reason_class: empty(),
        reason_detail: empty(),
        changed_at: NotSet,
        mail_message_id: empty(),
        server_reply: empty(),
        delivered_at: Set(None),
    }
}

impl Model {
    pub(crate) fn state(&self) -> Result<State, StoreError> {
        by_tag(State::ALL, State::tag, &self.state).ok_or(StoreError::Unreadable("delivery.state"))
    }

    pub(crate) fn into_delivered(self) -> Result<Delivered, StoreError> {
        Ok(Delivered {
            recipient: self.recipient,
            mail_message_id: self.mail_message_id,
            server_reply: self.server_reply,
            delivered_at: self.delivered_at.ok_or(StoreError::Unreadable("delivery.delivered_at"))?,
        })
    }
}
