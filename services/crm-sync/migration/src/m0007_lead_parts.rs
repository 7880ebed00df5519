//! Indexes every part of names, addresses, numbers and references, on PostgreSQL. SQLite, for few leads, reads them all.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::index::create_index;

const ON: &str = "lead USING gin (name_key gin_trgm_ops, email_key gin_trgm_ops, digits gin_trgm_ops, \
                  reference gin_trgm_ops)";

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Sqlite {
            return Ok(());
        }
        // Trusted: whoever owns the database may create it.
        manager.get_connection().execute_unprepared("CREATE EXTENSION IF NOT EXISTS pg_trgm").await?;
        create_index(manager, "lead_parts", ON).await
    }
}
