//! Migrates the CRM's database schema, the same on SQLite and PostgreSQL.

mod m0001_schema;
mod m0002_mailboxes;
mod m0003_plans;
mod m0004_sessions;
mod m0005_report;
mod m0006_homes;
mod types;

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::{
    prelude::*,
    sea_orm::{DatabaseConnection, DbBackend, EntityTrait},
    seaql_migrations,
};

/// All migrations, oldest first.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_schema::Migration),
            Box::new(m0002_mailboxes::Migration),
            Box::new(m0003_plans::Migration),
            Box::new(m0004_sessions::Migration),
            Box::new(m0005_report::Migration),
            Box::new(m0006_homes::Migration),
        ]
    }
}

/// The names of applied migrations, including migrations of newer versions. Unlike the library's function, only reads,
/// so read-only users may call it.
pub async fn applied(connection: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    if !SchemaManager::new(connection)
        .has_table("seaql_migrations")
        .await?
    {
        return Ok(Vec::new());
    }
    let rows = seaql_migrations::Entity::find().all(connection).await?;
    Ok(rows.into_iter().map(|row| row.version).collect())
}

/// SQL for the current time by the database's clock, which all processes share.
pub fn database_clock(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite {
        // Equals the driver's format, which omits a zero fraction, because SQLite compares times as text.
        "replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'), '.000+', '+')"
    } else {
        "clock_timestamp()"
    }
}
