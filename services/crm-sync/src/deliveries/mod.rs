//! Deliveries: one lead's mail to one recipient each, from the first claim to the end. The table `delivery` is the only
//! schedule there is.
//!
//! ```text
//!              claim                    report: delivered
//! pending ───────────────▶ held ─────────────────────────▶ delivered
//!    ▲  ▲                  │ │ │  report: dead                     discard
//!    │  └──────────────────┘ │ └──────────────────▶ dead ─────────────────▶ settled
//!    │    the claim expires  │ report: again          │                        ▲
//!    │                       ▼                        │ replay                 │ not named by the claim any more,
//!    └────────────────── deferred      pending ◀──────┘                        │ or no address to mail to
//!         its time has come                            any but delivered ──────┘
//! ```
//!
//! Whatever changes a lead's deliveries locks the lead's row first, so that two replicas do it one after the other.

mod claim;
mod contract;
mod dead;
mod grpc;
mod lease;
mod pending;
mod report;
mod visitor;

pub use self::{
    claim::{Answer, Claim, Claimed},
    contract::reports_of_event,
    dead::{DeadDelivery, DeadFilter, DeadList, Decision},
    lease::Lease,
    pending::Pending,
    report::{Outcome, Report, Reports},
};
pub(crate) use self::{
    contract::{delivered, holder, positive_duration},
    grpc::{claim, discard_dead, lease, list_dead, replay_dead, report},
};

use ::lead::Lead;
use std::{collections::BTreeSet, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter,
    prelude::DateTimeUtc,
    sea_query::{Expr, IntoCondition, OnConflict, Query, SelectStatement},
};
use uuid::Uuid;

use crate::{
    domain::{source::Source, timeline::Reason},
    recorder::Recorder,
    store::{
        StoreError,
        entity::{delivery, leasing},
    },
};

/// What the visitor is called as a recipient of their own lead, so that no address is kept twice.
pub const VISITOR: &str = "visitor";

/// Where a delivery has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// To be mailed.
    Pending,
    /// Claimed, for a while.
    Held,
    /// To be mailed after a while.
    Deferred,
    /// The mail server took the mail.
    Delivered,
    /// Not delivered: an operator has to decide.
    Dead,
    /// Not delivered, and nobody has to decide.
    Settled,
}

impl State {
    pub(crate) const ALL: [Self; 6] =
        [Self::Pending, Self::Held, Self::Deferred, Self::Delivered, Self::Dead, Self::Settled];

    /// Its name in the database.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Held => "held",
            Self::Deferred => "deferred",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
            Self::Settled => "settled",
        }
    }
}

/// A mail that was delivered.
#[derive(Clone, PartialEq, Eq)]
pub struct Delivered {
    /// Address of the recipient, or [`VISITOR`].
    pub recipient: String,
    /// `Message-ID` header of the mail.
    pub mail_message_id: String,
    /// What the mail server answered.
    pub server_reply: String,
    /// When it answered, to the microsecond.
    pub delivered_at: DateTime<Utc>,
}

/// Deliveries as others use them, counted. Clones share everything.
#[derive(Clone)]
pub struct Deliveries {
    recorder: Recorder,
    claims: Counter<u64>,
    leases: Counter<u64>,
    reports: Counter<u64>,
}

impl Deliveries {
    /// Of the leads that `recorder` records.
    #[must_use]
    pub fn new(recorder: Recorder, meter: &Meter) -> Self {
        let counter = |name, description| meter.u64_counter(name).with_description(description).build();
        Self {
            recorder,
            claims: counter("crm_claims", "Deliveries asked for, by answer."),
            leases: counter("crm_leases", "Leads handed out because deliveries were due."),
            reports: counter("crm_reports", "Deliveries reported, by path and outcome."),
        }
    }

    /// Claims a lead's deliveries, and records the lead if need be.
    ///
    /// # Errors
    /// [`StoreError`]; the holder may ask again.
    pub async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreError> {
        let claimed = self.recorder.store().claim(claim).await?;
        // That a lead which is claimed was there is no news.
        let taken = usize::try_from(claimed.recorded.created).unwrap_or(usize::MAX);
        self.recorder.note(Source::Claim, claimed.recorded, taken, std::slice::from_ref(&claim.submission));
        for answer in &claimed.answers {
            self.claims.add(1, &[KeyValue::new("answer", answer.label())]);
        }
        Ok(claimed)
    }

    /// Leases leads, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn lease(&self, lease: &Lease) -> Result<Vec<Lead>, StoreError> {
        let leads = self.recorder.store().lease(lease).await?;
        if !leads.is_empty() {
            self.leases.add(leads.len() as u64, &[]);
        }
        Ok(leads)
    }

    /// Records what became of a lead's deliveries, all or none.
    ///
    /// # Errors
    /// [`StoreError`]; the reports may be sent again.
    pub async fn report(&self, reports: &Reports) -> Result<(), StoreError> {
        let recorded = self.recorder.store().report(reports).await?;
        let path = if let Some(lead) = &reports.lead {
            self.recorder.note(Source::Broker, recorded, 1, std::slice::from_ref(lead));
            "broker"
        } else {
            "grpc"
        };
        for Report { outcome, .. } in &reports.reports {
            let labels = [KeyValue::new("path", path), KeyValue::new("outcome", outcome.label())];
            self.reports.add(1, &labels);
        }
        Ok(())
    }

    pub(crate) fn store(&self) -> &crate::store::Store {
        self.recorder.store()
    }
}

/// Adds pending deliveries where there are none yet.
async fn add(
    transaction: &DatabaseTransaction,
    lead_id: Uuid,
    recipients: &BTreeSet<&str>,
) -> Result<(), StoreError> {
    if recipients.is_empty() {
        return Ok(());
    }
    let key = [delivery::Column::LeadId, delivery::Column::Recipient];
    let known = OnConflict::columns(key).do_nothing().to_owned();
    // In one order everywhere, so that two such statements cannot wait for each other.
    let rows = recipients.iter().map(|recipient| delivery::pending(lead_id, recipient));
    delivery::Entity::insert_many(rows).on_conflict(known).exec_without_returning(transaction).await?;
    Ok(())
}

/// What a delivery becomes. What is not said here becomes empty.
struct Change<'a> {
    state: State,
    holder: &'a str,
    until: Option<DateTimeUtc>,
    reason: Option<&'a Reason>,
    delivered: Option<&'a Delivered>,
}

impl Change<'_> {
    fn to(state: State) -> Self {
        Self { state, holder: "", until: None, reason: None, delivered: None }
    }
}

/// Changes deliveries of one lead. `attempts` says what to do to the number of attempts: set it or leave it.
async fn change(
    transaction: &DatabaseTransaction,
    (lead_id, recipients): (Uuid, &[&str]),
    change: Change<'_>,
    attempts: Option<Expr>,
    now: DateTimeUtc,
) -> Result<(), StoreError> {
    if recipients.is_empty() {
        return Ok(());
    }
    let (class, detail) = change.reason.map_or(("", ""), |it| (it.class.as_str(), it.detail.as_str()));
    let mut update = delivery::Entity::update_many()
        .col_expr(delivery::Column::State, Expr::value(change.state.tag()))
        .col_expr(delivery::Column::Holder, Expr::value(change.holder))
        .col_expr(delivery::Column::Until, Expr::value(change.until))
        .col_expr(delivery::Column::ReasonClass, Expr::value(class))
        .col_expr(delivery::Column::ReasonDetail, Expr::value(detail))
        .col_expr(delivery::Column::ChangedAt, Expr::value(now));
    if let Some(attempts) = attempts {
        update = update.col_expr(delivery::Column::Attempts, attempts);
    }
    if let Some(delivered) = change.delivered {
        update = update
            .col_expr(delivery::Column::MailMessageId, Expr::value(delivered.mail_message_id.as_str()))
            .col_expr(delivery::Column::ServerReply, Expr::value(delivered.server_reply.as_str()))
            .col_expr(delivery::Column::DeliveredAt, Expr::value(Some(delivered.delivered_at)));
    }
    update
        .filter(delivery::Column::LeadId.eq(lead_id))
        .filter(delivery::Column::Recipient.is_in(recipients.iter().copied()))
        .exec(transaction)
        .await?;
    Ok(())
}

/// Closes those of these leads, which the transaction holds, that have nothing left to deliver, and ends their leases.
async fn close(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<(), StoreError> {
    leasing::Entity::update_many()
        .col_expr(leasing::Column::Open, Expr::value(false))
        .col_expr(leasing::Column::LeasedUntil, Expr::value(None::<DateTimeUtc>))
        .filter(leasing::Column::Id.is_in(ids.iter().copied()))
        .filter(Expr::exists(of_lead(Condition::all())))
        .filter(Expr::exists(of_lead(is_open())).not())
        .exec(transaction)
        .await?;
    Ok(())
}

/// Opens leads, which the transaction holds, and makes them anybody's. The next lease is as short as the first: leases
/// grow only over holders that never report.
async fn open(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<(), StoreError> {
    leasing::Entity::update_many()
        .col_expr(leasing::Column::Open, Expr::value(true))
        .col_expr(leasing::Column::LeasedUntil, Expr::value(None::<DateTimeUtc>))
        .col_expr(leasing::Column::Leases, Expr::value(0))
        .filter(leasing::Column::Id.is_in(ids.iter().copied()))
        .exec(transaction)
        .await?;
    Ok(())
}

/// The deliveries of the lead of the outer statement that meet a condition.
fn of_lead(condition: Condition) -> SelectStatement {
    let id = (leasing::Entity, leasing::Column::Id);
    Query::select()
        .expr(Expr::val(1))
        .from(delivery::Entity)
        .and_where(Expr::col((delivery::Entity, delivery::Column::LeadId)).equals(id))
        .cond_where(condition)
        .take()
}

/// A mail may still go out.
fn is_open() -> Condition {
    delivery::Column::State
        .is_in([State::Pending.tag(), State::Held.tag(), State::Deferred.tag()])
        .into_condition()
}

/// A time from now; the end of time for what is longer than time.
pub(crate) fn after(now: DateTime<Utc>, wait: Duration) -> DateTime<Utc> {
    let wait = TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
    now.checked_add_signed(wait).unwrap_or(DateTime::<Utc>::MAX_UTC)
}
