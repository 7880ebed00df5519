//! Runs transactions, with advisory locks and statements of bounded size.

use std::{slice, sync::Arc, time::Duration};

use runtime::trace::TARGET;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, SqliteTransactionMode, TransactionOptions,
    TransactionTrait, Value, prelude::DateTimeUtc,
};
use tokio::{sync::OnceCell, time::Instant};
use tracing::{Instrument, field::Empty, info_span};

use super::{
    PERSON_TIME_LIMIT, Result, Store, TIME_LIMIT, database_time, error::StoreError, sql,
    suppression_key::SuppressionKey, within,
};

/// Maximum attempts of a transaction that loses races for a lock. In each lost race, another transaction made progress.
const TRIES: u32 = 5;

/// No retry starts later than this after the first attempt. Exceeds the time after which a transaction loses a race:
/// PostgreSQL detects a deadlock, and SQLite stops waiting for another writer, after a second.
const RETRY_WITHIN: Duration = Duration::from_millis(1500);

/// What a transaction does, for traces, and how long it may take.
#[derive(Clone, Copy)]
pub(crate) struct Purpose {
    name: &'static str,
    time_limit: Duration,
}

impl Purpose {
    /// A change that concerns all leads of a person or a mailbox, of which there is no largest number.
    pub(crate) fn of_person(name: &'static str) -> Self {
        Self {
            name,
            time_limit: PERSON_TIME_LIMIT,
        }
    }
}

impl From<&'static str> for Purpose {
    fn from(name: &'static str) -> Self {
        Self {
            name,
            time_limit: TIME_LIMIT,
        }
    }
}

/// A transaction of [`Store::write`].
pub(crate) struct Transaction {
    pub(crate) db: DatabaseTransaction,
    pub(crate) suppression: SuppressionKey,
    now: OnceCell<DateTimeUtc>,
}

impl Transaction {
    /// The time of the transaction, by the database's clock: when it first locked leads, or first asked for the time.
    pub(crate) async fn now(&self) -> Result<DateTimeUtc> {
        let now = self.now.get_or_try_init(|| database_time(&self.db)).await?;
        Ok(*now)
    }

    /// Takes the time from a statement that also returns something else, unless it is known. That saves a round trip: without
    /// it, `cargo xtask bench --only emailed` measured a tenth fewer emails.
    pub(crate) fn set_now(&self, now: DateTimeUtc) {
        // The first time stays.
        _ = self.now.set(now);
    }

    /// The time at which the caller holds its locks, by the database's clock. Receivers of webhooks order the updates of a
    /// lead by this time. [`Self::now`] does not order them, because a transaction that began earlier may lock the lead
    /// later.
    pub(crate) async fn time_after_locks(&self) -> Result<DateTimeUtc> {
        database_time(&self.db).await
    }

    /// Acquires the lock `name` until the transaction ends.
    pub(crate) async fn advisory_lock(&self, name: &str) -> Result<()> {
        self.execute_on_postgres(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
            [name.into()],
        )
        .await
    }

    /// Like [`Self::advisory_lock`], but in shared mode.
    pub(crate) async fn advisory_lock_shared(&self, name: &str) -> Result<()> {
        let lock = "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))";
        self.execute_on_postgres(lock, [name.into()]).await
    }

    /// Forces lookups by key to use an index for the rest of the transaction. Without statistics on a new, fast-growing
    /// table, PostgreSQL would scan the whole table for a long list of keys. `cargo xtask bench --only stored` measured a fifth
    /// fewer leads stored without it.
    pub(crate) async fn disable_seqscan(&self) -> Result<()> {
        self.execute_on_postgres("SET LOCAL enable_seqscan = off", [])
            .await
    }

    /// Does nothing on SQLite, which has one writing transaction at a time.
    async fn execute_on_postgres<const N: usize>(
        &self,
        text: &str,
        values: [Value; N],
    ) -> Result<()> {
        if self.db.get_database_backend() == DbBackend::Postgres {
            self.db.execute_raw(sql(&self.db, text, values)).await?;
        }
        Ok(())
    }
}

impl Store {
    /// Runs `work` in one transaction, which an error rolls back. Repeats `work` after a lost race for a lock. `work` must be idempotent: after a failed commit the outcome is unknown, and callers may retry.
    ///
    /// `work` receives an `Arc` because the compiler cannot yet prove that the future of a closure that takes a
    /// reference is `Send`.
    pub(crate) async fn write<T, F: Future<Output = Result<T>>>(
        &self,
        purpose: impl Into<Purpose>,
        work: impl Fn(Arc<Transaction>) -> F,
    ) -> Result<T> {
        let Purpose { name, time_limit } = purpose.into();
        let is_sqlite = self.backend == DbBackend::Sqlite;
        let (start, mut tries) = (Instant::now(), 1);
        loop {
            let options = TransactionOptions {
                // Acquires the write lock first. Later, SQLite may deny the lock immediately instead of waiting.
                sqlite_transaction_mode: is_sqlite.then_some(SqliteTransactionMode::Immediate),
                ..TransactionOptions::default()
            };
            let span = info_span!(
                target: TARGET,
                "transaction",
                otel.name = name,
                otel.kind = "client",
                otel.status_code = Empty,
                db.system.name = if is_sqlite { "sqlite" } else { "postgresql" },
                db.query.summary = name,
            );
            let transaction = within(time_limit, async {
                let db = self.writer.begin_with_options(options).await?;
                let transaction = Arc::new(Transaction {
                    db,
                    suppression: self.suppression.clone(),
                    now: OnceCell::new(),
                });
                let value = work(transaction.clone()).await?;
                let still_used = || StoreError::Failed("transaction is still in use".to_owned());
                Arc::into_inner(transaction)
                    .ok_or_else(still_used)?
                    .db
                    .commit()
                    .await?;
                Ok::<_, StoreError>(value)
            });
            let result = transaction.instrument(span.clone()).await;
            if result.as_ref().is_err_and(|failure| !failure.is_refusal()) {
                // Omits the error, because messages of the database may quote values.
                span.record("otel.status_code", "ERROR");
            }
            match result {
                Err(StoreError::Contended(_))
                    if tries < TRIES && start.elapsed() < RETRY_WITHIN =>
                {
                    tries += 1
                }
                result => return result,
            }
        }
    }
}

/// Maximum number of rows to insert, or of values in a list, in one statement. SQLite allows 32,766 parameters in a
/// statement and PostgreSQL 65,535; the largest row has fewer than 60.
const LARGEST_CHUNK: usize = 128;

/// Splits rows to insert, or the values of a list. Every list without a small, known length must be split.
pub(crate) fn chunks<T>(items: &[T]) -> slice::Chunks<'_, T> {
    items.chunks(LARGEST_CHUNK)
}
