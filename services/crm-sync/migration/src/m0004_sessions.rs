//! Gives sessions and used links of the desk their own tables. Programs of the previous schema keep using `task`: during a
//! rolling update, a logout reaches only the replicas of the same version.

use sea_orm_migration::prelude::*;

use crate::types::with_types;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let statements = with_types(include_str!("sessions.sql"), manager.get_database_backend());
        manager
            .get_connection()
            .execute_unprepared(&statements)
            .await?;
        Ok(())
    }
}
