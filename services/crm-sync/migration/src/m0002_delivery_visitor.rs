//! Indexes emails to visitors for the hourly limit.

use sea_orm_migration::prelude::*;

use crate::create_index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_index(manager, "delivery_visitor", "delivery (changed_at) WHERE recipient = 'visitor'").await
    }
}
