//! Erases leads: empties the personal columns, and keeps the row as a tombstone that blocks later copies.

use sea_orm::{
    ColumnTrait, ColumnType, Condition, DatabaseTransaction, EntityTrait, Iterable, QueryFilter,
    sea_query::Expr,
};
use uuid::Uuid;

use crate::{
    db::{error::StoreError, transaction::now},
    deliveries::delivery,
    leads::{conflict, contact, keys::Key, lead, leasing, lock::lock, timeline},
};

/// Lock that serialises erasures and assignments: two at once could deadlock on each other's keys.
pub(crate) const TURN: &str = "erase";

/// Whether a column is not personal. All others are emptied.
fn is_kept(column: lead::Column) -> bool {
    use lead::Column as C;
    matches!(
        column,
        C::Id
            | C::Reference
            | C::SubmittedAt
            | C::Language
            | C::RecordedAt
            | C::Source
            | C::Purpose
            | C::State
            | C::ErasedAt
    )
}

fn nothing(column: lead::Column) -> Expr {
    if matches!(column, lead::Column::Interests | lead::Column::Signals) {
        Expr::value("[]")
    } else if matches!(column.def().get_column_type(), ColumnType::String(_) | ColumnType::Text) {
        Expr::value("")
    } else {
        Expr::null()
    }
}

/// Erases leads with their deliveries, timelines and conflicts; returns how many were not erased yet. Leads that are
/// not stored are skipped.
pub(crate) async fn erase(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<u64, StoreError> {
    let keys = keys_of(transaction, ids).await?;
    contact::hold(transaction, keys.clone()).await?;
    lock(transaction, ids).await?;
    let erased = empty(transaction, ids).await?;
    conflict::delete(transaction, ids).await?;
    forget_deliveries(transaction, ids).await?;
    contact::drop_unused(transaction, keys).await?;
    Ok(erased)
}

/// Deletes the deliveries and timelines of these leads.
pub(crate) async fn forget_deliveries(
    transaction: &DatabaseTransaction,
    ids: &[Uuid],
) -> Result<(), StoreError> {
    let ids = || ids.iter().copied();
    timeline::Entity::delete_many().filter(timeline::Column::LeadId.is_in(ids())).exec(transaction).await?;
    delivery::Entity::delete_many().filter(delivery::Column::LeadId.is_in(ids())).exec(transaction).await?;
    Ok(())
}

/// The keys of the people of these leads.
pub(crate) async fn keys_of(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<Vec<Key>, StoreError> {
    let is_one = lead::Column::Id.is_in(ids.iter().copied());
    let kept = Condition::all().add(is_one).add(lead::Column::ErasedAt.is_null());
    contact::keys_of(transaction, kept, None).await
}

async fn empty(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<u64, StoreError> {
    let mut update = lead::Entity::update_many();
    for column in lead::Column::iter().filter(|column| !is_kept(*column)) {
        update = update.col_expr(column, nothing(column));
    }
    let emptied = update
        .col_expr(lead::Column::ErasedAt, Expr::value(Some(now(transaction).await?)))
        .filter(lead::Column::Id.is_in(ids.iter().copied()))
        .filter(lead::Column::ErasedAt.is_null())
        .exec(transaction)
        .await?;
    // An erased lead is not mailed.
    leasing::Entity::update_many()
        .col_expr(leasing::Column::Open, Expr::value(false))
        .col_expr(leasing::Column::LeasedUntil, Expr::value(None::<chrono::DateTime<chrono::Utc>>))
        .filter(leasing::Column::Id.is_in(ids.iter().copied()))
        .exec(transaction)
        .await?;
    Ok(emptied.rows_affected)
}
