//! Locks on leads. A transaction that needs several locks takes them in this order: advisory locks, keys of people, leads.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::LockType,
};
use uuid::Uuid;

use super::leasing;
use crate::db::{
    error::StoreError,
    lock::{advisory_lock, advisory_lock_shared},
};

pub(crate) struct Locked(HashMap<Uuid, leasing::Model>);

impl Locked {
    /// Whether the lead was erased: nothing about it may be kept.
    pub(crate) fn is_erased(&self, lead: Uuid) -> bool {
        self.0.get(&lead).is_some_and(leasing::Model::is_erased)
    }

    /// Whether the lead is stored, and was not erased.
    pub(crate) fn is_there(&self, lead: Uuid) -> bool {
        self.0.get(&lead).is_some_and(|row| row.erased_at.is_none())
    }

    /// Whether a delivery of the lead is pending, held or deferred, or none is known yet.
    pub(crate) fn is_open(&self, lead: Uuid) -> bool {
        self.0.get(&lead).is_some_and(|row| row.open)
    }

    pub(crate) fn contact(&self, lead: Uuid) -> Option<Uuid> {
        self.0.get(&lead).and_then(|row| row.contact_id)
    }
}

/// Shared by transactions that bring news of leads which they do not find stored. Whoever erases has it alone: a lead may
/// be stored and erased between such a transaction's look at it and its commit, and the news would stay.
const NEWS: &str = "news of leads that are not stored";

/// Holds these leads until the end of the transaction: whatever changes what is known of a lead does it first.
pub(crate) async fn lock(transaction: &DatabaseTransaction, leads: &[Uuid]) -> Result<Locked, StoreError> {
    let mut found = rows(transaction, leads.iter().copied()).await?;
    let unknown: BTreeSet<Uuid> = leads.iter().filter(|id| !found.contains_key(id)).copied().collect();
    if !unknown.is_empty() {
        advisory_lock_shared(transaction, NEWS).await?;
        found.extend(rows(transaction, unknown.into_iter()).await?);
    }
    Ok(Locked(found))
}

async fn rows(
    transaction: &DatabaseTransaction,
    ids: impl Iterator<Item = Uuid>,
) -> Result<HashMap<Uuid, leasing::Model>, StoreError> {
    let rows = leasing::Entity::find()
        .filter(leasing::Column::Id.is_in(ids))
        .order_by_asc(leasing::Column::Id)
        .lock(LockType::Update)
        .all(transaction)
        .await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// Waits until nobody brings news of leads that are not stored, and keeps others from it until the end of the
/// transaction. To be called before any lead is held.
pub(crate) async fn hold_news(transaction: &DatabaseTransaction) -> Result<(), StoreError> {
    advisory_lock(transaction, NEWS).await
}
