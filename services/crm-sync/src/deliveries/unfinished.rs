//! Counts and lists unfinished deliveries; retries and discards failed ones.

use std::{collections::BTreeSet, time::Duration};

use ::lead::{
    Reference,
    field::{filled, optional_time, uuid},
    recipient::UPDATED,
};
use crm_sync_migration::database_clock;
use sea_orm::sea_query::ExprTrait;

use super::{
    delivery::{BROCHURE, Deliveries, State, UNFINISHED, parse_recipient},
    webhook_notice::is_notice,
};
use crate::{db::prelude::*, leads::lock::lock};

const LISTED: u64 = 1000;
const REASON_LENGTH: usize = 500;

/// Deliveries per transaction.
const BATCH: u64 = 100;

/// Leads with unsent emails to the sales team, and leads without a delivery to the team yet. Webhooks do not count,
/// because an unavailable receiver must not page anyone.
const PENDING: &str = "
    FROM lead WHERE open AND erased_at IS NULL AND (
        EXISTS (SELECT 1 FROM delivery WHERE lead_id = id AND NOT requested
            AND recipient <> 'visitor' AND recipient NOT LIKE 'webhook:%'
            AND state IN ('pending', 'claimed', 'deferred'))
        OR NOT EXISTS (SELECT 1 FROM delivery WHERE lead_id = id AND NOT requested
            AND recipient <> 'visitor' AND recipient NOT LIKE 'webhook:%'))";

/// Leads whose deliveries to the sales team are not finished; failed deliveries are counted separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    pub leads: u64,
    /// Time since the oldest was stored, by the database's clock.
    pub oldest: Duration,
}

#[derive(Clone)]
pub struct DeliveryFilter(Condition);

impl DeliveryFilter {
    /// A delivery must match all given fields.
    pub fn parse(filter: Option<crm::DeliveryFilter>) -> Result<Self, Invalid> {
        let crm::DeliveryFilter {
            lead_id,
            recipient,
            since,
        } = filter.unwrap_or_default();
        let mut matches = Condition::all();
        if !lead_id.is_empty() {
            matches = matches.add(delivery::Column::LeadId.eq(uuid("filter.lead_id", &lead_id)?));
        }
        if !recipient.is_empty() {
            let recipient = parse_recipient("filter.recipient", &recipient)?;
            matches = matches.add(is_recipient(recipient));
        }
        let since = optional_time("filter.since", since)?;
        Ok(Self(matches.add_option(
            since.map(|since| delivery::Column::ChangedAt.gte(since)),
        )))
    }

    pub(crate) fn of_lead(lead_id: Uuid) -> Self {
        Self(Condition::all().add(delivery::Column::LeadId.eq(lead_id)))
    }

    fn failed(&self) -> Condition {
        self.0
            .clone()
            .add(delivery::Column::State.eq(State::Failed))
    }

    /// Each of the four alternatives has an index.
    fn unfinished(&self) -> Condition {
        let open_leads = lead::select_ids()
            .filter(lead::Column::Open.eq(true))
            .into_query();
        let is_waiting = delivery::Column::State.is_in(UNFINISHED);
        let is_of_open_lead = delivery::Column::LeadId.in_subquery(open_leads);
        let is_brochure = delivery::Column::Recipient.eq(BROCHURE);
        self.0.clone().add(
            Condition::any()
                .add(delivery::Column::State.eq(State::Failed))
                .add(is_waiting.clone().and(is_of_open_lead))
                .add(is_waiting.clone().and(is_brochure))
                .add(is_waiting.and(is_notice())),
        )
    }
}

/// Matches a recipient. `updated:NAME` matches the updates of all numbers.
fn is_recipient(recipient: String) -> Expr {
    if recipient.starts_with(UPDATED) && !recipient.contains('#') {
        delivery::Column::Recipient.starts_with(format!("{recipient}#"))
    } else {
        delivery::Column::Recipient.eq(recipient)
    }
}

#[derive(Clone)]
pub enum Decision {
    /// Resets the number of attempts.
    Retry,
    Discard {
        reason: String,
    },
}

impl Decision {
    pub(crate) fn discard(reason: &str) -> Result<Self, Invalid> {
        Ok(Self::Discard {
            reason: filled("reason", reason, REASON_LENGTH)?,
        })
    }

    /// The decision in the audit.
    fn action(&self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Discard { .. } => "discard",
        }
    }

    /// Returns the failed delivery after the decision, and the event for the lead's timeline.
    fn apply(
        &self,
        row: delivery::Model,
        client: &str,
        now: DateTimeUtc,
    ) -> (delivery::Model, Event) {
        let client = client.to_owned();
        match self {
            Self::Retry => {
                let retried = delivery::Model {
                    attempts: 0,
                    ..row.in_state(State::Pending, now)
                };
                (retried, Event::Retried(entry::Retried { client }))
            }
            Self::Discard { reason } => {
                let discarded = row.because_of(
                    &delivery::reason("discarded", reason),
                    State::Cancelled,
                    now,
                );
                (
                    discarded,
                    Event::Discarded(entry::Discarded {
                        reason: reason.clone(),
                        client,
                    }),
                )
            }
        }
    }
}

impl Store {
    pub async fn pending(&self) -> Result<Pending> {
        let now = database_clock(self.backend);
        let count =
            format!("SELECT count(*) AS leads, min(recorded_at) AS oldest, {now} AS now {PENDING}");
        let row = with_timeout(self.reader.query_one_raw(sql(&self.reader, count, []))).await?;
        let Some(row) = row else {
            return Ok(Pending::default());
        };
        let (leads, now): (i64, DateTimeUtc) = (row.try_get("", "leads")?, row.try_get("", "now")?);
        let oldest: DateTimeUtc = row.try_get::<Option<_>>("", "oldest")?.unwrap_or(now);
        Ok(Pending {
            leads: leads.unsigned_abs(),
            oldest: (now - oldest).to_std().unwrap_or_default(),
        })
    }

    pub async fn failed_deliveries(&self) -> Result<u64> {
        let failed = delivery::Entity::find().filter(delivery::Column::State.eq(State::Failed));
        with_timeout(failed.count(&self.reader)).await
    }

    /// Lists up to 1000 unfinished deliveries, or only failed ones, oldest change first. Also returns the total.
    pub async fn list_deliveries(
        &self,
        filter: &DeliveryFilter,
        only_failed: bool,
    ) -> Result<crm::ListDeliveriesResponse> {
        let condition = if only_failed {
            filter.failed()
        } else {
            filter.unfinished()
        };
        let matching = delivery::Entity::find().filter(condition);
        with_timeout(async {
            let total = matching.clone().count(&self.reader).await?;
            let rows = matching
                .order_by_asc(delivery::Column::ChangedAt)
                .order_by_asc(delivery::Column::LeadId)
                .order_by_asc(delivery::Column::Recipient)
                .limit(LISTED)
                .all(&self.reader)
                .await?;
            let summary = |row: delivery::Model| crm::DeliverySummary {
                reference: Reference::from_id(row.lead_id).to_string(),
                lead_id: row.lead_id.to_string(),
                state: unfinished_state(row.state).into(),
                recipient: row.recipient,
                attempts: row.attempts.unsigned_abs(),
                reason: Some(Reason {
                    class: row.reason_class,
                    detail: row.reason_detail,
                }),
                since: Some(timestamp(row.changed_at)),
                until: row.until.map(timestamp),
            };
            let deliveries = rows.into_iter().map(summary).collect();
            Ok::<_, StoreError>(crm::ListDeliveriesResponse { deliveries, total })
        })
        .await
    }

    /// Retries or discards the selected failed deliveries; returns their number. After an error, earlier batches stay
    /// committed; the call may be repeated.
    pub async fn decide(
        &self,
        filter: &DeliveryFilter,
        decision: &Decision,
        client: &str,
    ) -> Result<u64> {
        let call = Call {
            author: client,
            action: decision.action(),
        };
        let mut decided = 0;
        loop {
            let batch = self.write_audited("retry or discard deliveries", call, |tx| async move {
                decide_batch(&tx, filter, decision, client).await
            });
            let (deliveries, is_last) = batch.await?;
            decided += deliveries;
            if is_last {
                return Ok(decided);
            }
        }
    }
}

fn unfinished_state(state: State) -> crm::DeliveryState {
    match state {
        State::Pending => crm::DeliveryState::Pending,
        State::Claimed => crm::DeliveryState::Claimed,
        State::Deferred => crm::DeliveryState::Deferred,
        State::Failed => crm::DeliveryState::Failed,
        State::Delivered | State::Cancelled => crm::DeliveryState::Unspecified,
    }
}

/// Applies the decision to the oldest failed deliveries. Returns their number and whether none were left, and their leads.
async fn decide_batch(
    tx: &Transaction,
    filter: &DeliveryFilter,
    decision: &Decision,
    client: &str,
) -> Result<((u64, bool), Vec<Uuid>)> {
    let failed = || delivery::Entity::find().filter(filter.failed());
    let found = failed()
        .order_by_asc(delivery::Column::ChangedAt)
        .limit(BATCH)
        .all(&tx.db)
        .await?;
    let is_last = (found.len() as u64) < BATCH;
    let ids: BTreeSet<Uuid> = found.iter().map(|row| row.lead_id).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let locked = lock(tx, &ids).await?;
    // Reads again under the lock, because another replica may have changed the deliveries.
    let rows = failed()
        .filter(delivery::Column::LeadId.is_in(ids.iter().copied()))
        .all(&tx.db)
        .await?;
    let (decided, mut deliveries) = (rows.len() as u64, Deliveries::load(tx, &ids).await?);
    for row in rows {
        let (after, event) = decision.apply(row, client, deliveries.now);
        deliveries.set(after, Some(event));
    }
    // An erased lead stays closed.
    deliveries
        .save(locked.rows().filter(|row| !row.is_erased()), true)
        .await?;
    Ok(((decided, is_last), ids))
}
