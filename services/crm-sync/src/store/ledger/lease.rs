//! Handing out leads that nobody is telling.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
    sea_query::{Expr, IntoCondition, LockBehavior, LockType},
};
use tracing::error;
use uuid::Uuid;

use super::{close_settled, is_unsettled, recipients_of_lead};
use crate::{
    domain::{
        lead::Submission,
        ledger::{Lease, State, after},
        road::Road,
    },
    store::{
        Store, StoreError,
        entity::{lead, leasing, recipient, timeline},
        transaction::{Work, now},
    },
};

/// At most so many leads in one answer.
const LARGEST_LIMIT: u32 = 256;

/// How often to look for more when leads found turn out to be settled.
const LOOKS: u32 = 8;

impl Store {
    /// Leases leads that are stored, untold, and with nobody, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was leased, or what was is free again in the end.
    pub async fn lease(&self, lease: &Lease) -> Result<Vec<Submission>, StoreError> {
        self.transact(lease).await
    }
}

impl Work for Lease {
    const NAME: &'static str = "lease leads";

    type Outcome = Vec<Submission>;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Vec<Submission>, StoreError> {
        let now = now(transaction).await?;
        let mut leads = Vec::new();
        let mut wanted = u64::from(Ord::min(self.limit, LARGEST_LIMIT));
        for _ in 0..LOOKS {
            if wanted == 0 {
                break;
            }
            let found = self.candidates(now, wanted).all(transaction).await?;
            if found.is_empty() {
                break;
            }
            let ids: Vec<_> = found.into_iter().map(|row| row.id).collect();
            close_settled(transaction, &ids).await?;
            // Looked at again, now that nobody else can change them.
            let due = leasing::Entity::find()
                .filter(leasing::Column::Id.is_in(ids))
                .filter(Expr::col((leasing::Entity, leasing::Column::Open)))
                .filter(somebody_is_due(now));
            let due = due.all(transaction).await?;
            wanted -= due.len() as u64;
            leads.extend(self.take(transaction, now, due).await?);
        }
        leads.sort_by_key(|row| (row.recorded_at, row.id));
        Ok(leads.into_iter().filter_map(readable).collect())
    }
}

impl Lease {
    /// Leads that are free and either due or settled, locked; those that somebody else has locked are passed over.
    fn candidates(&self, now: DateTime<Utc>, limit: u64) -> Select<leasing::Entity> {
        let stored_before =
            now - chrono::TimeDelta::from_std(self.untold_for).unwrap_or(chrono::TimeDelta::MAX);
        let is_free = leasing::Column::LeasedUntil.is_null().or(leasing::Column::LeasedUntil.lte(now));
        let is_old_enough =
            leasing::Column::Road.eq(Road::Grpc.tag()).or(leasing::Column::RecordedAt.lte(stored_before));
        leasing::Entity::find()
            // As the index has it: not compared with a parameter.
            .filter(Expr::col((leasing::Entity, leasing::Column::Open)))
            .filter(is_free)
            .filter(is_old_enough)
            .filter(somebody_is_due(now))
            .order_by_asc(leasing::Column::RecordedAt)
            .order_by_asc(leasing::Column::Id)
            .limit(limit)
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
    }

    /// Makes leads the holder's.
    async fn take(
        &self,
        transaction: &DatabaseTransaction,
        now: DateTime<Utc>,
        due: Vec<leasing::Model>,
    ) -> Result<Vec<lead::Model>, StoreError> {
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let mut by_leases: BTreeMap<u32, Vec<Uuid>> = BTreeMap::new();
        for row in &due {
            by_leases.entry(row.leases.unsigned_abs()).or_default().push(row.id);
        }
        for (leases, ids) in by_leases {
            let until = after(now, self.length(leases));
            leasing::Entity::update_many()
                .col_expr(leasing::Column::LeasedUntil, Expr::value(until))
                .col_expr(leasing::Column::Leases, Expr::col(leasing::Column::Leases).add(1))
                .filter(leasing::Column::Id.is_in(ids.iter().copied()))
                .exec(transaction)
                .await?;
            let entries = ids.iter().map(|id| timeline::leased(*id, &self.holder, until));
            timeline::Entity::insert_many(entries).exec_without_returning(transaction).await?;
        }
        let ids = due.into_iter().map(|row| row.id);
        Ok(lead::Entity::find().filter(lead::Column::Id.is_in(ids)).all(transaction).await?)
    }
}

/// Nobody of the lead is known, or nobody is left, or somebody is due: untold, or held or waiting for long enough.
fn somebody_is_due(now: DateTime<Utc>) -> Condition {
    let was_left = recipient::Column::State
        .is_in([State::Held.tag(), State::Waiting.tag()])
        .and(recipient::Column::Until.lte(now));
    let is_due = recipient::Column::State.eq(State::Untold.tag()).or(was_left);
    Condition::any()
        .add(Expr::exists(recipients_of_lead(is_due.into_condition())))
        .add(Expr::exists(recipients_of_lead(is_unsettled())).not())
}

/// A lead that this version cannot read must not keep the others from being told. Its lease grows longer each time.
fn readable(row: lead::Model) -> Option<Submission> {
    let id = row.id;
    row.into_submission().inspect_err(|error| error!(lead_id = %id, %error, "a lead cannot be leased")).ok()
}
