//! Has a person of the routes mailed a lead.

use chrono::{DateTime, TimeDelta, Utc};
use contracts::crm::v1::{MailLeadRequest, MailLeadResponse};
use lead::field::{filled, uuid};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use tonic::Status;
use tracing::info;
use uuid::Uuid;

use super::delivery::{self, PERSON, due, open};
use crate::{
    auth::{Caller, PERSON_LENGTH},
    db::{
        Store, audit,
        error::StoreError,
        transaction::{UnitOfWork, now},
    },
    error::Invalid,
    leads::lock::lock,
};

/// Within this time a person is mailed a lead once, however often it is asked for.
const ONCE_WITHIN: TimeDelta = TimeDelta::minutes(1);

#[derive(Clone)]
struct Request {
    lead_id: Uuid,
    person: String,
    /// For the audit.
    author: String,
}

impl Request {
    fn read(request: &MailLeadRequest, author: String) -> Result<Self, Invalid> {
        Ok(Self {
            lead_id: uuid("lead_id", &request.lead_id)?,
            person: filled("person", request.person.trim(), PERSON_LENGTH)?,
            author,
        })
    }
}

pub(crate) async fn mail_lead(
    store: &Store,
    caller: &Caller,
    request: &MailLeadRequest,
) -> Result<MailLeadResponse, Status> {
    let request = Request::read(request, caller.author())?;
    let id = request.lead_id;
    if !store.transact(&request).await? {
        return Err(Status::not_found(format!("there is no lead {id}")));
    }
    info!(client = %caller, lead_id = %id, "MailLead");
    Ok(MailLeadResponse {})
}

impl UnitOfWork for Request {
    const NAME: &'static str = "request mail";

    /// Whether the lead is stored.
    type Outcome = bool;

    async fn perform(&self, transaction: &DatabaseTransaction, _: &Store) -> Result<bool, StoreError> {
        if !lock(transaction, &[self.lead_id]).await?.is_there(self.lead_id) {
            return Ok(false);
        }
        mail(transaction, self.lead_id, &self.person, now(transaction).await?).await?;
        audit::insert_lead(transaction, &self.author, "mail", self.lead_id).await?;
        Ok(true)
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
