//! Migrates the CRM's database schema, the same on SQLite and PostgreSQL.

mod m0001_schema;
mod m0002_delivery_visitor;

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Iden},
};

/// All migrations, oldest first.
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![Box::new(m0001_schema::Migration), Box::new(m0002_delivery_visitor::Migration)]
    }
}

/// The table in which the library records applied migrations.
#[derive(DeriveIden)]
enum SeaqlMigrations {
    Table,
    Version,
}

/// The names of applied migrations, including newer versions'. Unlike the library's function it changes nothing, so
/// read-only users may call it.
///
/// # Errors
/// [`DbErr`]
pub async fn applied(connection: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    let table = SeaqlMigrations::Table;
    if !SchemaManager::new(connection).has_table(Iden::to_string(&table)).await? {
        return Ok(Vec::new());
    }
    let select = Query::select().column(SeaqlMigrations::Version).from(table).take();
    let rows = connection.query_all(&select).await?;
    rows.iter().map(|row| row.try_get("", &Iden::to_string(&SeaqlMigrations::Version))).collect()
}

/// SQL for the current time by the database's clock, which all processes share.
#[must_use]
pub fn database_clock(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite {
        // The driver's format, which omits a zero fraction: SQLite compares times as texts.
        "replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'), '.000+', '+')"
    } else {
        "clock_timestamp()"
    }
}

/// Creates an index while leads are written. Its migration does nothing else, and outside a transaction.
///
/// # Errors
/// The database's; may be repeated.
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
