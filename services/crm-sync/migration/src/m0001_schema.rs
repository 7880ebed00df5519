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
    let (uuid, timestamp, serial, key, json) = if backend == DbBackend::Sqlite {
        (
            "uuid_text",
            "timestamp_with_timezone_text",
            "integer PRIMARY KEY AUTOINCREMENT",
            "text",
            "json_text",
        )
    } else {
        // Bytewise collation allows an index to serve prefix searches.
        ("uuid", "timestamp with time zone", "bigserial PRIMARY KEY", "text COLLATE \"C\"", "jsonb")
    };
    format!(
        include_str!("schema.sql"),
        json = json,
        key = key,
        now = database_clock(backend),
        serial = serial,
        timestamp = timestamp,
        uuid = uuid
    )
}
