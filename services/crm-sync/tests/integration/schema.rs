//! The schema, step by step and version by version.

use crm_sync::{domain::ledger::Answer, store::Store};
use crm_sync_migration::{Migrator, MigratorTrait};
use testkit::database::{Database, postgres};

use crate::support::{ANNA, claim_of, execute, lease_for, migrated, numbers, on_both_databases, settings};

on_both_databases! {
    leads_told_before_the_ledger_count_as_told,
    a_newer_schema_will_do,
    the_ledger_can_be_taken_back,
}

/// A lead as the version before wrote it.
const OLD_LEAD: &str = "INSERT INTO lead (id, reference, submitted_at, interests, name, mobile, email, questions,
    language, privacy_policy_version, landing_path, referrer_host, utm_source, utm_medium, utm_campaign, utm_term,
    utm_content)";

fn uuid(url: &str, number: u8) -> String {
    let digits = format!("{number:032x}");
    if url.starts_with("sqlite") { format!("X'{digits}'") } else { format!("'{digits}'::uuid") }
}

async fn insert_old(url: &str, number: u8) {
    let id = uuid(url, number);
    let values = format!(
        "VALUES ({id}, 'ZG-0000-0{number}', '2026-03-01T04:05:06+00:00', '[\"brochure\"]', 'n', '12345678',
         'a@b.co', '', 'en', '', '', '', '', '', '', '', '')"
    );
    execute(url, &format!("{OLD_LEAD} {values}")).await;
}

async fn leads_told_before_the_ledger_count_as_told(database: Database) {
    let url = database.url();
    let connection = sea_orm::Database::connect(url).await.unwrap();
    Migrator::up(&connection, Some(1)).await.unwrap();
    for number in [1, 2] {
        insert_old(url, number).await;
    }
    let id = uuid(url, 1);
    execute(
        url,
        &format!(
            "INSERT INTO notification (lead_id, recipient, reference, mail_message_id, server_reply, notified_at)
             VALUES ({id}, '{ANNA}', 'ZG-0000-01', '<m>', '250', '2026-03-01T04:05:06+00:00')"
        ),
    )
    .await;
    let store = migrated(&database).await;
    // A replica of the version before may still be at work.
    insert_old(url, 3).await;
    assert_eq!(numbers(&store.lease(&lease_for("one")).await.unwrap()), [2, 3]);
    assert_eq!(store.claim(&claim_of(1, ANNA, "one")).await.unwrap().answer, Answer::AlreadyTold);
}

async fn a_newer_schema_will_do(database: Database) {
    drop(migrated(&database).await);
    let step = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)";
    execute(database.url(), step).await;
    let store = Store::open(&settings(database.url())).await.unwrap();
    store.probe().await.unwrap();
}

async fn the_ledger_can_be_taken_back(database: Database) {
    drop(migrated(&database).await);
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    Migrator::down(&connection, Some(1)).await.unwrap();
    insert_old(database.url(), 1).await;
    let store = migrated(&database).await;
    assert_eq!(numbers(&store.lease(&lease_for("one")).await.unwrap()), [1]);
}

#[tokio::test]
async fn an_older_schema_is_an_error_until_it_was_migrated() {
    let database = postgres();
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    Migrator::up(&connection, Some(1)).await.unwrap();
    let error = Store::open(&settings(database.url())).await.err().unwrap();
    assert!(matches!(error, crm_sync::store::StoreError::SchemaOutdated), "{error}");
}
