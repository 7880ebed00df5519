//! Locks leads. A transaction takes its locks in this order: advisory locks, keys of people, leads.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{
    ColumnTrait, DatabaseTransaction, DerivePartialModel, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    prelude::DateTimeUtc, sea_query::LockType,
};
use uuid::Uuid;

use super::lead;
use crate::db::{
    error::StoreError,
    transaction::{advisory_lock, advisory_lock_shared},
};

pub(crate) struct Locked(HashMap<Uuid, LockedLead>);

#[derive(DerivePartialModel)]
#[sea_orm(entity = "lead::Entity")]
struct LockedLead {
    id: Uuid,
    open: bool,
    leased_until: Option<DateTimeUtc>,
    signals: String,
    contact_id: Option<Uuid>,
    do_not_contact_at: Option<DateTimeUtc>,
    erased_at: Option<DateTimeUtc>,
}

impl Locked {
    /// Whether the lead was erased, so that nothing about it may be stored. Canaries have `erased_at` too, but are only
    /// hidden.
    pub(crate) fn is_erased(&self, lead: Uuid) -> bool {
        self.0.get(&lead).is_some_and(|row| row.erased_at.is_some() && row.signals != lead::CANARY)
    }

    /// Whether the lead is stored and not erased; `false` for canaries.
    pub(crate) fn is_there(&self, lead: Uuid) -> bool {
        self.0.get(&lead).is_some_and(|row| row.erased_at.is_none())
    }

    /// Whether a delivery of the lead is pending, claimed or deferred, or none is known yet.
    pub(crate) fn is_open(&self, lead: Uuid) -> bool {
        self.0.get(&lead).is_some_and(|row| row.open)
    }

    pub(crate) fn is_leased(&self, lead: Uuid) -> bool {
        self.0.get(&lead).is_some_and(|row| row.leased_until.is_some())
    }

    pub(crate) fn do_not_contact_at(&self, lead: Uuid) -> Option<DateTimeUtc> {
        self.0.get(&lead).and_then(|row| row.do_not_contact_at)
    }

    pub(crate) fn contact(&self, lead: Uuid) -> Option<Uuid> {
        self.0.get(&lead).and_then(|row| row.contact_id)
    }
}

/// Lock for data about leads that are not stored: shared by transactions that add such data, exclusive for erasures. A
/// lead may be stored and erased between such a transaction's lookup and its commit, and the data would remain.
const NEWS: &str = "news of leads that are not stored";

/// Locks leads until the transaction ends. Required before changing data about a lead.
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
) -> Result<HashMap<Uuid, LockedLead>, StoreError> {
    let rows = lead::Entity::find()
        .filter(lead::Column::Id.is_in(ids))
        .order_by_asc(lead::Column::Id)
        .lock(LockType::Update)
        .into_partial_model::<LockedLead>()
        .all(transaction)
        .await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// Waits for transactions that add data about leads that are not stored, and blocks new ones until the transaction
/// ends. Must precede all locks on leads.
pub(crate) async fn lock_unknown_leads(transaction: &DatabaseTransaction) -> Result<(), StoreError> {
    advisory_lock(transaction, NEWS).await
}
