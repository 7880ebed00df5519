//! Leads.

use sea_orm_migration::{prelude::*, schema::*};

use crate::clock::database_clock;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Lead {
    Table,
    Id,
    Reference,
    SubmittedAt,
    Interests,
    Name,
    Mobile,
    Email,
    Questions,
    Language,
    PrivacyPolicyVersion,
    SessionId,
    SessionStartedAt,
    LandingPath,
    ReferrerHost,
    UtmSource,
    UtmMedium,
    UtmCampaign,
    UtmTerm,
    UtmContent,
    RecordedAt,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let now = database_clock(manager.get_database_backend());
        manager.create_table(lead(now)).await?;
        for (name, column) in [
            ("lead_submitted_at", Lead::SubmittedAt),
            ("lead_recorded_at", Lead::RecordedAt),
            ("lead_reference", Lead::Reference),
        ] {
            let index = Index::create().name(name).table(Lead::Table).col(column).col(Lead::Id).take();
            manager.create_index(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Lead::Table).take()).await
    }
}

fn lead(now: &'static str) -> TableCreateStatement {
    Table::create()
        .table(Lead::Table)
        .col(uuid(Lead::Id).primary_key())
        .col(text(Lead::Reference))
        .col(timestamp_with_time_zone(Lead::SubmittedAt))
        // A JSON array as text, which both databases can search.
        .col(text(Lead::Interests))
        .col(text(Lead::Name))
        .col(text(Lead::Mobile))
        .col(text(Lead::Email))
        .col(text(Lead::Questions))
        .col(text(Lead::Language))
        .col(text(Lead::PrivacyPolicyVersion))
        .col(uuid_null(Lead::SessionId))
        .col(timestamp_with_time_zone_null(Lead::SessionStartedAt))
        .col(text(Lead::LandingPath))
        .col(text(Lead::ReferrerHost))
        .col(text(Lead::UtmSource))
        .col(text(Lead::UtmMedium))
        .col(text(Lead::UtmCampaign))
        .col(text(Lead::UtmTerm))
        .col(text(Lead::UtmContent))
        .col(timestamp_with_time_zone(Lead::RecordedAt).default(Expr::cust(now)))
        .take()
}
