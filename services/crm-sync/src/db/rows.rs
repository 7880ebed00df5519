//! Inserts many rows. PostgreSQL takes them as JSON texts: writing and reading a parameter for each value costs it more than
//! storing the row. For SQLite that is the other way round.

use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, EntityName, EntityTrait, IdenStatic, ModelTrait,
    Statement,
};
use serde::Serialize;

use super::chunks::chunks;

/// Most rows in one text: with more, each connection keeps a larger buffer, and little is saved.
const MOST: usize = 64;

/// A column of a model.
type Column<M> = <<M as ModelTrait>::Entity as EntityTrait>::Column;

/// Statements that insert these columns of rows, except where the key is taken. `same` is what a column has in all rows,
/// in SQL.
pub(crate) fn inserts<M: ModelTrait + Serialize>(
    transaction: &DatabaseTransaction,
    columns: &[Column<M>],
    same: impl Fn(Column<M>) -> Option<&'static str>,
    rows: &[M],
    returning: &str,
) -> Vec<Statement> {
    let backend = transaction.get_database_backend();
    let table = M::Entity::default().table_name().to_owned();
    let list =
        |item: &dyn Fn(&Column<M>) -> &'static str| columns.iter().map(item).collect::<Vec<_>>().join(", ");
    let names = list(&|column| column.as_str());
    let insert =
        |rows: &str| format!("INSERT INTO {table} ({names}) {rows} ON CONFLICT DO NOTHING {returning}");
    if backend == DbBackend::Postgres {
        let values = list(&|column| same(*column).unwrap_or(column.as_str()));
        let rows_of_text = format!("SELECT {values} FROM json_populate_recordset(NULL::{table}, $1::json)");
        return as_json(backend, &insert(&rows_of_text), rows);
    }
    let row = format!("({})", list(&|column| same(*column).unwrap_or("?")));
    let own: Vec<_> = columns.iter().filter(|column| same(**column).is_none()).collect();
    let part = |rows: Vec<&M>| {
        let sql = insert(&format!("VALUES {}", vec![row.as_str(); rows.len()].join(",")));
        let values = rows.iter().flat_map(|it| own.iter().map(|column| it.get(**column)));
        Statement::from_sql_and_values(backend, sql, values)
    };
    chunks(rows).map(part).collect()
}

/// A table of the rows of [`as_json`], each in a column `value`, as JSON.
pub(crate) fn each(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Postgres { "json_array_elements($1::json)" } else { "json_each($1)" }
}

/// Statements with rows as their parameter.
pub(crate) fn as_json(backend: DbBackend, sql: &str, rows: &[impl Serialize]) -> Vec<Statement> {
    let statement = |rows: &[_]| {
        // Rows are made of texts, ids and times, all of which JSON has.
        let rows = serde_json::to_string(rows).expect("rows can be written as JSON");
        Statement::from_sql_and_values(backend, sql, [rows.into()])
    };
    rows.chunks(MOST).map(statement).collect()
}
