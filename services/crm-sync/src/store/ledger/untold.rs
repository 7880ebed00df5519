//! How long the sales team has not been told of leads.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, IntoCondition},
};

use super::{is_unsettled, recipients_of_lead};
use crate::{
    domain::ledger::VISITOR,
    store::{
        Store, StoreError,
        entity::{leasing, recipient},
        within,
    },
};

/// Leads that somebody in sales has still to be told of, parked ones left out: of those a person knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Untold {
    /// How many.
    pub leads: u64,
    /// How long the oldest is stored, by the database's clock.
    pub oldest: Duration,
}

#[derive(FromQueryResult)]
struct Row {
    leads: i64,
    oldest: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
}

impl Store {
    /// Counts the leads that somebody in sales has still to be told of.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn untold(&self) -> Result<Untold, StoreError> {
        let now = crm_sync_migration::database_clock(self.reader.get_database_backend());
        let of_sales = || recipient::Column::Recipient.ne(VISITOR).into_condition();
        let is_asked_for = Expr::exists(recipients_of_lead(of_sales()));
        let is_owed = Expr::exists(recipients_of_lead(of_sales().add(is_unsettled())));
        let select = leasing::Entity::find()
            .select_only()
            .column_as(leasing::Column::Id.count(), "leads")
            .column_as(leasing::Column::RecordedAt.min(), "oldest")
            .column_as(Expr::cust(now), "now")
            .filter(Expr::col((leasing::Entity, leasing::Column::Open)))
            .filter(leasing::Column::ErasedAt.is_null())
            .filter(Condition::any().add(is_asked_for.not()).add(is_owed))
            .into_model::<Row>();
        let row = within(select.one(&self.reader)).await?;
        Ok(row.map_or_else(Untold::default, |Row { leads, oldest, now }| Untold {
            leads: u64::try_from(leads).unwrap_or_default(),
            oldest: oldest.and_then(|oldest| (now - oldest).to_std().ok()).unwrap_or_default(),
        }))
    }
}
