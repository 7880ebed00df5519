//! Claiming one recipient of a lead.

use std::slice;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, ExprTrait, QueryFilter, sea_query::Expr,
};

use super::{Recipients, add_recipients, close_settled, set_state};
use crate::{
    domain::{
        ledger::{Answer, Claim, State, after},
        road::Road,
    },
    store::{
        Store, StoreError,
        entity::{leasing, notification, recipient},
        record::{Recorded, lock, record},
        transaction::{Work, now},
    },
};

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// What the ledger says.
    pub answer: Answer,
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
    type Outcome = Claimed;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Claimed, StoreError> {
        let lead_id = self.submission.id;
        let recorded = record(transaction, Road::Claim, slice::from_ref(&self.submission)).await?;
        lock(transaction, &[lead_id]).await?;
        let everybody = self.recipients.iter().chain([&self.recipient]);
        let recipients: Recipients<'_> =
            everybody.map(|address| ((lead_id, address.as_str()), State::Untold)).collect();
        add_recipients(transaction, &recipients).await?;
        let key = (lead_id, self.recipient.clone());
        let missing = || DbErr::RecordNotFound("a row just made".to_owned());
        let row = recipient::Entity::find_by_id(key.clone()).one(transaction).await?.ok_or_else(missing)?;
        let now = now(transaction).await?;
        let answer = if row.state()? == State::Told {
            Answer::AlreadyTold
        } else if notification::Entity::find_by_id(key).one(transaction).await?.is_some() {
            // Stored by a version that kept no ledger.
            set_state(transaction, (lead_id, &self.recipient), State::Told, "", None).await?;
            close_settled(transaction, &[lead_id]).await?;
            Answer::AlreadyTold
        } else if let Some(until) = self.held_until(&row, now)? {
            Answer::Held { remaining: (until - now).to_std().unwrap_or_default() }
        } else {
            self.grant(transaction, now).await?;
            Answer::Granted { attempt: row.attempts.unsigned_abs().saturating_add(1) }
        };
        Ok(Claimed { answer, recorded })
    }
}

impl Claim {
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
        let until = after(now, self.lease);
        set_state(transaction, (lead_id, &self.recipient), State::Held, &self.holder, Some(until)).await?;
        recipient::Entity::update_many()
            .col_expr(recipient::Column::Attempts, Expr::col(recipient::Column::Attempts).add(1))
            .filter(recipient::Column::LeadId.eq(lead_id))
            .filter(recipient::Column::Recipient.eq(self.recipient.as_str()))
            .exec(transaction)
            .await?;
        // It may have been closed when the recipient was parked.
        leasing::Entity::update_many()
            .col_expr(leasing::Column::Open, Expr::value(true))
            .filter(leasing::Column::Id.eq(lead_id))
            .filter(Expr::col(leasing::Column::Open).not())
            .exec(transaction)
            .await?;
        Ok(())
    }
}
