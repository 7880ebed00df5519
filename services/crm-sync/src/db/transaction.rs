//! UnitOfWork that is done whole or not at all.

use std::{future::Future, time::Duration};

use runtime::trace::TARGET;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, SqliteTransactionMode, Statement,
    TransactionOptions, TransactionTrait, prelude::DateTimeUtc,
};
use tokio::time::Instant;
use tracing::{Instrument, field::Empty, info_span};

use super::{Store, error::StoreError, settings::Kind, within};

/// How often work is tried at once that lost a race for a lock: each time somebody else has won.
const TRIES: u32 = 5;

/// Not if losing it took so long.
const RETRY_WITHIN: Duration = Duration::from_millis(500);

/// Something to be done in one transaction.
pub(crate) trait UnitOfWork: Sync {
    const NAME: &'static str;

    type Outcome: Send;

    /// Does it; may be called again after an error, which leaves nothing behind.
    fn perform(
        &self,
        transaction: &DatabaseTransaction,
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
            // A lock that is taken late may be refused without waiting.
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
            let outcome = work.perform(&transaction).await?;
            transaction.commit().await?;
            Ok::<_, StoreError>(outcome)
        });
        let outcome = transaction.instrument(span.clone()).await;
        if outcome.is_err() {
            // What the database says may quote what it was given.
            span.record("otel.status_code", "ERROR");
        }
        outcome
    }
}

/// Has statements find their rows by an index for the rest of the transaction, where all of them look up by key. Of a
/// table that is new and grows fast, PostgreSQL has no statistics yet, and would read all of it for a long list of keys.
pub(crate) async fn look_up_by_index(transaction: &DatabaseTransaction) -> Result<(), StoreError> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        transaction.execute_unprepared("SET LOCAL enable_seqscan = off").await?;
    }
    Ok(())
}

/// Now, by the database's clock.
pub(crate) async fn now(transaction: &DatabaseTransaction) -> Result<DateTimeUtc, StoreError> {
    let backend = transaction.get_database_backend();
    let select = format!("SELECT {} AS now", crm_sync_migration::database_clock(backend));
    let row = transaction.query_one_raw(Statement::from_string(backend, select)).await?;
    let none = || DbErr::RecordNotFound("no time".to_owned());
    Ok(row.ok_or_else(none)?.try_get("", "now")?)
}
