//! Lets a withdrawal apply to one mailbox, corrections keep all earlier values, and the audit name the leads of each call.
//! Programs of the first schema keep working, except that they cannot store suppressions.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::types::with_types;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Finds leads of the previous version, whose mailboxes are not hashed.
const NOT_HASHED: &str =
    "CREATE INDEX lead_not_hashed ON lead (mailbox) WHERE mailbox_hash = '' AND mailbox <> ''";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let connection = manager.get_connection();
        // For a time before the first release, the first migration created these columns.
        if manager.has_column("lead", "mailbox_hash").await? {
            connection.execute_unprepared(NOT_HASHED).await?;
            return Ok(());
        }
        let tables = if backend == DbBackend::Sqlite {
            include_str!("suppression_sqlite.sql")
        } else {
            include_str!("suppression_postgres.sql")
        };
        for statements in [tables, include_str!("mailboxes.sql"), NOT_HASHED] {
            let statements = with_types(statements, backend);
            connection.execute_unprepared(&statements).await?;
        }
        Ok(())
    }
}
