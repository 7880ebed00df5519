//! Stores each lead once. Different contents with the same id become conflicts.

use chrono::TimeDelta;
use contracts::leads::v1::LeadSubmitted;
use lead::{FieldError, Lead, is_email_address};
use runtime::crash;
use sea_orm::{
    EntityTrait,
    prelude::{DateTimeUtc, Uuid},
    sea_query::OnConflict,
};

use super::{
    conflict, contact, do_not_contact, keys::Keys, lock::SUPPRESSION_LOCK, row, source::Source,
};
use crate::{
    db::{
        Result, Store,
        transaction::{Transaction, chunks},
    },
    error::Invalid,
};

/// Maximum accepted difference between the clocks of two machines.
pub(super) const CLOCK_SKEW: TimeDelta = TimeDelta::days(1);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    pub created: u64,
    /// Leads whose contents differ from the stored lead and from its earlier conflicts.
    pub conflicts: u64,
}

/// Parses the lead of a message. Rejects leads that lead-intake could not have accepted before `now`.
pub(crate) fn parse_lead(
    message: Option<LeadSubmitted>,
    now: DateTimeUtc,
) -> Result<Lead, Invalid> {
    let lead = Lead::try_from(message.ok_or(FieldError::Missing("lead"))?)?;
    if !is_email_address(&lead.email) {
        return Err(FieldError::NotEmail("email").into());
    }
    if lead.submitted_at > now + CLOCK_SKEW {
        return Err(FieldError::InFuture("submitted_at").into());
    }
    Ok(lead)
}

impl Store {
    /// Stores all leads or none.
    pub async fn record_leads(&self, source: Source, submissions: &[Lead]) -> Result<Recorded> {
        // Computed before the transaction, which blocks other writers.
        let leads = &with_keys(submissions);
        self.write("record leads", |tx| async move {
            let recorded = record(&tx, source, leads).await?;
            if source == Source::Broker {
                crash::point("crm-sync-before-commit");
            }
            Ok(recorded)
        })
        .await
    }
}

/// Returns leads with their keys, sorted by id to prevent deadlocks.
pub(crate) fn with_keys(submissions: &[Lead]) -> Vec<(&Lead, Keys)> {
    let mut leads: Vec<_> = submissions
        .iter()
        .map(|it| (it, Keys::from_lead(it)))
        .collect();
    leads.sort_by_key(|(submission, _)| submission.id);
    leads
}

pub(crate) async fn record(
    tx: &Transaction,
    source: Source,
    leads: &[(&Lead, Keys)],
) -> Result<Recorded> {
    if leads.is_empty() {
        return Ok(Recorded::default());
    }
    if leads.len() > 1 {
        tx.disable_seqscan().await?;
    }
    tx.advisory_lock_shared(SUPPRESSION_LOCK).await?;
    // A canary belongs to no person.
    let of_people = leads
        .iter()
        .filter(|(submission, _)| !submission.is_canary());
    let mut person_keys: Vec<(Uuid, &Keys)> = of_people
        .map(|(submission, keys)| (submission.id, keys))
        .collect();
    // A batch may contain a lead twice.
    person_keys.dedup_by_key(|(id, _)| *id);
    let (contacts, new_keys) = contact::assign(tx, &person_keys).await?;
    let do_not_contact = do_not_contact::find_since(tx, &person_keys).await?;
    let rows = leads.iter().map(|(submission, keys)| {
        let contact = contacts.get(&submission.id).copied();
        let do_not_contact_at = do_not_contact.get(&submission.id).copied();
        row::Model {
            do_not_contact_at,
            mailbox_hash: tx.suppression.hash_mailbox(&keys.email),
            ..row::to_row(submission, keys, contact, source)
        }
    });
    let created = insert(tx, &rows.collect::<Vec<_>>()).await?;
    if created == leads.len() as u64 {
        return Ok(Recorded {
            created,
            conflicts: 0,
        });
    }
    // Some leads were already stored. Their contents may differ, or they may be erased.
    contact::drop_unused(tx, &new_keys).await?;
    let submissions: Vec<&Lead> = leads.iter().map(|(submission, _)| *submission).collect();
    let conflicts = conflict::insert_new(tx, source, &submissions).await?;
    Ok(Recorded { created, conflicts })
}

/// Inserts rows that are not stored and returns their number.
pub(crate) async fn insert(tx: &Transaction, rows: &[row::Model]) -> Result<u64> {
    let mut inserted = 0;
    for part in chunks(rows) {
        let rows = part.iter().map(|row| row.clone().into_new());
        let known = OnConflict::column(row::Column::Id).do_nothing().to_owned();
        inserted += row::Entity::insert_many(rows)
            .on_conflict(known)
            .exec_without_returning(&tx.db)
            .await?;
    }
    Ok(inserted)
}
