//! Measures canaries, which are leads that we submit as a test. Their rows have `erased_at` from the start, so that
//! searches skip them.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, IntoColumnRef, Order, Query, SelectStatement},
};
use uuid::Uuid;

use crate::{
    db::{Store, error::StoreError, transaction::now, with_timeout},
    deliveries::delivery::{self, State},
    leads::lead::{self, is_canary},
    people::erase::forget_deliveries,
};

const AGE: TimeDelta = TimeDelta::days(1);

/// Canaries per transaction.
const BATCH: u64 = 500;

/// The latest canary to reach a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canary {
    /// Time since its submission, by the database's clock.
    pub age: Duration,
    pub took: Duration,
}

/// The latest canaries; `None` when there is none of the last day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Canaries {
    pub stored: Option<Canary>,
    pub mailed: Option<Canary>,
}

impl Store {
    /// Reads the latest canaries.
    pub async fn canaries(&self) -> Result<Canaries, StoreError> {
        let stored = latest((lead::Entity, lead::Column::RecordedAt));
        let of_lead = Expr::col((delivery::Entity, delivery::Column::LeadId))
            .equals((lead::Entity, lead::Column::Id))
            .and(delivery::Column::State.eq(State::Delivered));
        let mailed = latest((delivery::Entity, delivery::Column::ChangedAt))
            .inner_join(delivery::Entity, of_lead)
            .take();
        Ok(Canaries { stored: self.canary(&stored).await?, mailed: self.canary(&mailed).await? })
    }

    async fn canary(&self, select: &SelectStatement) -> Result<Option<Canary>, StoreError> {
        let now = crm_sync_migration::database_clock(self.reader.get_database_backend());
        let select = select.clone().expr(Expr::cust(now)).take();
        let Some(row) = with_timeout(self.reader.query_one(&select)).await? else { return Ok(None) };
        let (submitted_at, came_at, now): (DateTime<Utc>, DateTime<Utc>, DateTime<Utc>) =
            row.try_get_many_by_index()?;
        let since = |later: DateTime<Utc>| (later - submitted_at).to_std().unwrap_or_default();
        Ok(Some(Canary { age: since(now), took: since(came_at) }))
    }

    /// Deletes a batch of canaries older than a day; returns their number, 0 when none is left.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was deleted, or it is unknown whether it was.
    pub async fn forget_canaries(&self) -> Result<u64, StoreError> {
        self.write("delete canaries", |transaction| async move {
            let before = now(&transaction).await? - AGE;
            let old: Vec<Uuid> = lead::Entity::find()
                .select_only()
                .column(lead::Column::Id)
                .filter(is_canary())
                .filter(lead::Column::SubmittedAt.lt(before))
                .limit(BATCH)
                .into_tuple()
                .all(&*transaction)
                .await?;
            if old.is_empty() {
                return Ok(0);
            }
            forget_deliveries(&transaction, &old).await?;
            let deleted =
                lead::Entity::delete_many().filter(lead::Column::Id.is_in(old)).exec(&*transaction).await?;
            Ok(deleted.rows_affected)
        })
        .await
    }
}

/// The submission time of the latest canary, and `column`.
fn latest(column: impl IntoColumnRef) -> SelectStatement {
    Query::select()
        .column((lead::Entity, lead::Column::SubmittedAt))
        .column(column)
        .from(lead::Entity)
        .and_where(is_canary())
        .order_by((lead::Entity, lead::Column::SubmittedAt), Order::Desc)
        .limit(1)
        .take()
}
