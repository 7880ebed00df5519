//! Migrates the CRM's database schema, the same on SQLite and PostgreSQL.

mod m0001_schema;
mod m0002_delivery_visitor;

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, EntityTrait},
    seaql_migrations,
};

/// All migrations, oldest first.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m0001_schema::Migration), Box::new(m0002_delivery_visitor::Migration)]
    }
}

/// The names of applied migrations, including newer versions'. Unlike the library's function it changes nothing, so
/// read-only users may call it.
pub async fn applied(connection: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    if !SchemaManager::new(connection).has_table("seaql_migrations").await? {
        return Ok(Vec::new());
    }
    let rows = seaql_migrations::Entity::find().all(connection).await?;
    Ok(rows.into_iter().map(|row| row.version).collect())
}

/// SQL for the current time by the database's clock, which all processes share.
pub fn database_clock(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite {
        // The driver's format, which omits a zero fraction: SQLite compares times as texts.
        "replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'), '.000+', '+')"
    } else {
        "clock_timestamp()"
    }
}

/// Creates an index while leads are written. Its migration does nothing else, and outside a transaction.
/// May be repeated after an error.
pub(crate) async fn create_index(manager: &SchemaManager<'_>, name: &str, on: &str) -> Result<(), DbErr> {
    // SQLite has one writer, which waits.
    let concurrently =
        if manager.get_database_backend() == DbBackend::Postgres { "CONCURRENTLY" } else { "" };
    let connection = manager.get_connection();
    // An attempt that was cut off leaves an invalid index behind.
    connection.execute_unprepared(&format!("DROP INDEX {concurrently} IF EXISTS {name}")).await?;
    connection.execute_unprepared(&format!("CREATE INDEX {concurrently} {name} ON {on}")).await?;
    Ok(())
}
