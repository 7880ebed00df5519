//! Stores the floor plan and the visit times of a lead, which earlier versions stored as sentences of the question. Programs
//! of the previous schema keep working: their leads have neither.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Ids of the site. The times are a JSON array as text, like the channels.
const COLUMNS: [&str; 2] = [
    "ALTER TABLE lead ADD COLUMN plan text NOT NULL DEFAULT ''",
    "ALTER TABLE lead ADD COLUMN visit_times text NOT NULL DEFAULT '[]'",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for column in COLUMNS {
            connection.execute_unprepared(column).await?;
        }
        Ok(())
    }
}
