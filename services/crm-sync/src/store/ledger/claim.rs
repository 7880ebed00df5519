//! Claiming one recipient of a lead.

use std::slice;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, ExprTrait, QueryFilter, sea_query::Expr,
};
use uuid::Uuid;

use super::{
    Recipients, add_recipients, close_settled, set_state,
    visitor::{self, Limit},
};
use crate::{
    domain::{
        contact::OtherLead,
        ledger::{Answer, Claim, State, VISITOR, after},
        road::Road,
    },
    store::{
        Store, StoreError,
        entity::{leasing, notification, recipient},
        lock::{Locked, lock},
        others::earlier,
        record::{Recorded, record},
        transaction::{Work, now},
    },
};

/// What came of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// What the ledger says.
    pub answer: Answer,
    /// When a claim of sales was granted: leads of the same person submitted before this one, oldest first, at most 50.
    pub earlier: Vec<OtherLead>,
    /// What came of storing the lead.
    pub recorded: Recorded,
}

impl Store {
    /// Claims a recipient, and stores the lead if need be.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was granted, or it is not known whether it was: the holder may ask again.
    pub async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreError> {
        self.transact(claim).await
    }
}

impl Work for Claim {
    const NAME: &'static str = "claim recipient";

    type Outcome = Claimed;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Claimed, StoreError> {
        let lead_id = self.submission.id;
        if self.daily_limit.is_some() {
            visitor::take_turn(transaction, &self.submission).await?;
        }
        let recorded = record(transaction, Road::Claim, slice::from_ref(&self.submission)).await?;
        let locked = lock(transaction, &[lead_id]).await?;
        let mut claimed = Claimed { answer: Answer::Erased, earlier: Vec::new(), recorded };
        if locked.is_erased(lead_id) {
            return Ok(claimed);
        }
        claimed.answer = self.decide(transaction, &locked).await?;
        let is_granted = matches!(claimed.answer, Answer::Granted { .. });
        if let Some(contact) = locked.contact(lead_id).filter(|_| is_granted && self.recipient != VISITOR) {
            claimed.earlier = earlier(transaction, contact, &self.submission).await?;
        }
        Ok(claimed)
    }
}

impl Claim {
    async fn decide(&self, transaction: &DatabaseTransaction, locked: &Locked) -> Result<Answer, StoreError> {
        let lead_id = self.submission.id;
        let everybody = self.recipients.iter().chain([&self.recipient]);
        let recipients: Recipients<'_> =
            everybody.map(|address| ((lead_id, address.as_str()), State::Untold)).collect();
        add_recipients(transaction, &recipients).await?;
        let key = (lead_id, self.recipient.clone());
        let missing = || DbErr::RecordNotFound("a row just made".to_owned());
        let row = recipient::Entity::find_by_id(key.clone()).one(transaction).await?.ok_or_else(missing)?;
        match row.state()? {
            State::Told => return Ok(Answer::AlreadyTold),
            State::Declined => return Ok(Answer::Declined),
            State::Untold | State::Held | State::Waiting | State::Parked => {}
        }
        if notification::Entity::find_by_id(key).one(transaction).await?.is_some() {
            // Stored by a version that kept no ledger.
            set_state(transaction, (lead_id, &self.recipient), State::Told, "", None).await?;
            close_settled(transaction, &[lead_id]).await?;
            return Ok(Answer::AlreadyTold);
        }
        let now = now(transaction).await?;
        let held =
            |until: DateTime<Utc>| Answer::Held { remaining: (until - now).to_std().unwrap_or_default() };
        if let Some(until) = self.held_until(&row, now)? {
            return Ok(held(until));
        }
        if let Some(limit) = self.daily_limit {
            match visitor::limit(transaction, &self.submission, limit, now).await? {
                Limit::Free => {}
                Limit::MaybeReached { until } => return Ok(held(until)),
                Limit::NotTheirs => return Ok(Answer::Declined),
                Limit::Reached => {
                    visitor::decline(transaction, lead_id).await?;
                    return Ok(Answer::Declined);
                }
            }
        }
        self.grant(transaction, now).await?;
        if !locked.is_open(lead_id) {
            // It was closed when the recipient was parked.
            reopen(transaction, lead_id).await?;
        }
        Ok(Answer::Granted { attempt: row.attempts.unsigned_abs().saturating_add(1) })
    }

    /// When somebody else's claim is over.
    fn held_until(
        &self,
        row: &recipient::Model,
        now: DateTime<Utc>,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        let is_held = row.state()? == State::Held && row.holder != self.holder;
        Ok(row.until.filter(|until| is_held && *until > now))
    }

    async fn grant(&self, transaction: &DatabaseTransaction, now: DateTime<Utc>) -> Result<(), StoreError> {
        let lead_id = self.submission.id;
        let until = Some(after(now, self.lease));
        recipient::Entity::update_many()
            .col_expr(recipient::Column::State, Expr::value(State::Held.tag()))
            .col_expr(recipient::Column::Holder, Expr::value(self.holder.as_str()))
            .col_expr(recipient::Column::Until, Expr::value(until))
            .col_expr(recipient::Column::Attempts, Expr::col(recipient::Column::Attempts).add(1))
            .filter(recipient::Column::LeadId.eq(lead_id))
            .filter(recipient::Column::Recipient.eq(self.recipient.as_str()))
            .exec(transaction)
            .await?;
        Ok(())
    }
}

async fn reopen(transaction: &DatabaseTransaction, lead_id: Uuid) -> Result<(), StoreError> {
    leasing::Entity::update_many()
        .col_expr(leasing::Column::Open, Expr::value(true))
        .filter(leasing::Column::Id.eq(lead_id))
        .exec(transaction)
        .await?;
    Ok(())
}
