//! Creates the first schema.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::database_clock;

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
        connection.execute_unprepared(&schema(backend)).await?;
        if backend == DbBackend::Postgres {
            connection.execute_unprepared(POSTGRES).await?;
        }
        Ok(())
    }
}

/// `schema.sql` with the types of one database. For SQLite, uses the type names that the driver maps.
fn schema(backend: DbBackend) -> String {
    let select = |sqlite, postgres| {
        if backend == DbBackend::Sqlite {
            sqlite
        } else {
            postgres
        }
    };
    format!(
        include_str!("schema.sql"),
        json = select("json_text", "jsonb"),
        // Bytewise collation allows an index to serve prefix searches.
        key = select("text", "text COLLATE \"C\""),
        now = database_clock(backend),
        serial = select("integer PRIMARY KEY AUTOINCREMENT", "bigserial PRIMARY KEY"),
        timestamp = select("timestamp_with_timezone_text", "timestamp with time zone"),
        uuid = select("uuid_text", "uuid"),
        uuids = select("json_text", "uuid[]"),
    )
}
