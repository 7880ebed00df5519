//! Finds other leads of the same person.

use ::lead::{Interest, Lead, LeadState, Telephone, field::timestamp};
use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, ExprTrait, Order, QueryFilter,
    QueryOrder, QuerySelect, sea_query::Expr,
};
use uuid::Uuid;

use super::{lead, stored::StoredLead};
use crate::db::{Store, error::StoreError, with_timeout};

const LIMIT: u64 = 50;

const SAME_NUMBER: usize = 10;

/// Read for a page of leads, so that a number with very many leads costs little.
const SAME_NUMBER_ROWS: u64 = 1000;

impl Store {
    /// Other leads of a lead's person, newest first, at most 50.
    pub async fn related(&self, lead: &StoredLead) -> Result<Vec<crm::RelatedLead>, StoreError> {
        let Some(contact) = lead.contact else { return Ok(Vec::new()) };
        let is_other = lead::Column::Id.ne(lead.submission.id);
        with_timeout(of_contact(&self.reader, contact.id, is_other, Order::Desc)).await
    }
}

impl Store {
    /// Converts leads and fills `same_number`.
    pub(crate) async fn with_same_number(
        &self,
        leads: Vec<StoredLead>,
    ) -> Result<Vec<crm::Lead>, StoreError> {
        let keys: Vec<_> = leads.iter().map(|it| (it.contact.map(|it| it.id), &it.submission)).collect();
        let same_number = with_timeout(same_number(&self.reader, &keys)).await?;
        let leads = leads.into_iter().zip(same_number);
        Ok(leads.map(|(lead, same_number)| crm::Lead { same_number, ..lead.into() }).collect())
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

/// For each lead, references of other people's leads with its telephone number: newest first, at most [`SAME_NUMBER`].
pub(crate) async fn same_number(
    connection: &impl ConnectionTrait,
    leads: &[(Option<Uuid>, &Lead)],
) -> Result<Vec<Vec<String>>, StoreError> {
    let numbers: Vec<Option<String>> = leads.iter().map(|(_, lead)| number(lead)).collect();
    let rows: Vec<(String, Uuid, String)> = lead::Entity::find()
        .select_only()
        .columns([lead::Column::Digits, lead::Column::ContactId, lead::Column::Reference])
        .filter(lead::Column::Digits.is_in(numbers.iter().flatten().map(String::as_str)))
        // Neither erased nor a canary.
        .filter(lead::Column::ContactId.is_not_null())
        .order_by_desc(lead::Column::SubmittedAt)
        .limit(SAME_NUMBER_ROWS)
        .into_tuple()
        .all(connection)
        .await?;
    let of_others = |((own, _), number): (&(Option<Uuid>, &Lead), &Option<String>)| {
        let others = rows.iter().filter(|(digits, contact, _)| {
            number.as_ref() == Some(digits) && own.is_some_and(|own| own != *contact)
        });
        others.map(|(_, _, reference)| reference.clone()).take(SAME_NUMBER).collect()
    };
    Ok(leads.iter().zip(&numbers).map(of_others).collect())
}

/// The digits of a valid telephone number.
fn number(lead: &Lead) -> Option<String> {
    Telephone::read(&lead.mobile).map(|number| number.digits().to_owned())
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
                interests: lead::interests(&interests).map(Interest::number).collect(),
                state: LeadState::number(Some(lead::state(&state)?)),
            })
        })
        .collect()
}
