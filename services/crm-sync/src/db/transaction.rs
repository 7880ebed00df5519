//! Runs transactions, with advisory locks and statements of bounded size.

use std::{iter, slice, sync::Arc, time::Duration};

use runtime::trace::TARGET;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, SqliteTransactionMode, TransactionOptions,
    TransactionTrait, Value, prelude::DateTimeUtc,
};
use tokio::time::Instant;
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
    /// The time when the transaction began, by the database's clock.
    pub(crate) now: DateTimeUtc,
}

impl Transaction {
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
    /// table, PostgreSQL would scan the whole table for a long list of keys.
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
                let suppression = self.suppression.clone();
                let now = database_time(&db).await?;
                let transaction = Arc::new(Transaction {
                    db,
                    suppression,
                    now,
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
/// statement and PostgreSQL 65,535; the largest row has 40.
const LARGEST_CHUNK: usize = 128;

/// Splits rows to insert into parts. Unlike [`chunks`] repeats no row, because a statement can update an existing row only
/// once.
pub(crate) fn row_chunks<T>(rows: &[T]) -> slice::Chunks<'_, T> {
    rows.chunks(LARGEST_CHUNK)
}

/// Splits the values of a list into as few parts as possible. Every list without a small, known length must be
/// split. Part lengths are 1, 2, 3, 4, 6, 8, 12 and so on, which limits the number of prepared statements per connection.
/// Shorter parts repeat their last item, which must have no effect.
pub(crate) fn chunks<T>(items: &[T]) -> impl Iterator<Item = Vec<&T>> {
    items.chunks(LARGEST_CHUNK).map(|part| {
        let step = (part.len().next_power_of_two() / 4).max(1);
        let length = part.len().next_multiple_of(step);
        part.iter()
            .chain(part.last().into_iter().flat_map(iter::repeat))
            .take(length)
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn pads_chunks_with_their_last_item() {
        let items: Vec<usize> = (0..LARGEST_CHUNK + 5).collect();
        let found: Vec<_> = chunks(&items).collect();
        assert_eq!(found[0], items[..LARGEST_CHUNK].iter().collect::<Vec<_>>());
        assert_eq!(
            found[1],
            [128, 129, 130, 131, 132, 132].iter().collect::<Vec<_>>()
        );
        assert_eq!(found.len(), 2);
        assert_eq!(chunks::<u32>(&[]).count(), 0);
    }

    #[test]
    fn chunks_have_few_lengths_and_little_padding() {
        let mut lengths = BTreeSet::new();
        for count in 1..=LARGEST_CHUNK {
            let length = chunks(&vec![(); count])
                .map(|part| part.len())
                .sum::<usize>();
            assert!(
                (count..=count * 3 / 2).contains(&length),
                "{count} became {length}"
            );
            lengths.insert(length);
        }
        assert_eq!(
            lengths.into_iter().collect::<Vec<_>>(),
            [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
        );
    }
}
