//! Stores each lead once; other contents under its id become conflicts.

use ::lead::Lead;
use std::collections::HashMap;

use runtime::crash;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, QueryFilter, sea_query::OnConflict,
};
use uuid::Uuid;

use super::{
    conflict, contact,
    keys::{Key, Keys},
    lead,
    lock::lock,
    source::Source,
    timeline,
};
use crate::db::{
    Store,
    chunks::chunks,
    error::StoreError,
    transaction::{UnitOfWork, look_up_by_index},
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    pub created: u64,
    /// Leads whose contents differ from the stored lead and from its earlier conflicts.
    pub conflicts: u64,
}

impl Store {
    /// Stores leads, all or none.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was stored, or it is unknown whether it was.
    pub async fn record_leads(&self, source: Source, submissions: &[Lead]) -> Result<Recorded, StoreError> {
        self.transact(&Record { source, submissions }).await
    }
}

struct Record<'a> {
    source: Source,
    submissions: &'a [Lead],
}

impl UnitOfWork for Record<'_> {
    const NAME: &'static str = "record leads";

    type Outcome = Recorded;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Recorded, StoreError> {
        let recorded = record(transaction, self.source, self.submissions).await?;
        if self.source == Source::Broker {
            crash::point("crm-sync-before-commit");
        }
        Ok(recorded)
    }
}

pub(crate) async fn record(
    transaction: &DatabaseTransaction,
    source: Source,
    submissions: &[Lead],
) -> Result<Recorded, StoreError> {
    if submissions.len() > 1 {
        look_up_by_index(transaction).await?;
    }
    let mut ordered: Vec<_> = submissions.iter().collect();
    // Same order everywhere, so that two such statements cannot deadlock.
    ordered.sort_by_key(|submission| submission.id);
    let mut stored = stored(transaction, ordered.iter().copied()).await?;
    let new: Vec<&Lead> =
        ordered.iter().copied().filter(|submission| !stored.contains_key(&submission.id)).collect();
    let created = if new.is_empty() { 0 } else { insert(transaction, source, &new).await? };
    if created < new.len() as u64 {
        // Another transaction was faster, or the batch contains duplicates.
        stored.extend(self::stored(transaction, new.iter().copied()).await?);
        let erased =
            new.into_iter().filter(|it| stored.get(&it.id).is_some_and(|row| row.erased_at.is_some()));
        let keys: Vec<Key> = erased.flat_map(|it| Keys::of(it).of_person().collect::<Vec<_>>()).collect();
        contact::drop_unused(transaction, keys).await?;
    }
    let conflicts = keep_conflicts(transaction, source, &ordered, stored).await?;
    Ok(Recorded { created, conflicts })
}

/// The rows stored under the ids of these leads.
async fn stored<'a>(
    transaction: &DatabaseTransaction,
    submissions: impl Iterator<Item = &'a Lead>,
) -> Result<HashMap<Uuid, lead::Model>, StoreError> {
    let ids: Vec<Uuid> = submissions.map(|submission| submission.id).collect();
    let mut stored = HashMap::new();
    for ids in chunks(&ids) {
        let rows = lead::Entity::find().filter(lead::Column::Id.is_in(ids.into_iter().copied()));
        stored.extend(rows.all(transaction).await?.into_iter().map(|row| (row.id, row)));
    }
    Ok(stored)
}

/// Inserts leads, except those stored meanwhile; returns the number inserted.
async fn insert(transaction: &DatabaseTransaction, source: Source, new: &[&Lead]) -> Result<u64, StoreError> {
    let keys: Vec<Keys> = new.iter().map(|submission| Keys::of(submission)).collect();
    // A canary belongs to no person.
    let with_keys = new.iter().zip(&keys).filter(|(submission, _)| !submission.is_canary());
    let mut whose: Vec<(Uuid, &Keys)> = with_keys.map(|(submission, keys)| (submission.id, keys)).collect();
    // A batch may contain a lead twice.
    whose.dedup_by_key(|(id, _)| *id);
    let contacts = contact::assign(transaction, &whose).await?;
    let mut inserted = 0;
    for part in chunks(&new.iter().zip(&keys).collect::<Vec<_>>()) {
        let rows = part.iter().map(|(submission, keys)| {
            lead::to_row(submission, keys, contacts.get(&submission.id).copied(), source)
        });
        let known = OnConflict::column(lead::Column::Id).do_nothing().to_owned();
        let insert = lead::Entity::insert_many(rows).on_conflict(known);
        inserted += insert.exec_without_returning(transaction).await?;
    }
    Ok(inserted)
}

async fn keep_conflicts(
    transaction: &DatabaseTransaction,
    source: Source,
    submissions: &[&Lead],
    stored: HashMap<Uuid, lead::Model>,
) -> Result<u64, StoreError> {
    let mut first: HashMap<Uuid, Lead> = HashMap::new();
    for row in stored.into_values().filter(|row| row.erased_at.is_none()) {
        first.insert(row.id, row.into_submission()?);
    }
    let differs = |it: &Lead| first.get(&it.id).is_some_and(|first| !first.has_the_form_of(it));
    let mut different: Vec<_> = submissions.iter().filter(|submission| differs(submission)).collect();
    if different.is_empty() {
        return Ok(0);
    }
    let ids: Vec<_> = different.iter().map(|submission| submission.id).collect();
    let locked = lock(transaction, &ids).await?;
    // Some may have been erased while this waited for the locks.
    different.retain(|submission| locked.is_there(submission.id));
    let kept = conflict::of_leads(transaction, &ids).await?.into_iter().map(lead::Model::into_submission);
    let kept: Vec<Lead> = kept.collect::<Result<_, _>>()?;
    let mut new: Vec<&Lead> = Vec::new();
    for submission in different {
        if !kept.iter().chain(new.iter().copied()).any(|known| known.has_the_form_of(submission)) {
            new.push(submission);
        }
    }
    for submission in &new {
        transaction.execute(&conflict::insert(submission, source)).await?;
        timeline::Entity::insert(timeline::conflicting(submission.id))
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(new.len() as u64)
}
