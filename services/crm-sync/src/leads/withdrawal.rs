//! Stores a visitor's withdrawal of consent, and tells the sales team once.

use ::lead::{
    FieldError,
    field::{required_time, uuid},
    recipient::{ERASURE, VISITOR, WITHDRAWAL},
};
use contracts::{
    crm::v1::{WithdrawLeadRequest, WithdrawLeadResponse},
    leads::v1::LeadWithdrawn,
};
use messaging::{Reason, Verdict};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, prelude::DateTimeUtc, sea_query::OnConflict,
};
use tonic::Status;
use tracing::info;
use uuid::Uuid;

use super::{do_not_contact, lead, lock::lock, suppression, timeline};
use crate::{
    auth::Caller,
    db::{
        Store,
        error::StoreError,
        transaction::{UnitOfWork, now},
    },
    deliveries::delivery::{self, due, is_address, open},
    error::Invalid,
};

pub(crate) struct Withdrawal {
    pub(crate) lead_id: Uuid,
    withdrawn_at: DateTimeUtc,
    erasure_requested: bool,
}

impl TryFrom<LeadWithdrawn> for Withdrawal {
    type Error = Invalid;

    fn try_from(message: LeadWithdrawn) -> Result<Self, Invalid> {
        Ok(Self {
            lead_id: uuid("lead_id", &message.lead_id)?,
            withdrawn_at: required_time("withdrawn_at", message.withdrawn_at)?,
            erasure_requested: message.erasure_requested,
        })
    }
}

pub(crate) async fn withdraw_lead(
    store: &Store,
    caller: &Caller,
    request: WithdrawLeadRequest,
) -> Result<WithdrawLeadResponse, Status> {
    let message = request.withdrawal.ok_or(Invalid::from(FieldError::Missing("withdrawal")))?;
    let withdrawal = Withdrawal::try_from(message)?;
    let lead_id = withdrawal.lead_id;
    if !store.transact(&withdrawal).await? {
        return Err(Status::not_found(format!("there is no lead {lead_id}")));
    }
    info!(client = %caller, %lead_id, "WithdrawLead");
    Ok(WithdrawLeadResponse {})
}

/// The verdict on a withdrawal from the queue. Its lead was stored before the email with the link was sent; a database
/// restored from a backup may lack it, so the message is kept.
pub(crate) fn unknown_lead() -> Verdict {
    Verdict::DeadLetter(Reason::new("unknown", "the withdrawn lead is not stored"))
}

impl UnitOfWork for Withdrawal {
    const NAME: &'static str = "withdraw lead";

    /// Whether the lead is stored. An erased lead is, and nothing changes.
    type Outcome = bool;

    async fn perform(&self, transaction: &DatabaseTransaction, store: &Store) -> Result<bool, StoreError> {
        let leads = do_not_contact::leads_of_person(transaction, self.lead_id).await?;
        let locked = lock(transaction, &leads).await?;
        if !locked.is_there(self.lead_id) {
            return Ok(locked.is_erased(self.lead_id));
        }
        let Some(lead) = lead::Entity::find_by_id(self.lead_id).one(transaction).await? else {
            return Ok(false);
        };
        let now = now(transaction).await?;
        let mark = do_not_contact::Mark {
            since: Some(self.withdrawn_at.min(now)),
            author: VISITOR,
            reason: suppression::WITHDRAWAL,
        };
        let marked = do_not_contact::set(transaction, &store.suppression, &leads, &mark).await?;
        // One email tells both.
        if self.erasure_requested && !timeline::has_erasure_request(transaction, self.lead_id).await? {
            let entry = timeline::erasure_requested(self.lead_id);
            timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
            tell_sales(transaction, &lead, ERASURE, now).await?;
        } else if !marked.is_empty() {
            tell_sales(transaction, &lead, WITHDRAWAL, now).await?;
        }
        Ok(true)
    }
}

/// Adds emails to the lead's owner, or else to the addresses that the lead was sent to.
async fn tell_sales(
    transaction: &DatabaseTransaction,
    lead: &lead::Model,
    subject: &str,
    now: DateTimeUtc,
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
