//! Indexes the brochures, which are counted by state.

use sea_orm_migration::prelude::*;

use crate::index::create_index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_index(manager, "delivery_brochure", "delivery (state, lead_id) WHERE recipient = 'brochure'")
            .await
    }
}
