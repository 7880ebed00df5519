//! Leases leads with due deliveries to a notifier.

use ::lead::Lead;
use std::{collections::BTreeMap, time::Duration};

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
    sea_query::{Expr, IntoCondition, LockBehavior, LockType, Order, Query},
};
use tracing::error;
use uuid::Uuid;

use super::delivery::{self, BROCHURE, State, after, close, is_of_routes, is_open, of_lead};
use crate::{
    db::{Store, error::StoreError, transaction::now},
    leads::{lead, stored::Source, timeline},
};

/// Upper bound of a lease, however often the lead was leased without a report.
const LONGEST_LEASE: Duration = Duration::from_secs(6 * 60 * 60);

const LARGEST_LIMIT: u32 = 256;

/// One in so many places is a brochure's at most, so that many of them do not hold up what comes meanwhile.
const BROCHURES: u64 = 8;

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
    /// Whether to lease leads for the brochure.
    pub brochures: bool,
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
    /// Leases leads, the oldest first, and those of brochures last.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was leased, or the leases expire unused.
    pub async fn lease(&self, lease: &Lease) -> Result<Vec<Leased>, StoreError> {
        self.write("lease leads", |transaction| async move {
            let now = now(&transaction).await?;
            let limit = u64::from(Ord::min(lease.limit, LARGEST_LIMIT));
            let leads = lease.find(&transaction, now, limit).await?;
            let room = Ord::min(limit - leads.len() as u64, limit.div_ceil(BROCHURES));
            let mut leased = with_due_recipients(&transaction, leads, now).await?;
            if lease.brochures {
                leased.extend(lease.find_brochures(&transaction, now, room).await?);
            }
            Ok(leased)
        })
        .await
    }
}

async fn with_due_recipients(
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
        let mut rows = rows.remove(&lead.id).unwrap_or_default();
        rows.retain(|row| row.recipient != BROCHURE);
        let (requested, of_routes): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.requested);
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

    /// Leases leads for all but the brochure.
    async fn find(
        &self,
        transaction: &DatabaseTransaction,
        now: DateTime<Utc>,
        mut wanted: u64,
    ) -> Result<Vec<Lead>, StoreError> {
        let mut leads = Vec::new();
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
            let due = lead::Entity::find()
                .filter(lead::Column::Id.is_in(ids))
                .filter(Expr::col((lead::Entity, lead::Column::Open)))
                .filter(has_due_delivery(now));
            let due = due.all(transaction).await?;
            wanted -= due.len() as u64;
            let entries = self.take(transaction, now, &due).await?;
            timeline::insert(transaction, entries).await?;
            leads.extend(due);
        }
        Ok(in_order(leads))
    }

    /// Leases leads for the brochure. No timeline says so: one may wait for long, and be looked at often.
    async fn find_brochures(
        &self,
        transaction: &DatabaseTransaction,
        now: DateTime<Utc>,
        wanted: u64,
    ) -> Result<Vec<Leased>, StoreError> {
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let due = Query::select()
            .column(delivery::Column::LeadId)
            .from(delivery::Entity)
            // Written out for the partial index.
            .and_where(Expr::cust("recipient = 'brochure' AND state IN ('pending', 'claimed', 'deferred')"))
            .cond_where(is_due(now))
            .order_by(delivery::Column::Until, Order::Asc)
            .order_by(delivery::Column::LeadId, Order::Asc)
            // Enough that some are not leased.
            .limit(wanted * BROCHURES)
            .take();
        let free = free(now, wanted).filter(lead::Column::Id.in_subquery(due)).all(transaction).await?;
        self.take(transaction, now, &free).await?;
        let leads = in_order(free).into_iter();
        let leased = |lead| Leased { lead, for_routes: false, requested: vec![BROCHURE.to_owned()] };
        Ok(leads.map(leased).collect())
    }

    /// Free leads that are due or to be closed.
    fn candidates(&self, now: DateTime<Utc>, limit: u64) -> Select<lead::Entity> {
        let stored_before =
            now - chrono::TimeDelta::from_std(self.pending_for).unwrap_or(chrono::TimeDelta::MAX);
        let is_old_enough =
            lead::Column::Source.eq(Source::Grpc.into_str()).or(lead::Column::RecordedAt.lte(stored_before));
        free(now, limit)
            // Written as in the partial index: not compared with a parameter.
            .filter(Expr::col((lead::Entity, lead::Column::Open)))
            .filter(
                Condition::any()
                    .add(Condition::all().add(is_old_enough).add(has_due_delivery(now)))
                    .add(Expr::exists(of_lead(is_open().add(is_wait_over(now))))),
            )
    }

    /// Leases leads that the transaction has locked; returns what their timelines may say of it.
    async fn take(
        &self,
        transaction: &DatabaseTransaction,
        now: DateTime<Utc>,
        due: &[lead::Model],
    ) -> Result<Vec<timeline::ActiveModel>, StoreError> {
        let mut by_leases: BTreeMap<u32, Vec<Uuid>> = BTreeMap::new();
        for row in due {
            by_leases.entry(row.leases.unsigned_abs()).or_default().push(row.id);
        }
        let mut entries = Vec::new();
        for (leases, ids) in by_leases {
            let until = after(now, self.length(leases));
            lead::Entity::update_many()
                .col_expr(lead::Column::LeasedUntil, Expr::value(until))
                .col_expr(lead::Column::Leases, Expr::col(lead::Column::Leases).add(1))
                .filter(lead::Column::Id.is_in(ids.iter().copied()))
                .exec(transaction)
                .await?;
            let leased = timeline::Event::Leased { holder: self.holder.clone(), until };
            entries.extend(ids.iter().map(|id| timeline::lead_entry(*id, leased.clone())));
        }
        Ok(entries)
    }
}

/// Leads that nobody has leased, the oldest first, locked; leads locked by others are skipped.
fn free(now: DateTime<Utc>, limit: u64) -> Select<lead::Entity> {
    lead::Entity::find()
        .filter(lead::Column::LeasedUntil.is_null().or(lead::Column::LeasedUntil.lte(now)))
        .order_by_asc(lead::Column::RecordedAt)
        .order_by_asc(lead::Column::Id)
        .limit(limit)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
}

/// The leads of these rows, the oldest first.
fn in_order(mut rows: Vec<lead::Model>) -> Vec<Lead> {
    rows.sort_by_key(|row| (row.recorded_at, row.id));
    rows.into_iter().filter_map(readable).collect()
}

/// The routes have had no part in the lead yet, no delivery is open, or one is due.
fn has_due_delivery(now: DateTime<Utc>) -> Condition {
    Condition::any()
        .add(Expr::exists(of_lead(is_open().add(is_due(now)))))
        .add(Expr::exists(of_lead(is_of_routes())).not())
        .add(Expr::exists(of_lead(is_open())).not())
}

fn is_due(now: DateTime<Utc>) -> Condition {
    Condition::any().add(delivery::Column::State.eq(State::Pending)).add(is_wait_over(now))
}

/// A claim has expired or a wait is over. Such leads are due at any age: no message announces them.
fn is_wait_over(now: DateTime<Utc>) -> Condition {
    delivery::Column::State
        .is_in([State::Claimed, State::Deferred])
        .and(delivery::Column::Until.lte(now))
        .into_condition()
}

/// `None` for a lead that this version cannot read: it must not stop the others. Its leases grow longer each time.
fn readable(row: lead::Model) -> Option<Lead> {
    let id = row.id;
    row.into_submission()
        .inspect_err(|error| error!(lead_id = %id, %error, "lead not leased: invalid row"))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lease_doubles_up_to_a_limit() {
        let holder = "notifier-1".to_owned();
        let lease = Duration::from_secs(60);
        let lease = Lease { holder, pending_for: Duration::ZERO, lease, limit: 1, brochures: false };
        let lengths = [0, 1, 2, 8, 9, 31, 32, u32::MAX].map(|before| lease.length(before).as_secs());
        assert_eq!(lengths, [60, 120, 240, 15_360, 21_600, 21_600, 21_600, 21_600]);
    }
}
