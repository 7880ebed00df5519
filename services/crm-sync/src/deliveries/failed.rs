//! Lists unfinished deliveries; retries and discards failed ones.

use std::collections::BTreeMap;

use ::lead::field::timestamp;
use chrono::{DateTime, Utc};
use contracts::{crm::v1 as crm, leads::v1::Reason};
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, ExprTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
    sea_query::{Expr, Query},
};
use uuid::Uuid;

use super::delivery::{self, BROCHURE, Change, State, change, close, open};
use crate::{
    db::{
        Store,
        error::StoreError,
        transaction::{UnitOfWork, now},
        within,
    },
    leads::{lead, leasing, lock::lock, timeline},
};

const LISTED: u64 = 1000;

/// Deliveries per transaction.
const BATCH: u64 = 100;

/// Selects the deliveries that match every field given.
#[derive(Clone, Default)]
pub struct DeliveryFilter {
    pub lead_id: Option<Uuid>,
    pub recipient: Option<String>,
    pub since: Option<DateTime<Utc>>,
}

impl DeliveryFilter {
    fn failed(&self) -> Condition {
        self.matches().add(delivery::Column::State.eq(State::Failed.into_str()))
    }

    /// Each of the three parts has an index.
    fn unfinished(&self) -> Condition {
        let open_leads = Query::select()
            .column(leasing::Column::Id)
            .from(leasing::Entity)
            .and_where(leasing::Column::Open.eq(true))
            .take();
        let is_waiting = delivery::Column::State.is_in([
            State::Pending.into_str(),
            State::Claimed.into_str(),
            State::Deferred.into_str(),
        ]);
        let is_of_open_lead = delivery::Column::LeadId.in_subquery(open_leads);
        let is_brochure = delivery::Column::Recipient.eq(BROCHURE);
        self.matches().add(
            Condition::any()
                .add(delivery::Column::State.eq(State::Failed.into_str()))
                .add(is_waiting.clone().and(is_of_open_lead))
                .add(is_waiting.and(is_brochure)),
        )
    }

    fn matches(&self) -> Condition {
        Condition::all()
            .add_option(self.lead_id.map(|id| delivery::Column::LeadId.eq(id)))
            .add_option(self.recipient.as_deref().map(|it| delivery::Column::Recipient.eq(it)))
            .add_option(self.since.map(|since| delivery::Column::ChangedAt.gte(since)))
    }
}

#[derive(Clone)]
pub enum Decision {
    /// From the first attempt.
    Retry,
    Discard {
        reason: String,
    },
}

impl Store {
    /// Lists the 1000 least recently changed unfinished deliveries, or failed deliveries only, and counts all.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn list_deliveries(
        &self,
        filter: &DeliveryFilter,
        only_failed: bool,
    ) -> Result<crm::ListDeliveriesResponse, StoreError> {
        let condition = if only_failed { filter.failed() } else { filter.unfinished() };
        let matching = delivery::Entity::find().filter(condition);
        let total = within(matching.clone().count(&self.reader)).await?;
        let rows = matching
            .order_by_asc(delivery::Column::ChangedAt)
            .order_by_asc(delivery::Column::LeadId)
            .order_by_asc(delivery::Column::Recipient)
            .limit(LISTED)
            .all(&self.reader);
        let rows = within(rows).await?;
        let references: Vec<(Uuid, String)> = within(
            lead::Entity::find()
                .select_only()
                .columns([lead::Column::Id, lead::Column::Reference])
                .filter(lead::Column::Id.is_in(rows.iter().map(|row| row.lead_id)))
                .into_tuple()
                .all(&self.reader),
        )
        .await?;
        let references: BTreeMap<Uuid, String> = references.into_iter().collect();
        let summary = |row: delivery::Model| {
            let state = match row.state()? {
                State::Pending => crm::DeliveryState::Pending,
                State::Claimed => crm::DeliveryState::Claimed,
                State::Deferred => crm::DeliveryState::Deferred,
                State::Failed => crm::DeliveryState::Failed,
                State::Delivered | State::Cancelled => crm::DeliveryState::Unspecified,
            };
            Ok(crm::DeliverySummary {
                reference: references.get(&row.lead_id).cloned().unwrap_or_default(),
                lead_id: row.lead_id.to_string(),
                recipient: row.recipient,
                attempts: row.attempts.unsigned_abs(),
                reason: Some(Reason { class: row.reason_class, detail: row.reason_detail }),
                since: Some(timestamp(row.changed_at)),
                state: state.into(),
            })
        };
        let deliveries = rows.into_iter().map(summary).collect::<Result<_, StoreError>>()?;
        Ok(crm::ListDeliveriesResponse { deliveries, total })
    }

    /// Retries or discards the selected failed deliveries; returns their number.
    ///
    /// # Errors
    /// [`StoreError`]; some may be done. The call may be repeated.
    pub async fn decide(
        &self,
        filter: &DeliveryFilter,
        decision: &Decision,
        client: &str,
    ) -> Result<u64, StoreError> {
        let mut decided = 0;
        while let Some(some) = self.transact(&Decide { filter, decision, client }).await? {
            decided += some;
        }
        Ok(decided)
    }
}

struct Decide<'a> {
    filter: &'a DeliveryFilter,
    decision: &'a Decision,
    client: &'a str,
}

impl UnitOfWork for Decide<'_> {
    const NAME: &'static str = "retry or discard failed deliveries";

    /// `None` when none are left; deliveries decided by another replica meanwhile are not counted.
    type Outcome = Option<u64>;

    async fn perform(&self, transaction: &DatabaseTransaction, _: &Store) -> Result<Option<u64>, StoreError> {
        let failed = || delivery::Entity::find().filter(self.filter.failed());
        let found = failed().order_by_asc(delivery::Column::ChangedAt).limit(BATCH).all(transaction).await?;
        let ids: Vec<Uuid> = found.iter().map(|row| row.lead_id).collect();
        if ids.is_empty() {
            return Ok(None);
        }
        lock(transaction, &ids).await?;
        // Read again under the lock: another replica may have decided about them.
        let rows = failed().filter(delivery::Column::LeadId.is_in(ids)).all(transaction).await?;
        let mut by_lead: BTreeMap<Uuid, Vec<&str>> = BTreeMap::new();
        for row in &rows {
            by_lead.entry(row.lead_id).or_default().push(&row.recipient);
        }
        for (lead_id, recipients) in by_lead {
            self.decide(transaction, lead_id, &recipients).await?;
        }
        Ok(Some(rows.len() as u64))
    }
}

impl Decide<'_> {
    async fn decide(
        &self,
        transaction: &DatabaseTransaction,
        lead_id: Uuid,
        recipients: &[&str],
    ) -> Result<(), StoreError> {
        let (whose, now) = ((lead_id, recipients), now(transaction).await?);
        let entries: Vec<_> = match self.decision {
            Decision::Retry => {
                change(transaction, whose, Change::to(State::Pending), Some(Expr::value(0)), now).await?;
                open(transaction, &[lead_id]).await?;
                recipients.iter().map(|it| timeline::retried(lead_id, it, self.client)).collect()
            }
            Decision::Discard { reason: text } => {
                let reason = Reason { class: "discarded".to_owned(), detail: text.clone() };
                let cancelled = Change { reason: Some(&reason), ..Change::to(State::Cancelled) };
                change(transaction, whose, cancelled, None, now).await?;
                close(transaction, &[lead_id]).await?;
                recipients.iter().map(|it| timeline::discarded(lead_id, it, self.client, text)).collect()
            }
        };
        timeline::Entity::insert_many(entries).exec_without_returning(transaction).await?;
        Ok(())
    }
}
