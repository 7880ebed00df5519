//! Advisory locks, held until the end of a transaction.

use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, Statement};

use super::error::StoreError;

/// Waits for the lock `name`, and holds it until the transaction ends.
pub(crate) async fn advisory_lock(transaction: &DatabaseTransaction, name: &str) -> Result<(), StoreError> {
    call_lock(transaction, "pg_advisory_xact_lock", name).await
}

/// As [`advisory_lock`], but shared with other callers of this function.
pub(crate) async fn advisory_lock_shared(
    transaction: &DatabaseTransaction,
    name: &str,
) -> Result<(), StoreError> {
    call_lock(transaction, "pg_advisory_xact_lock_shared", name).await
}

/// Does nothing on SQLite, which has one writing transaction at a time.
async fn call_lock(transaction: &DatabaseTransaction, function: &str, name: &str) -> Result<(), StoreError> {
    let backend = transaction.get_database_backend();
    if backend == DbBackend::Postgres {
        let lock = format!("SELECT {function}(hashtextextended($1, 0))");
        transaction.execute_raw(Statement::from_sql_and_values(backend, lock, [name.into()])).await?;
    }
    Ok(())
}
