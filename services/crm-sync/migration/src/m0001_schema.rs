//! Creates the first schema.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::types::with_types;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Statements for PostgreSQL only.
const POSTGRES: &str = include_str!("postgres.sql");

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// Enabled for SQLite too, so a crash leaves no partial schema.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let connection = manager.get_connection();
        let schema = with_types(include_str!("schema.sql"), backend);
        connection.execute_unprepared(&schema).await?;
        if backend == DbBackend::Postgres {
            connection.execute_unprepared(POSTGRES).await?;
        }
        Ok(())
    }
}
