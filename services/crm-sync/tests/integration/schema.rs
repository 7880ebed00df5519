//! Missing and newer schemas, migrations, and permissions.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use crm_sync::db::Store;
use sea_orm::{ConnectionTrait, TransactionTrait};
use testkit::{
    database::{Database, SERVICE_ROLE, postgres, sqlite},
    wait,
};

use crate::support::{connect, execute, migrated, on_both_databases, owner, query_column};

on_both_databases! {
    accepts_a_newer_schema,
}

async fn accepts_a_newer_schema(database: Database) {
    drop(migrated(&database).await);
    let step = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)";
    execute(database.url(), step).await;
    let store = connect(database.url()).await.unwrap();
    store.check_write().await.unwrap();
}

#[tokio::test]
async fn sqlite_files_are_private() {
    let database = sqlite();
    let file = database.url().trim_start_matches("sqlite://").trim_end_matches("?mode=rwc");
    let modes = || {
        let directory = Path::new(file).parent().unwrap();
        let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().metadata().unwrap());
        files.map(|it| it.permissions().mode() & 0o777).collect::<Vec<_>>()
    };
    let store = migrated(&database).await;
    store.check_write().await.unwrap();
    assert_eq!(modes(), [0o600; 3], "database, log and index of the log");
    drop(store);
    // Permissions that an earlier version set.
    fs::set_permissions(file, Permissions::from_mode(0o644)).unwrap();
    let _store = connect(database.url()).await.unwrap();
    assert!(modes().iter().all(|mode| *mode == 0o600), "{:?}", modes());
}

#[tokio::test]
async fn service_role_cannot_change_the_schema() {
    let database = postgres();
    let store = migrated(&database).await;
    store.check_write().await.unwrap();
    for statement in [
        "DROP TABLE lead",
        "ALTER TABLE lead DROP COLUMN name",
        "TRUNCATE lead",
        "CREATE TABLE x ()",
        "UPDATE audit SET client = 'nobody'",
        "DELETE FROM audit",
    ] {
        let statement = format!("SET ROLE {SERVICE_ROLE}; {statement}");
        let connection = sea_orm::Database::connect(database.url()).await.unwrap();
        let error = connection.execute_unprepared(&statement).await.unwrap_err();
        let refused = ["permission denied", "must be owner"].iter().any(|it| error.to_string().contains(it));
        assert!(refused, "{statement}: {error}");
    }
}

#[tokio::test]
async fn migration_deletes_audit_rows_after_three_years() {
    let database = postgres();
    drop(migrated(&database).await);
    for (action, age) in [("old", "1096 days"), ("recent", "1094 days")] {
        let insert = format!(
            "INSERT INTO audit (client, action, leads, at)
             VALUES ('tests', '{action}', 1, clock_timestamp() - interval '{age}')"
        );
        execute(database.url(), &insert).await;
    }
    drop(migrated(&database).await);
    assert_eq!(query_column(database.url(), "SELECT action FROM audit").await, ["recent"]);
}

#[tokio::test]
async fn index_is_created_concurrently() {
    let database = postgres();
    drop(migrated(&database).await);
    for statement in
        ["DROP INDEX delivery_visitor", "DELETE FROM seaql_migrations WHERE version LIKE 'm0002%'"]
    {
        execute(database.url(), statement).await;
    }
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    let writing = connection.begin().await.unwrap();
    writing.execute_unprepared("UPDATE delivery SET attempts = 0").await.unwrap();
    let owner = owner(database.url());
    let migrating = Store::migrate(&owner, Some(SERVICE_ROLE));
    let meanwhile = async {
        let asked = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
            AND query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'";
        let asked = || sea_orm::Statement::from_string(sea_orm::DbBackend::Postgres, asked);
        wait::until("the migration to wait", async || {
            !connection.query_all_raw(asked()).await.unwrap().is_empty()
        })
        .await;
        // A running instance of the previous version.
        let recipient =
            "INSERT INTO delivery VALUES ('00000000-0000-0000-0000-000000000001', 'anna', 'pending',
            '', NULL, 0, '', '', DEFAULT, '', '', NULL)";
        execute(&format!("{}?options=-c%20lock_timeout%3D1s", database.url()), recipient).await;
        writing.commit().await.unwrap();
    };
    let (migrated, ()) = futures_util::join!(migrating, meanwhile);
    migrated.unwrap();
    connect(database.url()).await.unwrap().check_write().await.unwrap();
}
