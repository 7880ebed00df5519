//! Gives PostgreSQL many rows as one JSON text. Writing and reading a parameter for each value costs more than storing the
//! row, and statements would be of many lengths.

use sea_orm::{DbBackend, EntityTrait, IdenStatic, Statement};
use serde::Serialize;

/// Inserts rows, except those whose key is taken, into these columns. Rows are written under the names of the columns.
///
/// # Panics
/// When a row cannot be written as JSON.
pub(crate) fn insert<E: EntityTrait>(
    columns: impl Iterator<Item = E::Column>,
    rows: &[impl Serialize],
    returning: &str,
) -> Statement {
    let table = E::default().table_name().to_owned();
    let columns = columns.map(|column| column.as_str()).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "INSERT INTO {table} ({columns}) SELECT {columns} FROM json_populate_recordset(NULL::{table}, $1::json) \
         ON CONFLICT DO NOTHING {returning}"
    );
    statement(sql, rows)
}

/// A statement with the rows as its parameter.
///
/// # Panics
/// When a row cannot be written as JSON.
pub(crate) fn statement(sql: impl Into<String>, rows: &[impl Serialize]) -> Statement {
    let rows = serde_json::to_string(rows).expect("rows can be written as JSON");
    Statement::from_sql_and_values(DbBackend::Postgres, sql, [rows.into()])
}
