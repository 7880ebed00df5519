//! Adds an index to a table that is in use.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

/// Creates an index while leads are written. Its migration does nothing else, and outside a transaction.
///
/// # Errors
/// The database's; may be repeated.
pub(crate) async fn create_index(manager: &SchemaManager<'_>, name: &str, on: &str) -> Result<(), DbErr> {
    // SQLite has one writer, which waits.
    let concurrently =
        if manager.get_database_backend() == DbBackend::Postgres { "CONCURRENTLY" } else { "" };
    let connection = manager.get_connection();
    // An attempt that was cut off leaves an invalid index behind.
    connection.execute_unprepared(&format!("DROP INDEX {concurrently} IF EXISTS {name}")).await?;
    connection.execute_unprepared(&format!("CREATE INDEX {concurrently} {name} ON {on}")).await?;
    Ok(())
}
