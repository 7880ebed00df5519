//! Counts and lists unfinished deliveries; retries and discards failed ones.

use std::{collections::BTreeSet, time::Duration};

use contracts::{crm::v1 as crm, leads::v1::Reason};
use crm_sync_migration::database_clock;
use lead::{
    Recipient, Reference,
    field::{optional_time, required_text, timestamp, uuid},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait,
    prelude::{DateTimeUtc, Expr, Uuid},
    sea_query::ExprTrait,
};

use super::{
    ledger::{ABOUT_ADDRESS, MAILBOX_FULL, REJECTED},
    parse::parse_recipient,
    row::{self, Leases, StateName, UNFINISHED},
    webhook_notice::is_notice,
};
use crate::{
    db::{
        Result, Store, audit::Call, database_time, error::StoreError, sql,
        transaction::Transaction, with_timeout,
    },
    error::Invalid,
    leads::{lock::lock_leads, row as lead_row},
};

const LISTED: u64 = 1000;
const REASON_LENGTH: usize = 500;

/// Deliveries per transaction.
const BATCH: u64 = 100;

/// Leads with unsent emails to the sales team, and leads without a delivery to the team yet. Webhooks and emails to a full
/// mailbox do not count, because an unavailable receiver or one full mailbox must not page anyone.
const PENDING: &str = "
    FROM lead WHERE open AND erased_at IS NULL AND (
        EXISTS (SELECT 1 FROM delivery WHERE lead_id = id AND NOT requested
            AND recipient <> 'visitor' AND recipient NOT LIKE 'webhook:%'
            AND state IN ('pending', 'claimed', 'deferred') AND reason_class <> 'mailbox-full')
        OR NOT EXISTS (SELECT 1 FROM delivery WHERE lead_id = id AND NOT requested
            AND recipient <> 'visitor' AND recipient NOT LIKE 'webhook:%'))";

/// Excludes deliveries that wait for their first attempt.
const WAITING: &str = "
    SELECT reason_class, count(*) AS deliveries FROM delivery
    WHERE state = 'deferred' AND reason_class <> '' AND lead_id IN (SELECT id FROM lead WHERE open)
    GROUP BY reason_class ORDER BY reason_class";

/// The sales recipients whose mailbox was full at the last attempt of an email, or of all.
const FULL_MAILBOXES: &str = "
    SELECT count(DISTINCT recipient) AS mailboxes FROM (
        SELECT recipient FROM delivery WHERE state = 'failed' AND reason_class = 'mailbox-full'
        UNION ALL
        SELECT recipient FROM delivery WHERE state = 'deferred' AND reason_class = 'mailbox-full'
            AND lead_id IN (SELECT id FROM lead WHERE open)
    ) AS bounced
    WHERE recipient <> 'visitor' AND recipient <> 'brochure'";

/// Leads whose deliveries to the sales team are not finished; failed deliveries are counted separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    pub leads: u64,
    /// Time since the oldest was stored, by the database's clock.
    pub oldest: Duration,
}

#[derive(Clone)]
pub struct DeliveryFilter {
    matches: Condition,
    /// Whether the filter names one email to one visitor. A retry then includes an email that ended because of the address.
    is_email_to_visitor: bool,
}

impl DeliveryFilter {
    /// A delivery must match all given fields.
    pub fn parse(filter: Option<crm::DeliveryFilter>) -> Result<Self, Invalid> {
        let crm::DeliveryFilter {
            lead_id,
            recipient,
            since,
        } = filter.unwrap_or_default();
        let mut matches = Condition::all();
        let is_email_to_visitor =
            !lead_id.is_empty() && Recipient::from(recipient.as_str()).is_visitor();
        if !lead_id.is_empty() {
            matches = matches.add(row::Column::LeadId.eq(uuid("filter.lead_id", &lead_id)?));
        }
        if !recipient.is_empty() {
            let recipient = parse_recipient("filter.recipient", &recipient)?;
            matches = matches.add(is_recipient(&recipient));
        }
        let since = optional_time("filter.since", since)?;
        let is_recent = since.map(|since| row::Column::ChangedAt.gte(since));
        Ok(Self {
            matches: matches.add_option(is_recent),
            is_email_to_visitor,
        })
    }

    pub(crate) fn of_lead(lead_id: Uuid) -> Self {
        Self {
            matches: Condition::all().add(row::Column::LeadId.eq(lead_id)),
            is_email_to_visitor: false,
        }
    }

    fn failed(&self) -> Condition {
        let is_failed = row::Column::State.eq(StateName::Failed);
        self.matches.clone().add(is_failed)
    }

    fn retriable(&self) -> Condition {
        let is_ended_by_address = row::Column::State
            .eq(StateName::Cancelled)
            .and(row::Column::ReasonClass.is_in(ABOUT_ADDRESS));
        let is_retriable = Condition::any()
            .add(row::Column::State.eq(StateName::Failed))
            .add_option(self.is_email_to_visitor.then_some(is_ended_by_address));
        self.matches.clone().add(is_retriable)
    }

    /// Each of the four alternatives has an index.
    fn unfinished(&self) -> Condition {
        let open_leads = lead_row::select_ids()
            .filter(lead_row::Column::Open.eq(true))
            .into_query();
        let is_waiting = row::Column::State.is_in(UNFINISHED);
        let is_of_open_lead = row::Column::LeadId.in_subquery(open_leads);
        let is_brochure = row::Column::Recipient.eq(Recipient::Brochure.to_string());
        self.matches.clone().add(
            Condition::any()
                .add(row::Column::State.eq(StateName::Failed))
                .add(is_waiting.clone().and(is_of_open_lead))
                .add(is_waiting.clone().and(is_brochure))
                .add(is_waiting.and(is_notice())),
        )
    }
}

/// Matches a recipient. `updated:NAME` matches the updates of all numbers.
fn is_recipient(recipient: &Recipient) -> Expr {
    let first = Recipient::from(format!("{recipient}#1").as_str());
    if matches!(first, Recipient::UpdateNotice { .. }) {
        row::Column::Recipient.starts_with(format!("{recipient}#"))
    } else {
        row::Column::Recipient.eq(recipient.to_string())
    }
}

#[derive(Clone)]
pub enum FailedAction {
    /// From the first attempt.
    Retry,
    Discard {
        reason: String,
    },
}

impl FailedAction {
    pub(crate) fn discard(reason: &str) -> Result<Self, Invalid> {
        Ok(Self::Discard {
            reason: required_text("reason", reason, REASON_LENGTH)?,
        })
    }

    /// The name in the audit.
    fn name(&self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Discard { .. } => "discard",
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
        let leads: i64 = row.try_get("", "leads")?;
        let now: DateTimeUtc = row.try_get("", "now")?;
        let oldest: DateTimeUtc = row.try_get::<Option<_>>("", "oldest")?.unwrap_or(now);
        Ok(Pending {
            leads: leads.unsigned_abs(),
            oldest: (now - oldest).to_std().unwrap_or_default(),
        })
    }

    /// The number of failed deliveries, except emails to a full mailbox, which [`Store::full_mailboxes`] counts.
    pub async fn failed_deliveries(&self) -> Result<u64> {
        let failed = row::Entity::find()
            .filter(row::Column::State.eq(StateName::Failed))
            .filter(row::Column::ReasonClass.ne(MAILBOX_FULL));
        with_timeout(failed.count(&self.reader)).await
    }

    /// The number of sales recipients whose mailbox is full.
    pub async fn full_mailboxes(&self) -> Result<u64> {
        let count = sql(&self.reader, FULL_MAILBOXES, []);
        let row = with_timeout(self.reader.query_one_raw(count)).await?;
        let mailboxes: i64 = row.map_or(Ok(0), |row| row.try_get("", "mailboxes"))?;
        Ok(mailboxes.unsigned_abs())
    }

    /// The number of deliveries of open leads that wait for a later attempt, by reason class.
    pub async fn waiting_deliveries(&self) -> Result<Vec<(String, u64)>> {
        let count = sql(&self.reader, WAITING, []);
        let mut waiting = Vec::new();
        for row in with_timeout(self.reader.query_all_raw(count)).await? {
            let deliveries: i64 = row.try_get("", "deliveries")?;
            let class: String = row.try_get("", "reason_class")?;
            waiting.push((class, deliveries.unsigned_abs()));
        }
        Ok(waiting)
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
        let matching = row::Entity::find().filter(condition);
        with_timeout(async {
            let total = matching.clone().count(&self.reader).await?;
            let rows = matching
                .order_by_asc(row::Column::ChangedAt)
                .order_by_asc(row::Column::LeadId)
                .order_by_asc(row::Column::Recipient)
                .limit(LISTED)
                .all(&self.reader)
                .await?;
            let summary = |row: row::Model| crm::DeliverySummary {
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

    /// Retries or discards the selected deliveries that have failed until now; returns their number. A retry of an email to a
    /// visitor that ended because of the address also lifts the suppression of the mailbox. After an error, earlier batches
    /// stay committed; the call may be repeated.
    pub async fn resolve_failed(
        &self,
        filter: &DeliveryFilter,
        action: &FailedAction,
        client: &str,
    ) -> Result<u64> {
        let call = Call {
            author: client,
            action: action.name(),
        };
        // A retried delivery may fail again while the call retries others.
        let ended_until = with_timeout(database_time(&self.reader)).await?;
        let selected = match action {
            FailedAction::Retry => filter.retriable(),
            FailedAction::Discard { .. } => filter.failed(),
        };
        let selected = &selected.add(row::Column::ChangedAt.lte(ended_until));
        let mut decided = 0;
        loop {
            let batch = self.write_audited("retry or discard deliveries", call, |tx| async move {
                resolve_batch(&tx, filter, selected, action, client).await
            });
            let (deliveries, is_last) = batch.await?;
            decided += deliveries;
            if is_last {
                return Ok(decided);
            }
        }
    }
}

fn unfinished_state(state: StateName) -> crm::DeliveryState {
    match state {
        StateName::Pending => crm::DeliveryState::Pending,
        StateName::Claimed => crm::DeliveryState::Claimed,
        StateName::Deferred => crm::DeliveryState::Deferred,
        StateName::Failed => crm::DeliveryState::Failed,
        StateName::Delivered | StateName::Cancelled => crm::DeliveryState::Unspecified,
    }
}

/// Applies the decision to the oldest selected deliveries. Returns their number and whether none were left, and their leads.
async fn resolve_batch(
    tx: &Transaction,
    filter: &DeliveryFilter,
    selected: &Condition,
    action: &FailedAction,
    client: &str,
) -> Result<((u64, bool), Vec<Uuid>)> {
    let found = row::Entity::find()
        .filter(selected.clone())
        .order_by_asc(row::Column::ChangedAt)
        .limit(BATCH)
        .all(&tx.db)
        .await?;
    let is_last = (found.len() as u64) < BATCH;
    let suppressing = match action {
        FailedAction::Retry if filter.is_email_to_visitor => find_suppressing(tx, &found).await?,
        FailedAction::Retry | FailedAction::Discard { .. } => Vec::new(),
    };
    let ids: BTreeSet<Uuid> = found
        .iter()
        .chain(&suppressing)
        .map(|row| row.lead_id)
        .collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let locked = lock_leads(tx, &ids).await?;
    let mut ledger = row::load(tx, &ids).await?;
    let mut resolved = 0;
    for (lead_id, recipient) in found.into_iter().map(|row| row.into_delivery().0) {
        // Another replica may have changed the delivery before the lock.
        let is_resolved = match action {
            FailedAction::Retry => ledger.retry_ended(lead_id, &recipient, client),
            FailedAction::Discard { reason } => {
                ledger.discard_failed(lead_id, &recipient, reason, client)
            }
        };
        resolved += u64::from(is_resolved);
    }
    for (lead_id, recipient) in suppressing.into_iter().map(|row| row.into_delivery().0) {
        ledger.lift_rejection(lead_id, &recipient);
    }
    // An erased lead stays closed.
    let leads = locked.rows().filter(|row| !row.is_erased());
    row::save(tx, &ledger, leads, Leases::End).await?;
    Ok(((resolved, is_last), ids))
}

/// The rejected emails that suppress further emails to the mailboxes of these deliveries.
async fn find_suppressing(tx: &Transaction, deliveries: &[row::Model]) -> Result<Vec<row::Model>> {
    let leads = deliveries.iter().map(|row| row.lead_id);
    let mailboxes = lead_row::Entity::find()
        .select_only()
        .column(lead_row::Column::Mailbox)
        .filter(lead_row::Column::Id.is_in(leads))
        // An erased lead has none.
        .filter(lead_row::Column::Mailbox.ne(""))
        .into_query();
    let of_mailboxes = lead_row::select_ids()
        .filter(lead_row::Column::Mailbox.in_subquery(mailboxes))
        .into_query();
    let suppressing = row::Entity::find()
        .filter(row::Column::LeadId.in_subquery(of_mailboxes))
        .filter(row::Column::State.eq(StateName::Cancelled))
        .filter(row::Column::ReasonClass.eq(REJECTED));
    Ok(suppressing.all(&tx.db).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::tests::query_plan;

    #[tokio::test]
    async fn counting_waiting_deliveries_uses_indexes() {
        let plan = query_plan(WAITING, []).await;
        assert!(!plan.contains("SCAN delivery"), "{plan}");
    }

    #[tokio::test]
    async fn counting_full_mailboxes_uses_indexes() {
        let plan = query_plan(FULL_MAILBOXES, []).await;
        // Reads all failed deliveries, which are few.
        assert!(
            plan.contains("SCAN delivery USING INDEX delivery_failed"),
            "{plan}"
        );
        assert_eq!(plan.matches("SCAN delivery").count(), 1, "{plan}");
    }
}
