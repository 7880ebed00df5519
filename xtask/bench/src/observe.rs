//! Observes the results of the programs under test: rows in PostgreSQL, and emails.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use parking_lot::Mutex;
use sea_orm::sqlx::{self, PgPool, query_scalar, raw_sql};
use tokio::task::spawn_blocking;
use uuid::Uuid;

// Long enough not to affect the measurement.
const LEADS_POLL: Duration = Duration::from_millis(500);
const EMAILS_POLL: Duration = Duration::from_millis(20);
const TIMEOUT: Duration = Duration::from_secs(300);
/// Short, because the time of the poll is the time of the row.
const ROW_POLL: Duration = Duration::from_micros(200);

/// The table of leads.
pub(crate) struct LeadTable(PgPool);

impl LeadTable {
    pub(crate) async fn connect(url: &str) -> Result<Self> {
        Ok(Self(PgPool::connect(url).await?))
    }

    pub(crate) async fn run(&self, statements: &str) -> Result<()> {
        raw_sql(sqlx::AssertSqlSafe(statements))
            .execute(&self.0)
            .await?;
        Ok(())
    }

    /// Waits until at least `count` leads are stored.
    pub(crate) async fn wait_for_leads(&self, count: u64) -> Result<()> {
        poll(
            &format!("{count} leads were not stored"),
            LEADS_POLL,
            async || {
                let stored: i64 = query_scalar("SELECT count(*) FROM lead")
                    .fetch_one(&self.0)
                    .await?;
                Ok((stored.unsigned_abs() >= count).then_some(()))
            },
        )
        .await
    }

    /// The time when a lead was found.
    pub(crate) async fn wait_for_lead(&self, id: Uuid) -> Result<Instant> {
        poll(&format!("lead {id} was not stored"), ROW_POLL, async || {
            let query = query_scalar::<_, bool>("SELECT true FROM lead WHERE id = $1").bind(id);
            Ok(query.fetch_optional(&self.0).await?.map(|_| Instant::now()))
        })
        .await
    }

    /// Leads stored per second, between the first and the last `recorded_at`.
    pub(crate) async fn leads_per_second(&self) -> Result<f64> {
        let query = "SELECT (count(*) - 1) / nullif(extract(epoch FROM max(recorded_at) - min(recorded_at)), 0)::float8 FROM lead";
        let rate: Option<f64> = query_scalar(query).fetch_one(&self.0).await?;
        rate.context("too few leads were stored for a rate")
    }
}

/// Accepts every email and stores the times of arrival. Clones share the times.
#[derive(Clone, Default)]
pub(crate) struct Mailbox(Arc<Mutex<Vec<Instant>>>);

impl Mailbox {
    /// Records the arrival of an email now.
    pub(crate) fn record(&self) {
        self.0.lock().push(Instant::now());
    }

    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }

    /// Waits for the `number`-th email since the last [`Self::clear`]; returns the time of its arrival.
    pub(crate) async fn wait_for(&self, number: usize) -> Result<Instant> {
        poll(
            &format!("{number} emails did not arrive"),
            EMAILS_POLL,
            async || Ok(self.0.lock().get(number - 1).copied()),
        )
        .await
    }
}

/// Calls `observe` until it returns a value.
async fn poll<T>(
    what: &str,
    interval: Duration,
    mut observe: impl AsyncFnMut() -> sqlx::Result<Option<T>>,
) -> Result<T> {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        if let Some(value) = observe().await? {
            return Ok(value);
        }
        if Instant::now() > deadline {
            bail!("{what} within {} s", TIMEOUT.as_secs());
        }
        // tokio's timer has a resolution of a millisecond.
        spawn_blocking(move || thread::sleep(interval)).await?;
    }
}
