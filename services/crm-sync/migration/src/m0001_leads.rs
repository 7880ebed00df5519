//! Leads, and who was told of them.

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

#[derive(DeriveIden)]
enum Notification {
    Table,
    LeadId,
    Recipient,
    Reference,
    MailMessageId,
    ServerReply,
    NotifiedAt,
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
        manager.create_table(notification(now)).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Notification::Table).take()).await?;
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

/// Without a foreign key: the queue may bring the notification before the lead.
fn notification(now: &'static str) -> TableCreateStatement {
    Table::create()
        .table(Notification::Table)
        .col(uuid(Notification::LeadId))
        .col(text(Notification::Recipient))
        .col(text(Notification::Reference))
        .col(text(Notification::MailMessageId))
        .col(text(Notification::ServerReply))
        .col(timestamp_with_time_zone(Notification::NotifiedAt))
        .col(timestamp_with_time_zone(Notification::RecordedAt).default(Expr::cust(now)))
        .primary_key(Index::create().col(Notification::LeadId).col(Notification::Recipient))
        .take()
}
