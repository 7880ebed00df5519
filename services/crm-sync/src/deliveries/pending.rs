//! Measures the delivery backlog and counts failed deliveries.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait},
};

use super::delivery::{self, State, VISITOR, WEBHOOK, is_of_routes, is_open, of_lead};
use crate::{
    db::{Store, error::StoreError, with_timeout},
    leads::lead,
};

/// Leads whose deliveries to the sales team are not finished; failed deliveries are counted separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    pub leads: u64,
    /// Time since the oldest was stored, by the database's clock.
    pub oldest: Duration,
}

#[derive(FromQueryResult)]
struct Row {
    leads: i64,
    oldest: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
}

impl Store {
    /// Counts leads whose mails to the sales team are not finished; a system that is away wakes nobody.
    pub async fn pending(&self) -> Result<Pending, StoreError> {
        let now = crm_sync_migration::database_clock(self.reader.get_database_backend());
        let of_sales = || {
            let is_system = delivery::Column::Recipient.starts_with(WEBHOOK);
            is_of_routes().add(delivery::Column::Recipient.ne(VISITOR).and(is_system.not()))
        };
        let is_asked_for = Expr::exists(of_lead(of_sales()));
        let is_owed = Expr::exists(of_lead(of_sales().add(is_open())));
        let select = lead::Entity::find()
            .select_only()
            .column_as(lead::Column::Id.count(), "leads")
            .column_as(lead::Column::RecordedAt.min(), "oldest")
            .column_as(Expr::cust(now), "now")
            .filter(Expr::col((lead::Entity, lead::Column::Open)))
            .filter(lead::Column::ErasedAt.is_null())
            .filter(Condition::any().add(is_asked_for.not()).add(is_owed))
            .into_model::<Row>();
        let row = with_timeout(select.one(&self.reader)).await?;
        Ok(row.map_or_else(Pending::default, |Row { leads, oldest, now }| Pending {
            leads: u64::try_from(leads).unwrap_or_default(),
            oldest: oldest.and_then(|oldest| (now - oldest).to_std().ok()).unwrap_or_default(),
        }))
    }

    /// Counts the deliveries that await an operator's decision.
    pub async fn failed_deliveries(&self) -> Result<u64, StoreError> {
        let failed = delivery::Entity::find().filter(delivery::Column::State.eq(State::Failed));
        with_timeout(failed.count(&self.reader)).await
    }
}
