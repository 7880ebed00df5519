//! Who was told of a lead, who is at it, and whose turn it is.
//!
//! Whatever changes a lead's recipients holds the lead's row first, so that two replicas do it one after the other.
//! News of a lead that is not stored yet is kept all the same; should both come at once, the lead is closed when it
//! is next looked at.

mod claim;
mod lease;
mod report;
mod untold;
mod visitor;

pub use claim::Claimed;
pub use untold::Untold;

use std::collections::BTreeMap;

use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter,
    prelude::DateTimeUtc,
    sea_query::{Expr, IntoCondition, OnConflict, Query, SelectStatement},
};
use uuid::Uuid;

use super::{
    Store, StoreError,
    entity::{leasing, recipient, timeline},
    lock::lock,
    transaction::Work,
};
use crate::domain::{ledger::State, timeline::Note};

impl Store {
    /// Adds what an operator did to a lead's timeline, unless the lead was erased.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn note(&self, note: &Note) -> Result<(), StoreError> {
        self.transact(note).await
    }
}

impl Work for Note {
    const NAME: &'static str = "note";

    type Outcome = ();

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<(), StoreError> {
        if !lock(transaction, &[self.lead_id]).await?.is_erased(self.lead_id) {
            timeline::Entity::insert(timeline::noted(self)).exec_without_returning(transaction).await?;
        }
        Ok(())
    }
}

/// Recipients by lead and address, in the order in which their rows are always written.
type Recipients<'a> = BTreeMap<(Uuid, &'a str), State>;

/// Makes rows for those who have none.
async fn add_recipients(
    transaction: &DatabaseTransaction,
    recipients: &Recipients<'_>,
) -> Result<(), StoreError> {
    let key = [recipient::Column::LeadId, recipient::Column::Recipient];
    let known = OnConflict::columns(key).do_nothing().to_owned();
    let rows =
        recipients.iter().map(|((lead_id, address), state)| recipient::to_row(*lead_id, address, *state));
    recipient::Entity::insert_many(rows).on_conflict(known).exec_without_returning(transaction).await?;
    Ok(())
}

/// Says where telling somebody has come; `holder` and `until` as the state wants them.
async fn set_state(
    transaction: &DatabaseTransaction,
    (lead_id, address): (Uuid, &str),
    state: State,
    holder: &str,
    until: Option<DateTimeUtc>,
) -> Result<(), StoreError> {
    recipient::Entity::update_many()
        .col_expr(recipient::Column::State, Expr::value(state.tag()))
        .col_expr(recipient::Column::Holder, Expr::value(holder))
        .col_expr(recipient::Column::Until, Expr::value(until))
        .filter(recipient::Column::LeadId.eq(lead_id))
        .filter(recipient::Column::Recipient.eq(address))
        .exec(transaction)
        .await?;
    Ok(())
}

/// Ends a lease whose holder has said what came of it. The next is as short as the first: leases grow only over holders
/// that never say anything.
async fn end_lease(transaction: &DatabaseTransaction, id: Uuid) -> Result<(), StoreError> {
    leasing::Entity::update_many()
        .col_expr(leasing::Column::LeasedUntil, Expr::value(None::<DateTimeUtc>))
        .col_expr(leasing::Column::Leases, Expr::value(0))
        .filter(leasing::Column::Id.eq(id))
        .exec(transaction)
        .await?;
    Ok(())
}

/// Closes those of these leads, which the transaction holds, that have nobody left to be told, and ends their leases.
async fn close_settled(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<(), StoreError> {
    leasing::Entity::update_many()
        .col_expr(leasing::Column::Open, Expr::value(false))
        .col_expr(leasing::Column::LeasedUntil, Expr::value(None::<DateTimeUtc>))
        .filter(leasing::Column::Id.is_in(ids.iter().copied()))
        .filter(Expr::exists(recipients_of_lead(Condition::all())))
        .filter(Expr::exists(recipients_of_lead(is_unsettled())).not())
        .exec(transaction)
        .await?;
    Ok(())
}

/// The recipients of the lead of the outer statement that meet a condition.
fn recipients_of_lead(condition: Condition) -> SelectStatement {
    let id = (leasing::Entity, leasing::Column::Id);
    Query::select()
        .expr(Expr::val(1))
        .from(recipient::Entity)
        .and_where(Expr::col((recipient::Entity, recipient::Column::LeadId)).equals(id))
        .cond_where(condition)
        .take()
}

fn is_unsettled() -> Condition {
    recipient::Column::State
        .is_not_in([State::Told.tag(), State::Parked.tag(), State::Declined.tag()])
        .into_condition()
}
