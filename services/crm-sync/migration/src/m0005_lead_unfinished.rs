//! Indexes the leads of which something is left to do.

use sea_orm_migration::prelude::*;

use crate::index::create_index;

const ON: &str = "lead (submitted_at, id, erased_at) WHERE state IN ('new', 'contacted', 'visiting')";

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_index(manager, "lead_unfinished", ON).await
    }
}
