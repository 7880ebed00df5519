//! Which steps a database has taken.

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DatabaseConnection, Iden},
};

/// The table in which the library keeps account.
#[derive(DeriveIden)]
enum SeaqlMigrations {
    Table,
    Version,
}

/// The names of all steps that were taken, those of newer versions included. Changes nothing.
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
