//! Indexes the letters of searched texts, on PostgreSQL: three in a row, and each that is not ASCII, as Chinese names have
//! two or three in all. SQLite, for few leads, reads them all.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::index::create_index;

/// The extension is trusted: whoever owns the database may create it.
const FUNCTIONS: &str = r"
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE OR REPLACE FUNCTION characters(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN string_to_array(regexp_replace($1, '[\u0001-\u007f]+', '', 'g'), NULL);
";

const ON: &str = "lead USING gin (searched gin_trgm_ops, characters(searched))";

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
        manager.get_connection().execute_unprepared(FUNCTIONS).await?;
        create_index(manager, "lead_searched", ON).await
    }
}
