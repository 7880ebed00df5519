//! Missing and newer schemas, migrations, and permissions.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use crm_sync::leads::Source;
use sea_orm::ConnectionTrait;
use testkit::database::{Database, SERVICE_ROLE, postgres, sqlite};

use crate::support::{
    connect, execute, get_lead, migrated, number_of, on_both_databases, query_column, submission,
};

on_both_databases! {
    accepts_a_newer_schema,
}

async fn accepts_a_newer_schema(database: Database) {
    drop(migrated(&database).await);
    for step in [
        "ALTER TABLE lead ADD COLUMN later text NOT NULL DEFAULT ''",
        "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)",
    ] {
        execute(database.url(), step).await;
    }
    // A rollback runs `crm-sync migrate` of the older version, and then the older service.
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(1)])
        .await
        .unwrap();
    assert_eq!(number_of(&get_lead(&store, 1).await), 1);
}

#[tokio::test]
async fn sqlite_files_are_private() {
    let database = sqlite();
    let file = database
        .url()
        .trim_start_matches("sqlite://")
        .trim_end_matches("?mode=rwc");
    let modes = || {
        let directory = Path::new(file).parent().unwrap();
        let files = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap());
        files
            .map(|it| it.permissions().mode() & 0o777)
            .collect::<Vec<_>>()
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
        let refused = ["permission denied", "must be owner"]
            .iter()
            .any(|it| error.to_string().contains(it));
        assert!(refused, "{statement}: {error}");
    }
}

#[tokio::test]
async fn migration_deletes_audit_rows_after_three_years() {
    let database = postgres();
    drop(migrated(&database).await);
    for (action, age) in [("old", "1096 days"), ("recent", "1094 days")] {
        let insert = format!(
            "INSERT INTO audit (client, action, leads, lead_ids, at)
             VALUES ('tests', '{action}', 0, '{{}}', clock_timestamp() - interval '{age}')"
        );
        execute(database.url(), &insert).await;
    }
    drop(migrated(&database).await);
    assert_eq!(
        query_column(database.url(), "SELECT action FROM audit").await,
        ["recent"]
    );
}
