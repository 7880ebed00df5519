//! Finds other leads of the same person.

use ::lead::{Lead, field::timestamp};
use chrono::{DateTime, Utc};
use contracts::{crm::v1 as crm, leads::v1 as leads};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, ExprTrait, Order, QueryFilter,
    QueryOrder, QuerySelect, sea_query::Expr,
};
use uuid::Uuid;

use super::{lead, stored::StoredLead};
use crate::db::{Store, error::StoreError, within};

const LIMIT: u64 = 50;

impl Store {
    /// Other leads of a lead's person, newest first, at most 50.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn related(&self, lead: &StoredLead) -> Result<Vec<crm::RelatedLead>, StoreError> {
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
) -> Result<Vec<crm::RelatedLead>, StoreError> {
    let is_other = lead::Column::Id.ne(submission.id);
    let is_earlier = is_other.and(lead::Column::SubmittedAt.lt(submission.submitted_at));
    of_contact(transaction, contact, is_earlier, Order::Asc).await
}

async fn of_contact(
    connection: &impl ConnectionTrait,
    contact: Uuid,
    which: Expr,
    order: Order,
) -> Result<Vec<crm::RelatedLead>, StoreError> {
    let rows: Vec<(Uuid, String, DateTime<Utc>, String, String)> = lead::Entity::find()
        .select_only()
        .columns([
            lead::Column::Id,
            lead::Column::Reference,
            lead::Column::SubmittedAt,
            lead::Column::Interests,
            lead::Column::State,
        ])
        // Erased leads have no contact.
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
            Ok(crm::RelatedLead {
                lead_id: id.to_string(),
                reference,
                submitted_at: Some(timestamp(submitted_at)),
                interests: lead::interests(&interests).map(|it| leads::Interest::from(it).into()).collect(),
                state: crm::LeadState::from(lead::state(&state)?).into(),
            })
        })
        .collect()
}
