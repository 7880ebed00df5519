//! The schema: missing, or of a newer version.

use crm_sync::db::{Store, error::StoreError};
use testkit::database::{Database, postgres};

use crate::support::{execute, migrated, on_both_databases, settings};

on_both_databases! {
    a_newer_schema_will_do,
}

async fn a_newer_schema_will_do(database: Database) {
    drop(migrated(&database).await);
    let step = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)";
    execute(database.url(), step).await;
    let store = Store::open(&settings(database.url())).await.unwrap();
    store.check_write().await.unwrap();
}

#[tokio::test]
async fn a_schema_that_is_missing_is_an_error_until_it_was_migrated() {
    let database = postgres();
    let error = Store::open(&settings(database.url())).await.err().unwrap();
    assert!(matches!(error, StoreError::SchemaOutdated), "{error}");
    migrated(&database).await.check_write().await.unwrap();
}
