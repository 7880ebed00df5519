//! Erases leads past their retention.

use chrono::TimeDelta;
use sea_orm::sea_query::ExprTrait;
use tracing::warn;

use super::erase::{ERASURE_LOCK, erase};
use crate::{
    db::{audit, prelude::*},
    deliveries::delivery::{self, State, has_delivery},
    leads::{
        lead,
        lock::{lock_unknown_leads, lock_with_keys},
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
    pub async fn erase_older_than(&self, age: TimeDelta) -> Result<u64> {
        self.write("erase old leads", |tx| async move {
            tx.advisory_lock(ERASURE_LOCK).await?;
            lock_unknown_leads(&tx).await?;
            let Some(before) = tx.now().await?.checked_sub_signed(age) else { return Ok(0) };
            let found = old(before).order_by_asc(lead::Column::SubmittedAt).order_by_asc(lead::Column::Id);
            let found: Vec<Uuid> = found.limit(BATCH).into_tuple().all(&tx.db).await?;
            if found.is_empty() {
                return Ok(0);
            }
            let keys = lock_with_keys(&tx, &found, None).await?;
            // Read again under the lock: another transaction may have changed them.
            let still = old(before).filter(lead::Column::Id.is_in(found));
            let ids: Vec<Uuid> = still.into_tuple().all(&tx.db).await?;
            let failed = delivery::find_by_leads(ids.iter().copied()).filter(is_failed());
            let failed = failed.count(&tx.db).await?;
            if failed > 0 {
                warn!(
                    deliveries = failed,
                    "failed deliveries erased with their leads: nobody retried or discarded them"
                );
            }
            let erased = erase(&tx, &ids, &keys).await?;
            audit(&tx.db, CLIENT, "erase", erased, None).await?;
            Ok(erased)
        })
        .await
    }
}

/// The ids of leads submitted before `before` without open deliveries; those with failed ones are kept longer.
fn old(before: DateTimeUtc) -> Select<lead::Entity> {
    lead::select_ids()
        .filter(lead::Column::ErasedAt.is_null())
        .filter(lead::Column::SubmittedAt.lt(before))
        .filter(Expr::col((lead::Entity, lead::Column::Open)).not())
        .filter(has_delivery(is_failed()).not().or(lead::Column::SubmittedAt.lt(before - FAILED_KEPT)))
}

fn is_failed() -> Expr {
    delivery::Column::State.eq(State::Failed)
}
