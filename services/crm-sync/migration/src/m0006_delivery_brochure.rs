//! Indexes the brochures: by time, as they are limited per hour with the other mails to visitors; those that wait; and
//! leads that one may be asked for.

use sea_orm_migration::prelude::*;

use crate::index::create_index;

const WAITING: &str =
    "delivery (until, lead_id) WHERE recipient = 'brochure' AND state IN ('pending', 'held', 'deferred')";

const NOT_ASKED: &str =
    "lead (submitted_at, id) WHERE NOT brochure AND erased_at IS NULL AND interests LIKE '%\"brochure\"%'";

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        create_index(manager, "delivery_brochure", "delivery (changed_at) WHERE recipient = 'brochure'")
            .await?;
        create_index(manager, "delivery_brochure_waiting", WAITING).await?;
        create_index(manager, "lead_brochure", NOT_ASKED).await
    }
}
