//! Adds what comes next for a lead, why it was closed, whether its visitor may be contacted and has the brochure, and to the
//! audit which lead a call was about.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (uuid, timestamp) = if manager.get_database_backend() == DbBackend::Sqlite {
            ("uuid_text", "timestamp_with_timezone_text")
        } else {
            ("uuid", "timestamp with time zone")
        };
        let connection = manager.get_connection();
        let brochure = "ALTER TABLE lead ADD COLUMN brochure boolean NOT NULL DEFAULT FALSE";
        connection.execute_unprepared(brochure).await?;
        // The columns of `conflict` are those of `lead`. A constant default rewrites no row.
        for table in ["lead", "conflict"] {
            for column in [
                &format!("next_step_at {timestamp}"),
                "closing_reason text NOT NULL DEFAULT ''",
                &format!("do_not_contact_at {timestamp}"),
            ] {
                let add = format!("ALTER TABLE {table} ADD COLUMN {column}");
                connection.execute_unprepared(&add).await?;
            }
        }
        connection.execute_unprepared(&format!("ALTER TABLE audit ADD COLUMN lead_id {uuid}")).await?;
        Ok(())
    }
}
