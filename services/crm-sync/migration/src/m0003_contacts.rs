//! People, the work on their leads, and what was erased.

use sea_orm_migration::{prelude::*, schema::*, sea_orm::DbBackend};

use crate::clock::database_clock;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// `conflict` has the columns of `lead`.
const TABLES: [&str; 2] = ["lead", "conflict"];

#[derive(DeriveIden, Clone, Copy)]
enum Lead {
    Signals,
    Purpose,
    EmailKey,
    NameKey,
    Digits,
    DigitsReversed,
    ContactId,
    ConflictingContactId,
    State,
    Owner,
    OwnerKey,
    ChangedAt,
    ChangedBy,
    ContactedAt,
    ErasedAt,
}

#[derive(DeriveIden)]
enum ContactKey {
    Table,
    Kind,
    Value,
    ContactId,
}

#[derive(DeriveIden)]
enum Audit {
    Table,
    Number,
    At,
    Client,
    Action,
    Leads,
}

#[derive(DeriveIden)]
enum Task {
    Table,
    Name,
    Holder,
    Until,
    DoneAt,
}

/// Name, table, columns, and which rows. Leads are looked up by one thing and shown by time, those that were erased left
/// out: an index has all of it, so that only what is shown is read from the table.
const INDEXES: [(&str, &str, &str, &str); 15] = [
    (
        "lead_shown",
        "lead",
        "submitted_at, id, name_key, email_key, reference, digits, digits_reversed, erased_at",
        "",
    ),
    ("lead_email_key", "lead", "email_key, submitted_at, id, erased_at", ""),
    ("lead_name_key", "lead", "name_key, submitted_at, id, erased_at", ""),
    ("lead_digits", "lead", "digits, submitted_at, id, erased_at", ""),
    ("lead_digits_reversed", "lead", "digits_reversed, submitted_at, id, erased_at", ""),
    ("lead_contact", "lead", "contact_id", ""),
    ("lead_state", "lead", "state, submitted_at, id, erased_at", ""),
    // Most leads are nobody's when they come, and do not look automatic: these cost them nothing.
    ("lead_owner", "lead", "owner_key, submitted_at, id, state, erased_at", "WHERE owner_key <> ''"),
    (
        "lead_suspicious",
        "lead",
        "submitted_at, id, signals, name_key, email_key, reference, digits, digits_reversed, erased_at",
        "WHERE signals <> '[]'",
    ),
    // What a version wrote that knew no contacts.
    ("lead_without_contact", "lead", "recorded_at, id", "WHERE contact_id IS NULL AND erased_at IS NULL"),
    // What may have to be erased for its age, however much was.
    ("lead_kept", "lead", "submitted_at, id", "WHERE erased_at IS NULL"),
    // Of a lead that is closed and of which perhaps nothing was delivered.
    ("delivery_given_up", "delivery", "lead_id", "WHERE state IN ('dead', 'settled')"),
    ("delivery_dead", "delivery", "changed_at, lead_id, recipient", "WHERE state = 'dead'"),
    ("conflict_email_key", "conflict", "email_key", ""),
    ("conflict_digits", "conflict", "digits", ""),
];

/// `lead_shown` does as much and more.
const DROPPED: (&str, &str) = ("lead_submitted_at", "lead (submitted_at, id)");

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        for table in TABLES {
            for mut column in columns(backend) {
                let table = Alias::new(table);
                manager.alter_table(Table::alter().table(table).add_column(&mut column).take()).await?;
            }
        }
        let connection = manager.get_connection();
        if backend == DbBackend::Postgres {
            // As the keys, whatever language the database was made for.
            connection.execute_unprepared("ALTER TABLE lead ALTER reference TYPE text COLLATE \"C\"").await?;
        }
        for (name, table, columns, which) in INDEXES {
            let create = format!("CREATE INDEX {name} ON {table} ({columns}) {which}");
            connection.execute_unprepared(&create).await?;
        }
        connection.execute_unprepared(&format!("DROP INDEX {}", DROPPED.0)).await?;
        manager.create_table(contact_key()).await?;
        manager.create_table(audit(database_clock(backend))).await?;
        manager.create_table(task()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [Task::Table.into_iden(), Audit::Table.into_iden(), ContactKey::Table.into_iden()] {
            manager.drop_table(Table::drop().table(table).take()).await?;
        }
        let connection = manager.get_connection();
        let (name, columns_before) = DROPPED;
        connection.execute_unprepared(&format!("CREATE INDEX {name} ON {columns_before}")).await?;
        for (name, ..) in INDEXES {
            connection.execute_unprepared(&format!("DROP INDEX {name}")).await?;
        }
        if manager.get_database_backend() == DbBackend::Postgres {
            connection
                .execute_unprepared("ALTER TABLE lead ALTER reference TYPE text COLLATE \"default\"")
                .await?;
        }
        for table in TABLES {
            for column in columns(manager.get_database_backend()) {
                let name = Alias::new(column.get_column_name());
                manager.alter_table(Table::alter().table(Alias::new(table)).drop_column(name).take()).await?;
            }
        }
        Ok(())
    }
}

/// The defaults serve replicas of the version before.
fn columns(backend: DbBackend) -> [ColumnDef; 15] {
    // Compared byte by byte, so that an index finds what begins with a text.
    let key = |column: Lead| {
        let mut column = ColumnDef::new(column);
        if backend == DbBackend::Postgres {
            column.custom(Alias::new("text COLLATE \"C\""));
        } else {
            column.text();
        }
        column.not_null().default("").take()
    };
    [
        text(Lead::Signals).default("[]").take(),
        text(Lead::Purpose).default("enquiry").take(),
        key(Lead::EmailKey),
        key(Lead::NameKey),
        key(Lead::Digits),
        key(Lead::DigitsReversed),
        uuid_null(Lead::ContactId),
        uuid_null(Lead::ConflictingContactId),
        text(Lead::State).default("new").take(),
        text(Lead::Owner).default("").take(),
        // In small letters.
        key(Lead::OwnerKey),
        timestamp_with_time_zone_null(Lead::ChangedAt),
        text(Lead::ChangedBy).default("").take(),
        timestamp_with_time_zone_null(Lead::ContactedAt),
        // Whose row is empty but for this and its names was erased: no copy of the lead can come back.
        timestamp_with_time_zone_null(Lead::ErasedAt),
    ]
}

/// Whose an e-mail address or a telephone number is. A contact is no more than its keys and its leads.
fn contact_key() -> TableCreateStatement {
    Table::create()
        .table(ContactKey::Table)
        .col(text(ContactKey::Kind))
        .col(text(ContactKey::Value))
        .col(uuid(ContactKey::ContactId))
        .primary_key(Index::create().col(ContactKey::Kind).col(ContactKey::Value))
        .take()
}

/// Who took or erased personal data, and of how many leads. Holds none.
fn audit(now: &'static str) -> TableCreateStatement {
    Table::create()
        .table(Audit::Table)
        .col(big_pk_auto(Audit::Number))
        .col(timestamp_with_time_zone(Audit::At).default(Expr::cust(now)))
        .col(text(Audit::Client))
        .col(text(Audit::Action))
        .col(big_integer(Audit::Leads))
        .take()
}

/// What one process is to do, once.
fn task() -> TableCreateStatement {
    Table::create()
        .table(Task::Table)
        .col(text(Task::Name).primary_key())
        .col(text(Task::Holder))
        .col(timestamp_with_time_zone(Task::Until))
        .col(timestamp_with_time_zone_null(Task::DoneAt))
        .take()
}
