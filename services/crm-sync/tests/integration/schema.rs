//! The schema, step by step and version by version.

use crm_sync::{domain::source::Source, store::Store};
use crm_sync_migration::{Migrator, MigratorTrait};
use testkit::database::{Database, postgres};

use crate::support::{
    ANNA, BERT, GRANTED, answers, claim_of, dead, delivered, execute, lease_for, leased, migrated,
    on_both_databases, report_of, settings, submission, texts,
};

on_both_databases! {
    a_newer_schema_will_do,
    each_step_can_be_taken_back,
}

async fn a_newer_schema_will_do(database: Database) {
    drop(migrated(&database).await);
    let step = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)";
    execute(database.url(), step).await;
    let store = Store::open(&settings(database.url())).await.unwrap();
    store.probe().await.unwrap();
}

async fn each_step_can_be_taken_back(database: Database) {
    let steps = u32::try_from(Migrator::migrations().len()).unwrap();
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    for back in 1..=steps {
        let store = migrated(&database).await;
        answers(&store, &claim_of(1, "one")).await;
        store.report(&report_of(1, "one", [delivered(ANNA), dead(BERT)])).await.unwrap();
        drop(store);
        Migrator::down(&connection, Some(back)).await.unwrap();
    }
    let store = migrated(&database).await;
    assert!(texts(database.url(), "SELECT reference FROM lead").await.is_empty(), "all were taken back");
    store.record_leads(Source::Grpc, &[submission(1)]).await.unwrap();
    assert_eq!(leased(&store, &lease_for("one")).await, [1]);
    assert_eq!(answers(&store, &claim_of(1, "one")).await, [GRANTED; 2]);
}

#[tokio::test]
async fn an_older_schema_is_an_error_until_it_was_migrated() {
    let database = postgres();
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    Migrator::up(&connection, Some(1)).await.unwrap();
    let error = Store::open(&settings(database.url())).await.err().unwrap();
    assert!(matches!(error, crm_sync::store::StoreError::SchemaOutdated), "{error}");
}
