//! Runs units of work in transactions.

use std::{future::Future, time::Duration};

use runtime::trace::TARGET;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, SqliteTransactionMode, Statement,
    TransactionOptions, TransactionTrait, prelude::DateTimeUtc,
};
use tokio::time::Instant;
use tracing::{Instrument, field::Empty, info_span};

use super::{Store, error::StoreError, settings::Kind, within};

/// Attempts at work that loses races for a lock; each lost race means that another transaction made progress.
const TRIES: u32 = 5;

/// No retry once the attempts took this long.
const RETRY_WITHIN: Duration = Duration::from_millis(500);

/// Work done in one transaction.
pub(crate) trait UnitOfWork: Sync {
    const NAME: &'static str;

    type Outcome: Send;

    /// Performs the work for `store`. May be called again after an error, which rolls everything back.
    fn perform(
        &self,
        transaction: &DatabaseTransaction,
        store: &Store,
    ) -> impl Future<Output = Result<Self::Outcome, StoreError>> + Send;
}

impl Store {
    pub(crate) async fn transact<W: UnitOfWork>(&self, work: &W) -> Result<W::Outcome, StoreError> {
        let start = Instant::now();
        for _ in 1..TRIES {
            match self.once(work).await {
                Err(StoreError::Contended(_)) if start.elapsed() < RETRY_WITHIN => {}
                Ok(outcome) => return Ok(outcome),
                Err(error) => return Err(error),
            }
        }
        self.once(work).await
    }

    async fn once<W: UnitOfWork>(&self, work: &W) -> Result<W::Outcome, StoreError> {
        let options = TransactionOptions {
            // The write lock is taken first: SQLite may refuse to take it later, without waiting.
            sqlite_transaction_mode: (self.kind == Kind::Sqlite).then_some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let span = info_span!(
            target: TARGET,
            "transaction",
            otel.name = W::NAME,
            otel.kind = "client",
            otel.status_code = Empty,
            db.system.name = self.kind.name(),
            db.query.summary = W::NAME,
        );
        let transaction = within(async {
            let transaction = self.writer.begin_with_options(options).await?;
            let outcome = work.perform(&transaction, self).await?;
            transaction.commit().await?;
            Ok::<_, StoreError>(outcome)
        });
        let outcome = transaction.instrument(span.clone()).await;
        if outcome.is_err() {
            // The error is not recorded: the database's text may quote values.
            span.record("otel.status_code", "ERROR");
        }
        outcome
    }
}

/// Makes lookups by key use an index for the rest of the transaction. PostgreSQL has no statistics of a new table that
/// grows fast, and would scan all of it for a long list of keys.
pub(crate) async fn look_up_by_index(transaction: &DatabaseTransaction) -> Result<(), StoreError> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        transaction.execute_unprepared("SET LOCAL enable_seqscan = off").await?;
    }
    Ok(())
}

/// The current time by the database's clock.
pub(crate) async fn now(transaction: &DatabaseTransaction) -> Result<DateTimeUtc, StoreError> {
    let backend = transaction.get_database_backend();
    let select = format!("SELECT {} AS now", crm_sync_migration::database_clock(backend));
    let row = transaction.query_one_raw(Statement::from_string(backend, select)).await?;
    let none = || DbErr::RecordNotFound("no time".to_owned());
    Ok(row.ok_or_else(none)?.try_get("", "now")?)
}
