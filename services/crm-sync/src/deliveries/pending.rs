//! Measures the delivery backlog and counts failed deliveries.

use std::time::Duration;

use super::delivery::{self, State};
use crate::db::{prelude::*, transaction::database_time};

/// Counts the leads of which the sales team has not got all emails, or that the routes have had no part in yet. Webhooks
/// do not count: a system that is away wakes nobody.
const COUNT_PENDING: &str = "
    SELECT count(*) AS leads, min(recorded_at) AS oldest FROM lead
    WHERE open AND erased_at IS NULL AND (
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

#[derive(FromQueryResult)]
struct Row {
    leads: i64,
    oldest: Option<DateTimeUtc>,
}

impl Store {
    /// Counts leads whose mails to the sales team are not finished.
    pub async fn pending(&self) -> Result<Pending> {
        with_timeout(async {
            let row = Row::find_by_statement(sql(&self.reader, COUNT_PENDING, [])).one(&self.reader).await?;
            let now = database_time(&self.reader).await?;
            Ok::<_, StoreError>(row.map_or_else(Pending::default, |Row { leads, oldest }| Pending {
                leads: leads.unsigned_abs(),
                oldest: oldest.and_then(|oldest| (now - oldest).to_std().ok()).unwrap_or_default(),
            }))
        })
        .await
    }

    /// Counts the deliveries that await an operator's decision.
    pub async fn failed_deliveries(&self) -> Result<u64> {
        let failed = delivery::Entity::find().filter(delivery::Column::State.eq(State::Failed));
        with_timeout(failed.count(&self.reader)).await
    }
}
