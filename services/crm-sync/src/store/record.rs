//! Storing leads: each once, the first stands, and what differs from it is kept beside it.

use std::collections::HashMap;

use runtime::crash;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{LockType, OnConflict},
};
use uuid::Uuid;

use super::{
    Store, StoreError,
    entity::{conflict, lead, leasing, timeline},
    transaction::Work,
};
use crate::domain::{lead::Submission, road::Road};

/// What came of storing leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// How many were new.
    pub created: u64,
    /// How many had another form than what was there, and were not kept yet.
    pub conflicts: u64,
}

impl Store {
    /// Stores leads, all or none.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was stored, or it is not known whether it was.
    pub async fn record_leads(&self, road: Road, submissions: &[Submission]) -> Result<Recorded, StoreError> {
        self.transact(&Record { road, submissions }).await
    }
}

struct Record<'a> {
    road: Road,
    submissions: &'a [Submission],
}

impl Work for Record<'_> {
    type Outcome = Recorded;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Recorded, StoreError> {
        let recorded = record(transaction, self.road, self.submissions).await?;
        if self.road == Road::Broker {
            crash::point("crm-sync-before-commit");
        }
        Ok(recorded)
    }
}

/// Stores leads.
pub(super) async fn record(
    transaction: &DatabaseTransaction,
    road: Road,
    submissions: &[Submission],
) -> Result<Recorded, StoreError> {
    let mut ordered: Vec<_> = submissions.iter().collect();
    // In one order everywhere, so that two such statements cannot wait for each other.
    ordered.sort_by_key(|submission| submission.id);
    let known = OnConflict::column(lead::Column::Id).do_nothing().to_owned();
    let rows = ordered.iter().map(|submission| lead::to_row(submission, road));
    let insert = lead::Entity::insert_many(rows).on_conflict(known);
    let created = insert.exec_without_returning(transaction).await?;
    let conflicts =
        if created == ordered.len() as u64 { 0 } else { keep_conflicts(transaction, road, &ordered).await? };
    Ok(Recorded { created, conflicts })
}

async fn keep_conflicts(
    transaction: &DatabaseTransaction,
    road: Road,
    submissions: &[&Submission],
) -> Result<u64, StoreError> {
    let ids = submissions.iter().map(|submission| submission.id);
    let stored = lead::Entity::find().filter(lead::Column::Id.is_in(ids)).all(transaction).await?;
    let stored: HashMap<Uuid, lead::Model> = stored.into_iter().map(|row| (row.id, row)).collect();
    let differs = |submission: &Submission| {
        stored.get(&submission.id).is_some_and(|first| !first.has_the_form_of(submission))
    };
    let different: Vec<_> = submissions.iter().filter(|submission| differs(submission)).collect();
    if different.is_empty() {
        return Ok(0);
    }
    let ids: Vec<_> = different.iter().map(|submission| submission.id).collect();
    lock(transaction, &ids).await?;
    let kept = conflict::of_leads(transaction, &ids).await?;
    let mut new: Vec<&Submission> = Vec::new();
    for submission in different {
        let is_kept = kept.iter().any(|row| row.id == submission.id && row.has_the_form_of(submission));
        let is_repeated =
            new.iter().any(|other| other.id == submission.id && other.has_the_form_of(submission));
        if !is_kept && !is_repeated {
            new.push(submission);
        }
    }
    for submission in &new {
        transaction.execute(&conflict::insert(submission, road)).await?;
        timeline::Entity::insert(timeline::conflicting(submission.id))
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(new.len() as u64)
}

/// Holds these leads until the end of the transaction: whatever changes what is known of a lead does it first.
/// Leads that are not there are passed over.
pub(super) async fn lock(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<(), StoreError> {
    leasing::Entity::find()
        .filter(leasing::Column::Id.is_in(ids.iter().copied()))
        .order_by_asc(leasing::Column::Id)
        .lock(LockType::Update)
        .all(transaction)
        .await?;
    Ok(())
}
