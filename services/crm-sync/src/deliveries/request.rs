//! Requests emails that no message announces: of a lead to a person, and of a withdrawal to the sales team.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, sea_query::OnConflict};
use uuid::Uuid;

use super::delivery::{self, PERSON, due, is_address, open};
use crate::{
    db::{Store, audit, error::StoreError, transaction::now},
    leads::{lead, lock::lock},
};

/// Within this time a person is mailed a lead once, however often it is asked for.
const ONCE_WITHIN: TimeDelta = TimeDelta::minutes(1);

impl Store {
    /// Has a person mailed a lead, and audits that under `author`. Returns whether the lead is stored.
    pub(crate) async fn request_mail(
        &self,
        lead_id: Uuid,
        person: &str,
        author: &str,
    ) -> Result<bool, StoreError> {
        self.write("request mail", |transaction| async move {
            if !lock(&transaction, &[lead_id]).await?.is_there(lead_id) {
                return Ok(false);
            }
            mail(&transaction, lead_id, person, now(&transaction).await?).await?;
            audit::insert(&*transaction, author, "mail", 1, Some(lead_id)).await?;
            Ok(true)
        })
        .await
    }
}

/// Adds a delivery for a person. The transaction must hold the lead's lock.
pub(crate) async fn mail(
    transaction: &DatabaseTransaction,
    lead_id: Uuid,
    person: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let prefix = format!("{PERSON}{person}#");
    // Not by LIKE, in which a name may be a pattern.
    let mut before =
        delivery::Entity::find().filter(delivery::Column::LeadId.eq(lead_id)).all(transaction).await?;
    before.retain(|row| row.recipient.starts_with(&prefix));
    if before.iter().any(|row| row.changed_at > now - ONCE_WITHIN) {
        return Ok(());
    }
    let recipient = format!("{prefix}{}", before.len() + 1);
    delivery::Entity::insert(due(lead_id, &recipient, now)).exec_without_returning(transaction).await?;
    open(transaction, &[lead_id]).await
}

/// Adds emails to the lead's owner, or else to the addresses that the lead was sent to.
pub(crate) async fn mail_sales(
    transaction: &DatabaseTransaction,
    lead: &lead::Model,
    subject: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let recipients = match lead.owner.as_str() {
        "" => {
            let of_lead = delivery::Entity::find().filter(delivery::Column::LeadId.eq(lead.id));
            let recipients = of_lead.all(transaction).await?.into_iter().map(|row| row.recipient);
            recipients.filter(|recipient| is_address(recipient)).collect()
        }
        owner => vec![owner.to_owned()],
    };
    if recipients.is_empty() {
        return Ok(());
    }
    let rows = recipients.iter().map(|recipient| due(lead.id, &format!("{subject}{recipient}"), now));
    let key = [delivery::Column::LeadId, delivery::Column::Recipient];
    let known = OnConflict::columns(key).do_nothing().to_owned();
    delivery::Entity::insert_many(rows).on_conflict(known).exec_without_returning(transaction).await?;
    open(transaction, &[lead.id]).await
}
