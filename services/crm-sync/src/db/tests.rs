//! Shared by tests of statements.

use sea_orm::{ConnectionTrait, Value};
use testkit::crm::SUPPRESSION_KEY;

use super::settings::Settings;
use crate::db::{Store, sql};

/// SQLite's query plan: a line for each table or index that it reads.
pub(crate) async fn query_plan(statement: &str, values: impl IntoIterator<Item = Value>) -> String {
    let database = testkit::database::sqlite();
    let settings = Settings::new(database.url(), 1).unwrap();
    let store = Store::connect(&settings, SUPPRESSION_KEY.parse().unwrap())
        .await
        .unwrap();
    let explain = sql(
        &store.reader,
        format!("EXPLAIN QUERY PLAN {statement}"),
        values,
    );
    let rows = store.reader.query_all_raw(explain).await.unwrap();
    rows.iter()
        .map(|row| row.try_get::<String>("", "detail").unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}
