//! Creates the first schema.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

use crate::database_clock;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// What only PostgreSQL has.
const POSTGRES: &str = include_str!("postgres.sql");

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// On SQLite too, so that a crash leaves nothing behind.
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

/// `schema.sql` for one database. SQLite's type names are those that the driver maps.
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
        // Keys are compared bytewise, so that an index serves prefix searches.
        ("uuid", "timestamp with time zone", "bigserial PRIMARY KEY", "text COLLATE \"C\"", "jsonb")
    };
    let now = database_clock(backend);
    // Columns of `lead` and `conflict`.
    let columns = format!(
        "id {uuid} NOT NULL,
    reference {key} NOT NULL,
    submitted_at {timestamp} NOT NULL,
    -- JSON arrays as text, as `channels`, which both databases can search.
    interests text NOT NULL,
    signals text NOT NULL,
    name text NOT NULL,
    mobile text NOT NULL,
    email text NOT NULL,
    questions text NOT NULL,
    language text NOT NULL,
    privacy_policy_version text NOT NULL,
    channels text NOT NULL,
    purpose text NOT NULL,
    visit {json},
    email_key {key} NOT NULL,
    mailbox {key} NOT NULL,
    digits {key} NOT NULL,
    searched text NOT NULL,
    recorded_at {timestamp} NOT NULL DEFAULT ({now}),
    source text NOT NULL,
    contact_id {uuid},
    conflicting_contact_id {uuid},
    state text NOT NULL,
    owner text NOT NULL,
    owner_key {key} NOT NULL,
    changed_at {timestamp},
    changed_by text NOT NULL,
    contacted_at {timestamp},
    next_step_at {timestamp},
    closing_reason text NOT NULL,
    do_not_contact_at {timestamp},
    -- The row of an erased lead holds nothing personal, and keeps every later copy of the lead out.
    erased_at {timestamp},
    -- Whether a delivery is pending, claimed or deferred, or none is known yet.
    open boolean NOT NULL,
    leased_until {timestamp},
    leases integer NOT NULL,
    -- Whether the visitor was asked for, or has, the brochure.
    brochure boolean NOT NULL"
    );
    format!(
        include_str!("schema.sql"),
        columns = columns,
        json = json,
        now = now,
        serial = serial,
        timestamp = timestamp,
        uuid = uuid
    )
}
