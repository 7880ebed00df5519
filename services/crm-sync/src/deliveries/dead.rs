//! Lists, replays and discards dead deliveries.

use std::collections::BTreeMap;

use ::lead::field::timestamp;
use chrono::{DateTime, Utc};
use contracts::{crm::v1 as crm, leads::v1::Reason};
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, sea_query::Expr,
};
use uuid::Uuid;

use super::delivery::{self, Change, State, change, close, open};
use crate::{
    db::{
        Store,
        error::StoreError,
        transaction::{UnitOfWork, now},
        within,
    },
    leads::{lead, lock::lock, timeline},
};

const LISTED: u64 = 1000;

/// Deliveries per transaction.
const BATCH: u64 = 100;

/// Selects the dead deliveries that meet all given conditions.
#[derive(Clone, Default)]
pub struct DeadFilter {
    pub lead_id: Option<Uuid>,
    pub recipient: Option<String>,
    pub since: Option<DateTime<Utc>>,
}

impl DeadFilter {
    fn condition(&self) -> Condition {
        Condition::all()
            .add(delivery::Column::State.eq(State::Dead.into_str()))
            .add_option(self.lead_id.map(|id| delivery::Column::LeadId.eq(id)))
            .add_option(self.recipient.as_deref().map(|it| delivery::Column::Recipient.eq(it)))
            .add_option(self.since.map(|since| delivery::Column::ChangedAt.gte(since)))
    }
}

#[derive(Clone)]
pub enum Decision {
    /// Tried again, from the first attempt.
    Replay,
    Discard {
        why: String,
    },
}

impl Store {
    /// Lists the oldest 1000 dead deliveries, and counts all.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn list_dead(&self, filter: &DeadFilter) -> Result<crm::ListDeadResponse, StoreError> {
        let dead = delivery::Entity::find().filter(filter.condition());
        let total = within(dead.clone().count(&self.reader)).await?;
        let rows = dead
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
        let deliveries = rows.into_iter().map(|row| crm::DeadDelivery {
            // Empty when the lead is not stored.
            reference: references.get(&row.lead_id).cloned().unwrap_or_default(),
            lead_id: row.lead_id.to_string(),
            recipient: row.recipient,
            attempts: row.attempts.unsigned_abs(),
            reason: Some(Reason { class: row.reason_class, detail: row.reason_detail }),
            since: Some(timestamp(row.changed_at)),
        });
        Ok(crm::ListDeadResponse { deliveries: deliveries.collect(), total })
    }

    /// Replays or discards the selected deliveries; returns their number.
    ///
    /// # Errors
    /// [`StoreError`]; some may be done. The call may be repeated.
    pub async fn decide_dead(
        &self,
        filter: &DeadFilter,
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
    filter: &'a DeadFilter,
    decision: &'a Decision,
    client: &'a str,
}

impl UnitOfWork for Decide<'_> {
    const NAME: &'static str = "decide about dead deliveries";

    /// `None` when none are left; deliveries decided by another replica meanwhile are not counted.
    type Outcome = Option<u64>;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Option<u64>, StoreError> {
        let dead = || delivery::Entity::find().filter(self.filter.condition());
        let found = dead().order_by_asc(delivery::Column::ChangedAt).limit(BATCH).all(transaction).await?;
        let ids: Vec<Uuid> = found.iter().map(|row| row.lead_id).collect();
        if ids.is_empty() {
            return Ok(None);
        }
        lock(transaction, &ids).await?;
        // Read again under the lock: another replica may have decided about them.
        let rows = dead().filter(delivery::Column::LeadId.is_in(ids)).all(transaction).await?;
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
            Decision::Replay => {
                change(transaction, whose, Change::to(State::Pending), Some(Expr::value(0)), now).await?;
                open(transaction, &[lead_id]).await?;
                recipients.iter().map(|it| timeline::replayed(lead_id, it, self.client)).collect()
            }
            Decision::Discard { why } => {
                let reason = Reason { class: "discarded".to_owned(), detail: why.clone() };
                let settled = Change { reason: Some(&reason), ..Change::to(State::Settled) };
                change(transaction, whose, settled, None, now).await?;
                close(transaction, &[lead_id]).await?;
                recipients.iter().map(|it| timeline::discarded(lead_id, it, self.client, why)).collect()
            }
        };
        timeline::Entity::insert_many(entries).exec_without_returning(transaction).await?;
        Ok(())
    }
}
