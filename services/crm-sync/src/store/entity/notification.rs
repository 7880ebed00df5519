//! Rows of `notification`.

use std::fmt;

use sea_orm::{ActiveValue::NotSet, Set, entity::prelude::*};

use crate::{
    domain::notification::Notification,
    store::{entity::reference, error::StoreError},
};

#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "notification")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub lead_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub recipient: String,
    pub reference: String,
    pub mail_message_id: String,
    pub server_reply: String,
    pub notified_at: DateTimeUtc,
    pub recorded_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// sea-orm asks for it; addresses stay out.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("notification").field("lead_id", &self.lead_id).finish_non_exhaustive()
    }
}

/// A row to insert; the database says when.
pub(in crate::store) fn to_row(notification: &Notification) -> ActiveModel {
    ActiveModel {
        lead_id: Set(notification.lead_id),
        recipient: Set(notification.recipient.clone()),
        reference: Set(notification.reference.to_string()),
        mail_message_id: Set(notification.mail_message_id.clone()),
        server_reply: Set(notification.server_reply.clone()),
        notified_at: Set(notification.notified_at),
        recorded_at: NotSet,
    }
}

impl Model {
    /// The notification of this row.
    pub(in crate::store) fn into_notification(self) -> Result<Notification, StoreError> {
        Ok(Notification {
            lead_id: self.lead_id,
            reference: reference(&self.reference)?,
            recipient: self.recipient,
            mail_message_id: self.mail_message_id,
            server_reply: self.server_reply,
            notified_at: self.notified_at,
        })
    }
}
