//! Indexes the leads that have a next step, which are few.

use sea_orm_migration::prelude::*;

use crate::index::create_index;

const ON: &str = "lead (next_step_at, submitted_at, id, owner_key, erased_at) WHERE next_step_at IS NOT NULL";

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_index(manager, "lead_next_step", ON).await
    }
}
