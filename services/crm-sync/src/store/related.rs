//! What else a person sent.

use ::lead::Lead;
use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, ExprTrait, Order, QueryFilter,
    QueryOrder, QuerySelect, sea_query::Expr,
};
use uuid::Uuid;

use super::{
    Store, StoreError,
    entity::{self, lead},
    within,
};
use crate::domain::{contact::OtherLead, lead::StoredLead};

/// At most so many.
const LIMIT: u64 = 50;

impl Store {
    /// Other leads of the person a lead is from, newest first, at most 50.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn others(&self, lead: &StoredLead) -> Result<Vec<OtherLead>, StoreError> {
        let Some(contact) = lead.contact else { return Ok(Vec::new()) };
        let is_other = lead::Column::Id.ne(lead.submission.id);
        within(of_contact(&self.reader, contact.id, is_other, Order::Desc)).await
    }
}

/// Leads of a person submitted before this one, oldest first, at most 50.
pub(crate) async fn earlier(
    transaction: &DatabaseTransaction,
    contact: Uuid,
    submission: &Lead,
) -> Result<Vec<OtherLead>, StoreError> {
    let is_other = lead::Column::Id.ne(submission.id);
    let is_earlier = is_other.and(lead::Column::SubmittedAt.lt(submission.submitted_at));
    of_contact(transaction, contact, is_earlier, Order::Asc).await
}

async fn of_contact(
    connection: &impl ConnectionTrait,
    contact: Uuid,
    which: Expr,
    order: Order,
) -> Result<Vec<OtherLead>, StoreError> {
    let rows: Vec<(Uuid, String, DateTime<Utc>, String, String)> = lead::Entity::find()
        .select_only()
        .columns([
            lead::Column::Id,
            lead::Column::Reference,
            lead::Column::SubmittedAt,
            lead::Column::Interests,
            lead::Column::State,
        ])
        // An erased lead is nobody's.
        .filter(lead::Column::ContactId.eq(contact))
        .filter(which)
        .order_by(lead::Column::SubmittedAt, order.clone())
        .order_by(lead::Column::Id, order)
        .limit(LIMIT)
        .into_tuple()
        .all(connection)
        .await?;
    rows.into_iter()
        .map(|(id, reference, submitted_at, interests, state)| {
            Ok(OtherLead {
                id,
                reference: entity::reference(&reference)?,
                submitted_at,
                interests: lead::interests(&interests).collect(),
                state: lead::state(&state)?,
            })
        })
        .collect()
}
