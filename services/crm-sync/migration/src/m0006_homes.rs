//! Stores the homes that the visitor of a lead looks for. Programs of the previous schema keep working: their leads have none.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Ids of the site, a JSON array as text, like the visit times.
        let column = "ALTER TABLE lead ADD COLUMN home_preferences text NOT NULL DEFAULT '[]'";
        manager
            .get_connection()
            .execute_unprepared(column)
            .await
            .map(drop)
    }
}
