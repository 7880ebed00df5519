//! Records the outcomes of deliveries.

use ::lead::Lead;
use std::{collections::BTreeSet, time::Duration};

use chrono::{DateTime, Utc};
use contracts::leads::v1::Reason;
use runtime::crash;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, sea_query::Expr};
use uuid::Uuid;

use super::{
    brochure,
    delivery::{
        self, BROCHURE, Delivered, DeliveryUpdate, State, add, after, close, free, update_deliveries,
    },
};
use crate::{
    db::{Store, error::StoreError, transaction::now},
    leads::{
        lock::{Locked, lock},
        record::{Recorded, record},
        stored::Source,
        timeline::{self, Event},
    },
};

/// The outcomes of a lead's deliveries.
#[derive(Clone)]
pub struct Reports {
    pub lead_id: Uuid,
    pub holder: String,
    pub reports: Vec<Report>,
    /// Only in a report by event: the lead, stored if it is missing.
    pub lead: Option<Lead>,
    /// Only in a report by event: all recipients of the lead.
    pub recipients: Vec<String>,
}

#[derive(Clone)]
pub struct Report {
    pub recipient: String,
    pub outcome: Outcome,
}

#[derive(Clone)]
pub enum Outcome {
    /// Accepted by the mail server. Counts from any holder.
    Delivered(Delivered),
    Retry {
        /// Minimum wait before the next attempt.
        after: Duration,
        reason: Reason,
        counts: bool,
    },
    Failed(Reason),
    /// Final without delivery; no operator has to decide.
    Cancelled(Reason),
}

impl Outcome {
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Delivered(_) => "delivered",
            Self::Retry { .. } => "retry",
            Self::Failed(_) => "failed",
            Self::Cancelled(_) => "cancelled",
        }
    }
}

impl Store {
    /// Records reports, all or none; none for an erased lead. A repeated report counts once.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was recorded, or it is unknown whether it was.
    pub async fn report(&self, reports: &Reports) -> Result<Recorded, StoreError> {
        self.write("report deliveries", |transaction| async move {
            let (id, lead) = (reports.lead_id, reports.lead.as_slice());
            let recorded = record(&transaction, &self.suppression, Source::Broker, lead).await?;
            let locked = lock(&transaction, &[id]).await?;
            if !locked.is_erased(id) {
                reports.apply(&transaction, &locked).await?;
            }
            if !lead.is_empty() {
                crash::point("crm-sync-before-commit");
            }
            Ok(recorded)
        })
        .await
    }
}

impl Reports {
    async fn apply(&self, transaction: &DatabaseTransaction, locked: &Locked) -> Result<(), StoreError> {
        let is_open = locked.is_open(self.lead_id);
        let rows = self.rows(transaction).await?;
        let now = now(transaction).await?;
        // An event may name recipients that were not known when the lead was closed.
        let mut waits = !is_open && rows.iter().any(|row| row.state == State::Pending);
        let mut entries = Vec::new();
        for report in &self.reports {
            let Some(row) = rows.iter().find(|row| row.recipient == report.recipient) else { continue };
            if !self.counts(row, &report.outcome)? {
                continue;
            }
            waits |= matches!(report.outcome, Outcome::Retry { .. }) && row.recipient != BROCHURE;
            entries.extend(self.apply_outcome(transaction, row, &report.outcome, now).await?);
        }
        timeline::insert(transaction, entries).await?;
        // What else is due of the lead need not wait until its lease expires.
        if waits || locked.is_leased(self.lead_id) {
            free(transaction, &[self.lead_id], is_open || waits).await?;
        }
        close(transaction, &[self.lead_id]).await
    }

    /// Reads the lead's deliveries, after adding missing ones that were delivered or that an event names.
    async fn rows(&self, transaction: &DatabaseTransaction) -> Result<Vec<delivery::Model>, StoreError> {
        let select = || delivery::Entity::find().filter(delivery::Column::LeadId.eq(self.lead_id));
        let rows = select().all(transaction).await?;
        let delivered = self.reports.iter().filter(|it| matches!(it.outcome, Outcome::Delivered(_)));
        let mut missing: BTreeSet<&str> =
            delivered.map(|it| &it.recipient).chain(&self.recipients).map(String::as_str).collect();
        missing.retain(|recipient| !rows.iter().any(|row| row.recipient == *recipient));
        if missing.is_empty() {
            return Ok(rows);
        }
        add(transaction, self.lead_id, &missing).await?;
        Ok(select().all(transaction).await?)
    }

    /// A delivered mail always counts. Another outcome counts from the claim's holder, or by event while there is no
    /// claim, so that a late report undoes nothing newer.
    fn counts(&self, row: &delivery::Model, outcome: &Outcome) -> Result<bool, StoreError> {
        Ok(match (row.state, outcome) {
            (State::Delivered, _) => false,
            (_, Outcome::Delivered(_)) => true,
            (State::Claimed, _) => row.holder == self.holder,
            (State::Pending | State::Deferred, _) => self.lead.is_some(),
            (State::Failed | State::Cancelled, _) => false,
        })
    }

    /// Applies the outcome; returns its timeline entry, if any.
    async fn apply_outcome(
        &self,
        transaction: &DatabaseTransaction,
        row: &delivery::Model,
        outcome: &Outcome,
        now: DateTime<Utc>,
    ) -> Result<Option<timeline::ActiveModel>, StoreError> {
        let (lead_id, recipient) = (self.lead_id, row.recipient.as_str());
        let whose = (lead_id, &[recipient][..]);
        match outcome {
            Outcome::Delivered(delivered) => {
                let delivered =
                    DeliveryUpdate { delivered: Some(delivered), ..DeliveryUpdate::to(State::Delivered) };
                update_deliveries(transaction, whose, delivered, None, now).await?;
                if recipient == BROCHURE {
                    brochure::mark(transaction, &[lead_id], true).await?;
                }
                Ok(None)
            }
            Outcome::Retry { after: wait, reason, counts } => {
                let until = after(now, *wait);
                let deferred = DeliveryUpdate {
                    until: Some(until),
                    reason: Some(reason),
                    ..DeliveryUpdate::to(State::Deferred)
                };
                let is_counted_back = !counts && row.attempts > 0 && row.state == State::Claimed;
                let attempts = is_counted_back.then(|| Expr::value(row.attempts - 1));
                update_deliveries(transaction, whose, deferred, attempts, now).await?;
                Ok(counts.then(|| {
                    timeline::delivery_entry(
                        lead_id,
                        recipient,
                        Event::Deferred { until, reason: reason.into() },
                    )
                }))
            }
            Outcome::Failed(reason) => {
                let failed = DeliveryUpdate { reason: Some(reason), ..DeliveryUpdate::to(State::Failed) };
                update_deliveries(transaction, whose, failed, None, now).await?;
                Ok(Some(timeline::delivery_entry(lead_id, recipient, Event::Failed(reason.into()))))
            }
            Outcome::Cancelled(reason) => {
                let cancelled =
                    DeliveryUpdate { reason: Some(reason), ..DeliveryUpdate::to(State::Cancelled) };
                update_deliveries(transaction, whose, cancelled, None, now).await?;
                Ok(Some(timeline::delivery_entry(lead_id, recipient, Event::Cancelled(reason.into()))))
            }
        }
    }
}
