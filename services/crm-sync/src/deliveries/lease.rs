//! Leases leads with due deliveries to a notifier.

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

use super::delivery::{self, State, after, close, is_of_routes, is_open, is_requested, of_lead};
use crate::{
    db::{
        Store,
        error::StoreError,
        transaction::{UnitOfWork, now},
    },
    leads::{lead, leasing, source::Source, timeline},
};

/// Upper bound of a lease, however often the lead was leased without a report.
const LONGEST_LEASE: Duration = Duration::from_secs(6 * 60 * 60);

const LARGEST_LIMIT: u32 = 256;

/// Candidate queries per call: candidates that turn out to be closed are replaced by others.
const LOOKS: u32 = 8;

/// A request for leads with due deliveries.
#[derive(Clone)]
pub struct Lease {
    pub holder: String,
    /// Minimum time since a lead was stored. Leads that no message announces are leased at any age.
    pub pending_for: Duration,
    /// Length of a lead's first lease.
    pub lease: Duration,
    pub limit: u32,
}

/// A lead with something due.
#[derive(Clone)]
pub struct Leased {
    pub lead: Lead,
    /// Whether that is for the recipients of the routes.
    pub for_routes: bool,
    /// The recipients that somebody asked to have mailed, as far as they are due.
    pub requested: Vec<String>,
}

impl Store {
    /// Leases leads, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was leased, or the leases expire unused.
    pub async fn lease(&self, lease: &Lease) -> Result<Vec<Leased>, StoreError> {
        self.transact(lease).await
    }
}

impl UnitOfWork for Lease {
    const NAME: &'static str = "lease leads";

    type Outcome = Vec<Leased>;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Vec<Leased>, StoreError> {
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
            // Read again now that they are locked and closed where nothing is left to deliver.
            let due = leasing::Entity::find()
                .filter(leasing::Column::Id.is_in(ids))
                .filter(Expr::col((leasing::Entity, leasing::Column::Open)))
                .filter(something_is_due(now));
            let due = due.all(transaction).await?;
            wanted -= due.len() as u64;
            leads.extend(self.take(transaction, now, due).await?);
        }
        leads.sort_by_key(|row| (row.recorded_at, row.id));
        with_what_is_due(transaction, leads.into_iter().filter_map(readable).collect(), now).await
    }
}

async fn with_what_is_due(
    transaction: &DatabaseTransaction,
    leads: Vec<Lead>,
    now: DateTime<Utc>,
) -> Result<Vec<Leased>, StoreError> {
    if leads.is_empty() {
        return Ok(Vec::new());
    }
    let of_them = delivery::Column::LeadId.is_in(leads.iter().map(|lead| lead.id));
    let mut rows: BTreeMap<Uuid, Vec<delivery::Model>> = BTreeMap::new();
    for row in delivery::Entity::find().filter(of_them).all(transaction).await? {
        rows.entry(row.lead_id).or_default().push(row);
    }
    let leased = leads.into_iter().map(|lead| {
        let rows = rows.remove(&lead.id).unwrap_or_default();
        let (requested, of_routes): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|row| is_requested(&row.recipient));
        let for_routes = of_routes.is_empty() || of_routes.iter().any(|row| row.is_due(now));
        let requested = requested.into_iter().filter(|row| row.is_due(now)).map(|row| row.recipient);
        Leased { for_routes, requested: requested.collect(), lead }
    });
    Ok(leased.collect())
}

impl Lease {
    /// Length of the lease after `before` leases without a report: doubled each time up to [`LONGEST_LEASE`], so that a
    /// lead that crashes every notifier does so rarely.
    fn length(&self, before: u32) -> Duration {
        let doubled = 2u32.checked_pow(before).and_then(|factor| self.lease.checked_mul(factor));
        doubled.map_or(LONGEST_LEASE, |length| length.min(LONGEST_LEASE))
    }

    /// Free leads that are due or to be closed, locked; leads locked by others are skipped.
    fn candidates(&self, now: DateTime<Utc>, limit: u64) -> Select<leasing::Entity> {
        let stored_before =
            now - chrono::TimeDelta::from_std(self.pending_for).unwrap_or(chrono::TimeDelta::MAX);
        let is_free = leasing::Column::LeasedUntil.is_null().or(leasing::Column::LeasedUntil.lte(now));
        let is_old_enough = leasing::Column::Source
            .eq(Source::Grpc.into_str())
            .or(leasing::Column::RecordedAt.lte(stored_before));
        leasing::Entity::find()
            // Written as in the partial index: not compared with a parameter.
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

/// The routes have had no part in the lead yet, no delivery is open, or one is due.
fn something_is_due(now: DateTime<Utc>) -> Condition {
    let is_due =
        Condition::any().add(delivery::Column::State.eq(State::Pending.into_str())).add(has_waited(now));
    Condition::any()
        .add(Expr::exists(of_lead(is_due)))
        .add(Expr::exists(of_lead(is_of_routes())).not())
        .add(Expr::exists(of_lead(is_open())).not())
}

/// A claim has expired or a wait is over. Such leads are due at any age: no message announces them.
fn has_waited(now: DateTime<Utc>) -> Condition {
    delivery::Column::State
        .is_in([State::Held.into_str(), State::Deferred.into_str()])
        .and(delivery::Column::Until.lte(now))
        .into_condition()
}

/// `None` for a lead that this version cannot read: it must not stop the others. Its leases grow longer each time.
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
