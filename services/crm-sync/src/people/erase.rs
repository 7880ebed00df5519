//! Erases people: clears the personal columns of their leads, and keeps the rows as tombstones that block later copies.

use std::{collections::BTreeSet, time::Duration};

use chrono::TimeDelta;
use crm_sync_migration::database_clock;
use lead::Lead;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, NotSet,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    prelude::{DateTimeUtc, Expr, Uuid},
    sea_query::ExprTrait,
};
use tracing::warn;

use super::person::{Person, select_by_people};
use crate::{
    db::{
        Result, Store,
        audit::{self, Call},
        sql,
        transaction::{Purpose, Transaction},
        with_timeout,
    },
    deliveries::{ledger::before, request, row as delivery_row, row::has_delivery, webhook_notice},
    leads::{
        Source, conflict, contact,
        keys::{Key, Keys},
        lock::{lock_for_erasure, lock_leads_and_keys},
        record, row as lead_row, timeline,
    },
};

/// Leads per transaction. Small, because other transactions wait.
const BATCH: usize = 200;

/// Leads per transaction of retention.
const OLD_BATCH: u64 = 25;

/// Additional retention of a lead with a failed delivery, for an operator to retry or discard the delivery.
const FAILED_KEPT: TimeDelta = TimeDelta::days(90);

/// Retention in the audit.
const RETENTION: Call<'_> = Call {
    author: "retention",
    action: "erase",
};

impl Store {
    /// Erases the leads of all `people` and the leads in `also` in batches, and audits each batch under `client`. Stores
    /// tombstones for leads in `also` that are not stored. Returns the erased leads. After an error, earlier batches stay
    /// erased; repeat the call to erase the rest.
    pub async fn erase_people(
        &self,
        people: &[Person],
        also: &[Uuid],
        client: &str,
    ) -> Result<BTreeSet<Uuid>> {
        let mut also = also.chunks(BATCH);
        let mut erased = BTreeSet::new();
        loop {
            let named = also.next().unwrap_or_default();
            let call = Call {
                author: client,
                action: "erase-person",
            };
            let purpose = Purpose::of_person("erase person");
            let batch = self.write_audited(purpose, call, |tx| async move {
                erase_batch(&tx, people, named).await
            });
            let (leads, is_last) = batch.await?;
            erased.extend(leads);
            if is_last && also.len() == 0 {
                return Ok(erased);
            }
        }
    }

    /// Time since the oldest request for erasure, by the database's clock. Zero if there is none.
    pub async fn oldest_erasure_request(&self) -> Result<Duration> {
        let now = database_clock(self.backend);
        let oldest = format!(
            "SELECT min(erasure_requested_at) AS oldest, {now} AS now FROM lead
             WHERE erasure_requested_at IS NOT NULL"
        );
        let row = with_timeout(self.reader.query_one_raw(sql(&self.reader, oldest, []))).await?;
        let Some(row) = row else {
            return Ok(Duration::ZERO);
        };
        let now: DateTimeUtc = row.try_get("", "now")?;
        let oldest: Option<DateTimeUtc> = row.try_get("", "oldest")?;
        Ok(oldest.map_or(Duration::ZERO, |at| (now - at).to_std().unwrap_or_default()))
    }

    /// Erases the oldest leads that were submitted more than `age` ago and are not open, 90 days later if a delivery
    /// failed. Returns their number, at most 25; 0 means that none are left.
    pub async fn erase_older_than(&self, age: TimeDelta) -> Result<u64> {
        self.write("erase old leads", |tx| async move {
            lock_for_erasure(&tx).await?;
            let submitted_before = before(tx.now().await?, age.to_std().unwrap_or_default());
            let found = old(submitted_before)
                .order_by_asc(lead_row::Column::SubmittedAt)
                .order_by_asc(lead_row::Column::Id);
            let found: Vec<Uuid> = found.limit(OLD_BATCH).into_tuple().all(&tx.db).await?;
            if found.is_empty() {
                return Ok(0);
            }
            let keys = lock_leads_and_keys(&tx, &found, None).await?;
            // Reads again under the lock, because another transaction may have changed the leads.
            let still = old(submitted_before).filter(lead_row::Column::Id.is_in(found));
            let ids: Vec<Uuid> = still.into_tuple().all(&tx.db).await?;
            let failed = delivery_row::find_by_leads(&ids)
                .filter(is_failed())
                .count(&tx.db)
                .await?;
            if failed > 0 {
                warn!(
                    deliveries = failed,
                    "failed deliveries erased with their leads: nobody retried or discarded them"
                );
            }
            let erased = erase(&tx, &ids, &keys).await?;
            audit::insert(&tx.db, RETENTION, &ids).await?;
            Ok(erased)
        })
        .await
    }
}

/// Erases the people's oldest leads and the leads in `also`. Returns these leads and whether the people have no more leads,
/// and the leads again for the audit.
async fn erase_batch(
    tx: &Transaction,
    people: &[Person],
    also: &[Uuid],
) -> Result<((BTreeSet<Uuid>, bool), Vec<Uuid>)> {
    lock_for_erasure(tx).await?;
    let mut leads: BTreeSet<Uuid> = oldest_of_people(tx, people).await?.into_iter().collect();
    leads.extend(also);
    let ids: Vec<Uuid> = leads.iter().copied().collect();
    // Leads that arrive later wait for one of the keys or find the tombstone of their id.
    let mut keys = lock_leads_and_keys(tx, &ids, people.iter().filter_map(Person::key)).await?;
    insert_tombstones(tx, also).await?;
    // A lead may have been stored in the meantime.
    keys.extend(lock_leads_and_keys(tx, also, None).await?);
    let found = oldest_of_people(tx, people).await?;
    let is_last = found.len() < BATCH && found.iter().all(|id| leads.contains(id));
    erase(tx, &ids, &keys).await?;
    Ok(((leads, is_last), ids))
}

async fn oldest_of_people(tx: &Transaction, people: &[Person]) -> Result<Vec<Uuid>> {
    Ok(select_by_people(people)
        .limit(BATCH as u64)
        .into_tuple()
        .all(&tx.db)
        .await?)
}

/// Stores tombstones for leads that are not stored, which blocks storing them later.
async fn insert_tombstones(tx: &Transaction, ids: &[Uuid]) -> Result<()> {
    let now = tx.now().await?;
    let rows = ids.iter().map(|id| {
        let nothing = Lead::empty(*id, now);
        lead_row::to_row(&nothing, &Keys::from_lead(&nothing), None, Source::Erasure)
    });
    record::insert(tx, &rows.collect::<Vec<_>>()).await?;
    Ok(())
}

/// Erases leads with their deliveries, timelines and conflicts, then deletes the given keys that no lead has. Leads and
/// keys must be locked. Returns the number of leads that were not erased before.
async fn erase(tx: &Transaction, ids: &[Uuid], keys: &[Key]) -> Result<u64> {
    let erased = clear_personal_columns(tx, ids).await?;
    request::notify_of_erasures(tx, ids).await?;
    delete_history(tx, ids).await?;
    contact::drop_unused(tx, keys).await?;
    Ok(erased)
}

/// Deletes the conflicts, deliveries and timelines of these leads. Notices of their erasure remain.
pub(crate) async fn delete_history(tx: &Transaction, ids: &[Uuid]) -> Result<()> {
    let ids = || ids.iter().copied();
    conflict::Entity::delete_many()
        .filter(conflict::Column::LeadId.is_in(ids()))
        .exec(&tx.db)
        .await?;
    timeline::Entity::delete_many()
        .filter(timeline::Column::LeadId.is_in(ids()))
        .exec(&tx.db)
        .await?;
    delivery_row::Entity::delete_many()
        .filter(delivery_row::Column::LeadId.is_in(ids()))
        .filter(webhook_notice::is_erasure().not())
        .exec(&tx.db)
        .await?;
    Ok(())
}

async fn clear_personal_columns(tx: &Transaction, ids: &[Uuid]) -> Result<u64> {
    let empty = "[]".to_owned();
    // An erased lead is neither open nor leased.
    let blank = lead_row::Model {
        interests: empty.clone(),
        signals: empty,
        erased_at: Some(tx.now().await?),
        ..lead_row::Model::default()
    };
    let emptied = lead_row::ActiveModel {
        // Keeps the columns without personal data, and the hashes that a later withdrawal needs.
        id: NotSet,
        reference: NotSet,
        submitted_at: NotSet,
        mailbox_hash: NotSet,
        submitted_mailbox_hash: NotSet,
        language: NotSet,
        recorded_at: NotSet,
        source: NotSet,
        state: NotSet,
        leases: NotSet,
        brochure: NotSet,
        ..blank.into_active_model().reset_all()
    };
    let emptied = lead_row::Entity::update_many()
        .set(emptied)
        .filter(lead_row::Column::Id.is_in(ids.iter().copied()))
        // Includes open canaries, which have `erased_at` from the start.
        .filter(
            lead_row::Column::ErasedAt
                .is_null()
                .or(lead_row::Column::Open.eq(true)),
        )
        .exec(&tx.db)
        .await?;
    Ok(emptied.rows_affected)
}

/// The ids of leads that were submitted before `before` and are not open. Leads with failed deliveries are kept longer.
fn old(before: DateTimeUtc) -> Select<lead_row::Entity> {
    lead_row::select_ids()
        .filter(lead_row::Column::ErasedAt.is_null())
        .filter(lead_row::Column::SubmittedAt.lt(before))
        .filter(Expr::col((lead_row::Entity, lead_row::Column::Open)).not())
        .filter(
            has_delivery(is_failed())
                .not()
                .or(lead_row::Column::SubmittedAt.lt(before - FAILED_KEPT)),
        )
}

fn is_failed() -> Expr {
    delivery_row::Column::State.eq(delivery_row::StateName::Failed)
}
