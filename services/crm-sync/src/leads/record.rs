//! Stores each lead once; other contents under its id become conflicts.

use ::lead::Lead;
use std::collections::HashMap;

use runtime::crash;
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use uuid::Uuid;

use super::{
    conflict, contact, do_not_contact, keys::Keys, lead, lock::lock, source::Source, suppression, timeline,
};
use crate::db::{
    Store,
    chunks::chunks,
    error::StoreError,
    rows,
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
        self.transact(&Record { source, leads: keyed(submissions) }).await
    }
}

struct Record<'a> {
    source: Source,
    leads: Vec<Keyed<'a>>,
}

impl UnitOfWork for Record<'_> {
    const NAME: &'static str = "record leads";

    type Outcome = Recorded;

    async fn perform(
        &self,
        transaction: &DatabaseTransaction,
        store: &Store,
    ) -> Result<Recorded, StoreError> {
        let recorded = record_all(transaction, store, self.source, &self.leads).await?;
        if self.source == Source::Broker {
            crash::point("crm-sync-before-commit");
        }
        Ok(recorded)
    }
}

/// A lead to record, with its keys.
type Keyed<'a> = (&'a Lead, Keys);

/// Leads with their keys, in the same order everywhere, so that two statements cannot deadlock.
fn keyed(submissions: &[Lead]) -> Vec<Keyed<'_>> {
    let mut leads: Vec<_> = submissions.iter().map(|it| (it, Keys::of(it))).collect();
    leads.sort_by_key(|(submission, _)| submission.id);
    leads
}

pub(crate) async fn record(
    transaction: &DatabaseTransaction,
    store: &Store,
    source: Source,
    submissions: &[Lead],
) -> Result<Recorded, StoreError> {
    record_all(transaction, store, source, &keyed(submissions)).await
}

async fn record_all(
    transaction: &DatabaseTransaction,
    store: &Store,
    source: Source,
    leads: &[Keyed<'_>],
) -> Result<Recorded, StoreError> {
    if leads.is_empty() {
        return Ok(Recorded::default());
    }
    if leads.len() > 1 {
        look_up_by_index(transaction).await?;
    }
    // A canary belongs to no person.
    let of_people = leads.iter().filter(|(submission, _)| !submission.is_canary());
    let mut whose: Vec<(Uuid, &Keys)> = of_people.map(|(submission, keys)| (submission.id, keys)).collect();
    // A batch may contain a lead twice.
    whose.dedup_by_key(|(id, _)| *id);
    let (contacts, new_keys) = contact::assign(transaction, &whose).await?;
    // A new person is named after the lead.
    let known = contacts.iter().filter(|(lead, contact)| **lead != contact.id).map(|(_, contact)| contact.id);
    let do_not_contact = do_not_contact::of_people(transaction, &known.collect::<Vec<_>>()).await?;
    let suppressed = suppression::of_leads(transaction, &store.suppression, whose.iter().copied()).await?;
    let rows = leads.iter().map(|(submission, keys)| {
        let contact = contacts.get(&submission.id).copied();
        let of_person = contact.and_then(|contact| do_not_contact.get(&contact.id));
        let do_not_contact_at = of_person.or_else(|| suppressed.get(&submission.id)).copied();
        lead::Model { do_not_contact_at, ..lead::to_row(submission, keys, contact, source) }
    });
    let created = insert(transaction, &rows.collect::<Vec<_>>()).await?;
    if created == leads.len() as u64 {
        return Ok(Recorded { created, conflicts: 0 });
    }
    // Some were stored before; what they say may differ, or be erased.
    contact::drop_unused(transaction, new_keys).await?;
    let conflicts = keep_conflicts(transaction, source, leads).await?;
    Ok(Recorded { created, conflicts })
}

/// Inserts rows, except those stored before; returns the number inserted.
pub(crate) async fn insert(
    transaction: &DatabaseTransaction,
    rows: &[lead::Model],
) -> Result<u64, StoreError> {
    let mut inserted = 0;
    for insert in rows::inserts(transaction, &lead::new_columns(), lead::same_in_new, rows, "") {
        inserted += transaction.execute_raw(insert).await?.rows_affected();
    }
    Ok(inserted)
}

async fn keep_conflicts(
    transaction: &DatabaseTransaction,
    source: Source,
    leads: &[Keyed<'_>],
) -> Result<u64, StoreError> {
    let mut first: HashMap<Uuid, Lead> = HashMap::new();
    let ids: Vec<Uuid> = leads.iter().map(|(submission, _)| submission.id).collect();
    for ids in chunks(&ids) {
        let rows = lead::Entity::find().filter(lead::Column::Id.is_in(ids.into_iter().copied()));
        for row in rows.filter(lead::Column::ErasedAt.is_null()).all(transaction).await? {
            first.insert(row.id, row.into_submission()?);
        }
    }
    let differs = |it: &Lead| first.get(&it.id).is_some_and(|first| !first.has_the_form_of(it));
    let mut different: Vec<&Lead> = leads.iter().map(|(submission, _)| *submission).collect();
    different.retain(|submission| differs(submission));
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
