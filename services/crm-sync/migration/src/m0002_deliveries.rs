//! Deliveries, and what happened to a lead.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

use crate::clock::database_clock;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[derive(DeriveIden)]
enum Lead {
    Table,
    Source,
    Open,
    LeasedUntil,
    Leases,
}

#[derive(DeriveIden)]
enum Delivery {
    Table,
    LeadId,
    Recipient,
    State,
    Holder,
    Until,
    Attempts,
    ReasonClass,
    ReasonDetail,
    ChangedAt,
    MailMessageId,
    ServerReply,
    DeliveredAt,
}

#[derive(DeriveIden)]
enum Timeline {
    Table,
    Number,
    LeadId,
    At,
    Event,
    Recipient,
    Holder,
    Until,
    ReasonClass,
    ReasonDetail,
    Action,
    Why,
    Client,
}

#[derive(DeriveIden)]
enum Conflict {
    Table,
    Number,
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
    Source,
}

#[derive(DeriveIden)]
enum Probe {
    Table,
    Number,
    Filler,
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    /// On SQLite too, so that a process that dies half-way leaves nothing behind.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let now = database_clock(backend);
        let connection = manager.get_connection();
        // One column a statement, which is all that SQLite takes. The defaults serve replicas of the version before.
        for mut column in [
            text(Lead::Source).default("").take(),
            boolean(Lead::Open).default(true).take(),
            timestamp_with_time_zone_null(Lead::LeasedUntil),
            integer(Lead::Leases).default(0).take(),
        ] {
            manager.alter_table(Table::alter().table(Lead::Table).add_column(&mut column).take()).await?;
        }
        // What is still to be delivered is little, however many leads there are.
        connection.execute_unprepared("CREATE INDEX lead_open ON lead (recorded_at, id) WHERE open").await?;
        manager.create_table(delivery(now)).await?;
        manager.create_table(timeline(now)).await?;
        let of_lead = |name, table| Index::create().name(name).table(table).take();
        manager
            .create_index(of_lead("timeline_lead", Timeline::Table.into_iden()).col(Timeline::LeadId).take())
            .await?;
        manager.create_table(conflict(now)).await?;
        manager
            .create_index(of_lead("conflict_lead", Conflict::Table.into_iden()).col(Conflict::Id).take())
            .await?;
        manager.create_table(probe()).await?;
        if backend == DbBackend::Postgres {
            // Neither compressed nor kept in the row: what is written must find room.
            connection.execute_unprepared("ALTER TABLE probe ALTER filler SET STORAGE EXTERNAL").await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [
            Probe::Table.into_iden(),
            Conflict::Table.into_iden(),
            Timeline::Table.into_iden(),
            Delivery::Table.into_iden(),
        ] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        manager.drop_index(Index::drop().name("lead_open").table(Lead::Table).to_owned()).await?;
        for column in [Lead::Leases, Lead::LeasedUntil, Lead::Open, Lead::Source] {
            manager.alter_table(Table::alter().table(Lead::Table).drop_column(column).take()).await?;
        }
        Ok(())
    }
}

/// Without a foreign key: a report may come before its lead.
fn delivery(now: &'static str) -> TableCreateStatement {
    Table::create()
        .table(Delivery::Table)
        .col(uuid(Delivery::LeadId))
        .col(text(Delivery::Recipient))
        .col(text(Delivery::State))
        .col(text(Delivery::Holder))
        .col(timestamp_with_time_zone_null(Delivery::Until))
        .col(integer(Delivery::Attempts))
        .col(text(Delivery::ReasonClass))
        .col(text(Delivery::ReasonDetail))
        .col(timestamp_with_time_zone(Delivery::ChangedAt).default(Expr::cust(now)))
        .col(text(Delivery::MailMessageId))
        .col(text(Delivery::ServerReply))
        .col(timestamp_with_time_zone_null(Delivery::DeliveredAt))
        .primary_key(Index::create().col(Delivery::LeadId).col(Delivery::Recipient))
        .take()
}

/// What no other row tells. Columns that an event has no use for are empty.
fn timeline(now: &'static str) -> TableCreateStatement {
    Table::create()
        .table(Timeline::Table)
        .col(big_pk_auto(Timeline::Number))
        .col(uuid(Timeline::LeadId))
        .col(timestamp_with_time_zone(Timeline::At).default(Expr::cust(now)))
        .col(text(Timeline::Event))
        .col(text(Timeline::Recipient))
        .col(text(Timeline::Holder))
        .col(timestamp_with_time_zone_null(Timeline::Until))
        .col(text(Timeline::ReasonClass))
        .col(text(Timeline::ReasonDetail))
        .col(text(Timeline::Action))
        .col(text(Timeline::Why))
        .col(text(Timeline::Client))
        .take()
}

/// The columns of `lead` that hold what a visitor sent.
fn conflict(now: &'static str) -> TableCreateStatement {
    Table::create()
        .table(Conflict::Table)
        .col(big_pk_auto(Conflict::Number))
        .col(uuid(Conflict::Id))
        .col(text(Conflict::Reference))
        .col(timestamp_with_time_zone(Conflict::SubmittedAt))
        .col(text(Conflict::Interests))
        .col(text(Conflict::Name))
        .col(text(Conflict::Mobile))
        .col(text(Conflict::Email))
        .col(text(Conflict::Questions))
        .col(text(Conflict::Language))
        .col(text(Conflict::PrivacyPolicyVersion))
        .col(uuid_null(Conflict::SessionId))
        .col(timestamp_with_time_zone_null(Conflict::SessionStartedAt))
        .col(text(Conflict::LandingPath))
        .col(text(Conflict::ReferrerHost))
        .col(text(Conflict::UtmSource))
        .col(text(Conflict::UtmMedium))
        .col(text(Conflict::UtmCampaign))
        .col(text(Conflict::UtmTerm))
        .col(text(Conflict::UtmContent))
        .col(timestamp_with_time_zone(Conflict::RecordedAt).default(Expr::cust(now)))
        .col(text(Conflict::Source))
        .take()
}

/// Written to see whether anything can be.
fn probe() -> TableCreateStatement {
    Table::create().table(Probe::Table).col(big_pk_auto(Probe::Number)).col(text(Probe::Filler)).take()
}
