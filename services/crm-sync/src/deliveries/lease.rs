//! Handing out leads with deliveries that are due and in nobody's hands.

use ::lead::Lead;
use std::{collections::BTreeMap, time::Duration};

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
    sea_query::{Expr, IntoCondition, LockBehavior, LockType},
};
use tracing::error;
use uuid::Uuid;

use super::delivery::{self, State, after, close, is_open, of_lead};
use crate::{
    db::{
        Store,
        error::StoreError,
        transaction::{UnitOfWork, now},
    },
    leads::{lead, leasing, source::Source, timeline},
};

/// However often a lead was leased in vain, it is leased again after this.
const LONGEST_LEASE: Duration = Duration::from_secs(6 * 60 * 60);

const LARGEST_LIMIT: u32 = 256;

/// How often to look for more when leads found turn out to be closed.
const LOOKS: u32 = 8;

/// A notifier asks for leads with deliveries that are due.
#[derive(Clone)]
pub struct Lease {
    pub holder: String,
    /// Only leads stored at least so long ago, but for those that no message will bring.
    pub pending_for: Duration,
    /// How long a lead is the holder's the first time.
    pub lease: Duration,
    pub limit: u32,
}

impl Store {
    /// Leases leads, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was leased, or what was is free again in the end.
    pub async fn lease(&self, lease: &Lease) -> Result<Vec<Lead>, StoreError> {
        self.transact(lease).await
    }
}

impl UnitOfWork for Lease {
    const NAME: &'static str = "lease leads";

    type Outcome = Vec<Lead>;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Vec<Lead>, StoreError> {
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
            close(transaction, &ids).await?;
            // Looked at again, now that nobody else can change them.
            let due = leasing::Entity::find()
                .filter(leasing::Column::Id.is_in(ids))
                .filter(Expr::col((leasing::Entity, leasing::Column::Open)))
                .filter(something_is_due(now));
            let due = due.all(transaction).await?;
            wanted -= due.len() as u64;
            leads.extend(self.take(transaction, now, due).await?);
        }
        leads.sort_by_key(|row| (row.recorded_at, row.id));
        Ok(leads.into_iter().filter_map(readable).collect())
    }
}

impl Lease {
    /// How long a lead is the holder's that was leased `before` times without a report: doubled each time, so that a
    /// lead that ends every notifier it is given to does so rarely.
    fn length(&self, before: u32) -> Duration {
        let doubled = 2u32.checked_pow(before).and_then(|factor| self.lease.checked_mul(factor));
        doubled.map_or(LONGEST_LEASE, |length| length.min(LONGEST_LEASE))
    }

    /// Leads that are free and either due or to be closed, locked; those that somebody else has locked are passed over.
    fn candidates(&self, now: DateTime<Utc>, limit: u64) -> Select<leasing::Entity> {
        let stored_before =
            now - chrono::TimeDelta::from_std(self.pending_for).unwrap_or(chrono::TimeDelta::MAX);
        let is_free = leasing::Column::LeasedUntil.is_null().or(leasing::Column::LeasedUntil.lte(now));
        let is_old_enough = leasing::Column::Source
            .eq(Source::Grpc.into_str())
            .or(leasing::Column::RecordedAt.lte(stored_before));
        leasing::Entity::find()
            // As the index has it: not compared with a parameter.
            .filter(Expr::col((leasing::Entity, leasing::Column::Open)))
            .filter(is_free)
            .filter(
                Condition::any()
                    .add(Condition::all().add(is_old_enough).add(something_is_due(now)))
                    .add(Expr::exists(of_lead(has_waited(now)))),
            )
            .order_by_asc(leasing::Column::RecordedAt)
            .order_by_asc(leasing::Column::Id)
            .limit(limit)
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
    }

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

/// The lead has no deliveries yet, or none is open any more, or one is due.
fn something_is_due(now: DateTime<Utc>) -> Condition {
    let is_due =
        Condition::any().add(delivery::Column::State.eq(State::Pending.into_str())).add(has_waited(now));
    Condition::any().add(Expr::exists(of_lead(is_due))).add(Expr::exists(of_lead(is_open())).not())
}

/// The claim expired, or the time of another attempt has come: however young the lead is, no message will bring it.
fn has_waited(now: DateTime<Utc>) -> Condition {
    delivery::Column::State
        .is_in([State::Held.into_str(), State::Deferred.into_str()])
        .and(delivery::Column::Until.lte(now))
        .into_condition()
}

/// A lead that this version cannot read must not keep the others from being mailed. Its lease grows longer each time.
fn readable(row: lead::Model) -> Option<Lead> {
    let id = row.id;
    row.into_submission().inspect_err(|error| error!(lead_id = %id, %error, "a lead cannot be leased")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_that_was_leased_before_is_leased_for_longer_but_not_for_ever() {
        let holder = "notifier-1".to_owned();
        let lease = Lease { holder, pending_for: Duration::ZERO, lease: Duration::from_secs(60), limit: 1 };
        let lengths = [0, 1, 2, 8, 9, 31, 32, u32::MAX].map(|before| lease.length(before).as_secs());
        assert_eq!(lengths, [60, 120, 240, 15_360, 21_600, 21_600, 21_600, 21_600]);
    }
}
