//! Erases leads past their retention.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, ExprTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    Select,
    sea_query::{Expr, Query, SelectStatement},
};
use tracing::warn;
use uuid::Uuid;

use super::erase::{ERASURE_LOCK, erase, keys_of};
use crate::{
    db::{Store, audit, error::StoreError, transaction::advisory_lock, transaction::now},
    deliveries::delivery::{self, State},
    leads::{
        contact, lead,
        lock::{lock, lock_unknown_leads},
    },
};

/// Leads per transaction; few, because other transactions wait for it.
const BATCH: u64 = 25;

/// How much longer a lead with a failed delivery is kept, for an operator to decide about the delivery.
const FAILED_KEPT: TimeDelta = TimeDelta::days(90);

/// Client name in the audit.
const CLIENT: &str = "retention";

impl Store {
    /// Erases the oldest leads that were submitted more than `age` ago and have no open deliveries, those with failed
    /// deliveries 90 days later; returns their number, at most 25, and 0 when none is left.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was erased, or it is unknown whether it was.
    pub async fn erase_older_than(&self, age: TimeDelta) -> Result<u64, StoreError> {
        let erasing = self.write("erase old leads", |transaction| async move {
            advisory_lock(&transaction, ERASURE_LOCK).await?;
            lock_unknown_leads(&transaction).await?;
            let Some(before) = now(&transaction).await?.checked_sub_signed(age) else { return Ok(0) };
            let found = old(before).order_by_asc(lead::Column::SubmittedAt).order_by_asc(lead::Column::Id);
            let found: Vec<Uuid> = found.limit(BATCH).into_tuple().all(&*transaction).await?;
            if found.is_empty() {
                return Ok(0);
            }
            contact::lock_keys(&transaction, keys_of(&transaction, &found).await?).await?;
            lock(&transaction, &found).await?;
            // Read again under the lock: another transaction may have changed them.
            let still = old(before).filter(lead::Column::Id.is_in(found));
            let ids: Vec<Uuid> = still.into_tuple().all(&*transaction).await?;
            let failed = delivery::Entity::find()
                .filter(delivery::Column::LeadId.is_in(ids.iter().copied()))
                .filter(delivery::Column::State.eq(State::Failed));
            let failed = failed.count(&*transaction).await?;
            if failed > 0 {
                warn!(
                    deliveries = failed,
                    "failed deliveries erased with their leads: nobody retried or discarded them"
                );
            }
            let erased = erase(&transaction, &ids).await?;
            audit::insert(&*transaction, CLIENT, "erase", erased, None).await?;
            Ok(erased)
        });
        let erased = erasing.await?;
        if erased > 0 {
            self.checkpoint_soon();
        }
        Ok(erased)
    }
}

/// The ids of leads submitted before `before` without open deliveries; those with failed ones are kept longer.
fn old(before: DateTime<Utc>) -> Select<lead::Entity> {
    lead::Entity::find()
        .select_only()
        .column(lead::Column::Id)
        .filter(lead::Column::ErasedAt.is_null())
        .filter(lead::Column::SubmittedAt.lt(before))
        .filter(Expr::col((lead::Entity, lead::Column::Open)).not())
        .filter(Expr::exists(failed()).not().or(lead::Column::SubmittedAt.lt(before - FAILED_KEPT)))
}

/// The failed deliveries of the outer statement's lead.
fn failed() -> SelectStatement {
    let is_of_lead =
        Expr::col((delivery::Entity, delivery::Column::LeadId)).equals((lead::Entity, lead::Column::Id));
    Query::select()
        .expr(Expr::val(1))
        .from(delivery::Entity)
        .cond_where(Condition::all().add(is_of_lead).add(delivery::Column::State.eq(State::Failed)))
        .take()
}
