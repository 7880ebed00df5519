//! Stores each lead once; other contents under its id become conflicts.

use ::lead::Lead;

use runtime::crash;
use sea_orm::{DatabaseTransaction, EntityTrait, sea_query::OnConflict};
use uuid::Uuid;

use super::{
    conflict, contact, do_not_contact,
    keys::Keys,
    lead,
    stored::Source,
    suppression::{self, SuppressionKey},
};
use crate::db::{Store, error::StoreError, transaction::chunks, transaction::disable_seqscan};

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
        let leads = &with_keys(submissions);
        self.write("record leads", |transaction| async move {
            let recorded = record_all(&transaction, &self.suppression, source, leads).await?;
            if source == Source::Broker {
                crash::point("crm-sync-before-commit");
            }
            Ok(recorded)
        })
        .await
    }
}

/// A lead to record, with its keys.
type Keyed<'a> = (&'a Lead, Keys);

/// Leads with their keys, in the same order everywhere, so that two statements cannot deadlock.
fn with_keys(submissions: &[Lead]) -> Vec<Keyed<'_>> {
    let mut leads: Vec<_> = submissions.iter().map(|it| (it, Keys::of(it))).collect();
    leads.sort_by_key(|(submission, _)| submission.id);
    leads
}

pub(crate) async fn record(
    transaction: &DatabaseTransaction,
    key: &SuppressionKey,
    source: Source,
    submissions: &[Lead],
) -> Result<Recorded, StoreError> {
    record_all(transaction, key, source, &with_keys(submissions)).await
}

async fn record_all(
    transaction: &DatabaseTransaction,
    key: &SuppressionKey,
    source: Source,
    leads: &[Keyed<'_>],
) -> Result<Recorded, StoreError> {
    if leads.is_empty() {
        return Ok(Recorded::default());
    }
    if leads.len() > 1 {
        disable_seqscan(transaction).await?;
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
    let suppressed = suppression::of_leads(transaction, key, whose.iter().copied()).await?;
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
    let submissions: Vec<&Lead> = leads.iter().map(|(submission, _)| *submission).collect();
    let conflicts = conflict::insert_new(transaction, source, &submissions).await?;
    Ok(Recorded { created, conflicts })
}

/// Inserts rows, except those stored before; returns the number inserted.
pub(crate) async fn insert(
    transaction: &DatabaseTransaction,
    rows: &[lead::Model],
) -> Result<u64, StoreError> {
    let mut inserted = 0;
    for part in chunks(rows) {
        let rows = part.into_iter().map(|row| row.clone().into_new());
        let known = OnConflict::column(lead::Column::Id).do_nothing().to_owned();
        inserted +=
            lead::Entity::insert_many(rows).on_conflict(known).exec_without_returning(transaction).await?;
    }
    Ok(inserted)
}
