//! Locks leads and people. A transaction acquires locks in this order: advisory locks, keys of people, leads.

use std::collections::{BTreeMap, BTreeSet};

use crm_sync_migration::database_clock;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Value,
    prelude::{Expr, Uuid},
    sea_query::LockType,
};

use super::{contact, keys::Key};
use crate::{
    db::{
        Result,
        error::StoreError,
        sql,
        transaction::{Transaction, chunks},
    },
    leads::row,
};

pub(crate) struct Locked(BTreeMap<Uuid, row::Model>);

impl Locked {
    pub(crate) fn rows(&self) -> impl Iterator<Item = &row::Model> {
        self.0.values()
    }

    /// The row of a lead, canary or tombstone, if stored.
    pub(crate) fn row(&self, id: Uuid) -> Option<&row::Model> {
        self.0.get(&id)
    }

    /// The row of a lead that is neither erased nor a canary; otherwise [`StoreError::NoSuchLead`].
    pub(crate) fn lead(&self, id: Uuid) -> Result<&row::Model> {
        self.row(id)
            .filter(|row| row.erased_at.is_none())
            .ok_or(StoreError::NoSuchLead(id))
    }

    /// The rows of leads that are neither erased nor canaries.
    pub(crate) fn leads(&self) -> impl Iterator<Item = &row::Model> {
        self.rows().filter(|row| row.erased_at.is_none())
    }

    pub(crate) fn is_erased(&self, id: Uuid) -> bool {
        self.row(id).is_some_and(row::Model::is_erased)
    }
}

/// Advisory lock that serialises erasures, merges, splits and corrections, which could deadlock on keys.
pub(crate) const ERASURE_LOCK: &str = "erase";

/// Advisory lock of suppressions. Transactions that store leads share it; transactions that change marks lock it
/// exclusively, before other locks except [`ERASURE_LOCK`]. Otherwise a new lead could miss a suppression, and the
/// suppression of a number could miss a new lead with this number.
pub(crate) const SUPPRESSION_LOCK: &str = "suppression";

/// Advisory lock for data about leads that are not stored. Transactions that add such data share it; erasures lock it
/// exclusively. Otherwise a lead could be stored and erased before such a transaction commits, and the data would remain.
const UNSTORED_LEADS_LOCK: &str = "news of leads that are not stored";

/// Locks leads until the transaction ends. Required before changing data about a lead.
pub(crate) async fn lock_leads(tx: &Transaction, leads: &[Uuid]) -> Result<Locked> {
    let mut locked = lock_stored_leads(tx, leads).await?;
    let unknown: Vec<Uuid> = leads
        .iter()
        .copied()
        .filter(|id| locked.row(*id).is_none())
        .collect();
    if !unknown.is_empty() {
        tx.advisory_lock_shared(UNSTORED_LEADS_LOCK).await?;
        locked.0.extend(lock_stored_leads(tx, &unknown).await?.0);
    }
    Ok(locked)
}

/// Like [`lock_leads`], but locks only stored leads.
pub(crate) async fn lock_stored_leads(tx: &Transaction, leads: &[Uuid]) -> Result<Locked> {
    // Sorted before they are split, to prevent deadlocks.
    let in_order: BTreeSet<Uuid> = leads.iter().copied().collect();
    let mut locked = BTreeMap::new();
    let backend = tx.db.get_database_backend();
    for leads in chunks(&Vec::from_iter(in_order)) {
        let select = row::find(leads)
            .expr_as(Expr::cust(database_clock(backend)), "now")
            .order_by_asc(row::Column::Id)
            .lock(LockType::Update)
            .build(backend);
        for found in tx.db.query_all_raw(select).await? {
            tx.set_now(found.try_get("", "now")?);
            let row = row::Model::from_query_result(&found, "")?;
            locked.insert(row.id, row);
        }
    }
    Ok(Locked(locked))
}

/// Selects leads. On PostgreSQL, locks them and skips leads that other transactions have locked.
pub(crate) async fn select_for_update(
    tx: &Transaction,
    select: &str,
    values: [Value; 3],
) -> Result<Vec<row::Model>> {
    let is_postgres = tx.db.get_database_backend() == DbBackend::Postgres;
    let lock = if is_postgres {
        " FOR UPDATE SKIP LOCKED"
    } else {
        ""
    };
    let select = sql(&tx.db, format!("{select}{lock}"), values);
    Ok(row::Model::find_by_statement(select).all(&tx.db).await?)
}

/// Locks the keys of the leads and `others`, then the leads. Returns the keys.
pub(crate) async fn lock_leads_and_keys(
    tx: &Transaction,
    leads: &[Uuid],
    others: impl IntoIterator<Item = Key>,
) -> Result<Vec<Key>> {
    let rows = row::load(tx, leads).await?;
    let keys: Vec<Key> = rows
        .iter()
        .flat_map(row::Model::keys)
        .chain(others)
        .collect();
    contact::lock_keys(tx, keys.iter().cloned()).await?;
    lock_leads(tx, leads).await?;
    Ok(keys)
}

/// Locks the leads of a mailbox, which [`SuppressionKey::hash_mailbox`](crate::db::suppression_key::SuppressionKey::hash_mailbox) returns.
/// The transaction must hold [`SUPPRESSION_LOCK`], so no other lead of the mailbox can be stored until it ends.
pub(crate) async fn lock_mailbox(tx: &Transaction, mailbox_hash: &str) -> Result<Locked> {
    let leads: Vec<Uuid> = row::select_ids()
        .filter(row::Column::MailboxHash.eq(mailbox_hash))
        .filter(row::Column::ErasedAt.is_null())
        .into_tuple()
        .all(&tx.db)
        .await?;
    lock_leads(tx, &leads).await
}

/// Locks leads and all leads of the same people or mailboxes. First locks the keys of these leads and `others`,
/// so no other lead of these people can be stored until the transaction ends.
pub(crate) async fn lock_people(
    tx: &Transaction,
    leads: &[Uuid],
    others: impl IntoIterator<Item = Key>,
) -> Result<Locked> {
    let (_, mut keys) = find_people(tx, leads).await?;
    keys.extend(others);
    contact::lock_keys(tx, keys.iter().cloned()).await?;
    let (leads, keys_now) = find_people(tx, leads).await?;
    if !keys_now.is_subset(&keys) {
        // Locking more keys out of order could deadlock, so the transaction is retried.
        return Err(StoreError::Contended(
            "another key of the person".to_owned(),
        ));
    }
    lock_leads(tx, &leads).await
}

/// Returns the leads, which must be few, all leads of the same people or mailboxes, and their keys.
async fn find_people(tx: &Transaction, leads: &[Uuid]) -> Result<(Vec<Uuid>, BTreeSet<Key>)> {
    let named = row::find(leads).all(&tx.db).await?;
    let is_of_mailbox = row::Column::Mailbox.is_in(named.iter().map(|row| row.mailbox.as_str()));
    let is_of_person = row::Column::ContactId.is_in(named.iter().filter_map(|row| row.contact_id));
    let theirs: Vec<(Uuid, String, String)> = row::select_ids()
        .columns([row::Column::EmailKey, row::Column::NumberKey])
        .filter(Condition::any().add(is_of_mailbox).add(is_of_person))
        .filter(row::Column::ErasedAt.is_null())
        .into_tuple()
        .all(&tx.db)
        .await?;
    let (mut ids, mut keys) = (leads.to_vec(), BTreeSet::new());
    for (id, email, number) in theirs {
        ids.push(id);
        keys.extend(Key::from_row(email, number));
    }
    Ok((ids, keys))
}

/// Begins an erasure: waits for transactions that add data about leads that are not stored, and blocks new ones until
/// the transaction ends. Must precede all other locks.
pub(crate) async fn lock_for_erasure(tx: &Transaction) -> Result<()> {
    tx.advisory_lock(ERASURE_LOCK).await?;
    tx.advisory_lock(UNSTORED_LEADS_LOCK).await
}
