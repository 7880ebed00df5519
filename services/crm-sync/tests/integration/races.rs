//! Concurrent erasure and recording on PostgreSQL, which allows several writers. Locks of another transaction stop each
//! of them at the critical point.

use std::collections::BTreeSet;

use ::lead::Lead;
use crm_sync::{
    db::{Store, error::StoreError},
    leads::Source,
    people::person::Person,
};
use sea_orm::{ConnectionTrait, DatabaseTransaction, TransactionTrait};
use testkit::{
    database::{Database, postgres},
    wait,
};
use uuid::Uuid;

use crate::support::{
    ANNA, delivered, everything, execute, lead_from, migrated, query_column, report_of, set_default,
};

const EMAIL: &str = "zqxmarker@example.com";

/// Begins another transaction and executes a statement in it.
async fn begin_other(database: &Database, statement: &str) -> DatabaseTransaction {
    let transaction = sea_orm::Database::connect(database.url())
        .await
        .unwrap()
        .begin()
        .await
        .unwrap();
    transaction.execute_unprepared(statement).await.unwrap();
    transaction
}

/// Waits until `count` sessions wait for a lock.
async fn wait_for_blocked(database: &Database, count: usize) {
    let waiting = "SELECT 'x' FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock'";
    wait::until("blocked sessions", async || {
        query_column(database.url(), waiting).await.len() >= count
    })
    .await;
}

async fn erase(store: &Store, also: &[u128]) -> Result<BTreeSet<Uuid>, StoreError> {
    let also: Vec<_> = also.iter().copied().map(Uuid::from_u128).collect();
    store
        .erase_people(&[Person::parse(EMAIL).unwrap()], &also, "tests")
        .await
}

async fn record(store: &Store, lead: Lead) -> Result<u64, StoreError> {
    store
        .record_leads(Source::Broker, &[lead])
        .await
        .map(|recorded| recorded.created)
}

/// Blocks the insertion of this phone number until the other transaction ends.
const HOLD_NUMBER: &str = "INSERT INTO contact_key VALUES ('+6591234567 陈伟', gen_random_uuid())";

/// Blocks the insertion of this lead's delivery to Anna until the other transaction ends.
async fn lock_reports(database: &Database, lead: Uuid) -> DatabaseTransaction {
    let insert = format!(
        "INSERT INTO delivery (lead_id, recipient, state, holder, attempts, reason_class, reason_detail,
             mail_message_id, server_reply)
         VALUES ('{lead}', '{ANNA}', 'pending', '', 0, '', '', '', '')"
    );
    begin_other(database, &insert).await
}

async fn marker_is_gone(database: &Database) {
    let everything = everything(database.url()).await;
    assert!(!everything.contains("zqxmarker"), "{everything}");
}

#[tokio::test]
async fn erasure_during_recording_leaves_no_keys() {
    let database = postgres();
    let store = migrated(&database).await;
    let holding = begin_other(&database, HOLD_NUMBER).await;
    let recording = record(&store, lead_from(1, EMAIL, "91234567"));
    let erasing = async {
        wait_for_blocked(&database, 1).await;
        // The lead's address is already inserted, its row is not.
        let erased = store
            .erase_people(
                &[Person::parse("81234567").unwrap()],
                &[Uuid::from_u128(1)],
                "tests",
            )
            .await;
        holding.rollback().await.unwrap();
        erased
    };
    let (recorded, erased) = futures_util::join!(recording, erasing);
    assert_eq!(
        (recorded.unwrap(), erased.unwrap()),
        (0, [Uuid::from_u128(1)].into())
    );
    marker_is_gone(&database).await;
    assert!(
        query_column(database.url(), "SELECT value FROM contact_key")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn erasure_waits_for_a_lead_being_stored() {
    let database = postgres();
    let store = migrated(&database).await;
    record(&store, lead_from(1, EMAIL, "no number"))
        .await
        .unwrap();
    // The lead's keys are already inserted, its row is not.
    let hold_lead = "INSERT INTO lead SELECT (jsonb_populate_record(lead, jsonb_build_object('id', lpad('2', 32, '0')))).*
        FROM lead";
    let holding = begin_other(&database, hold_lead).await;
    let recording = record(&store, lead_from(2, EMAIL, "91234567"));
    let erasing = async {
        wait_for_blocked(&database, 1).await;
        erase(&store, &[]).await
    };
    let releasing = async {
        wait_for_blocked(&database, 2).await;
        holding.rollback().await.unwrap();
    };
    let (recorded, erased, ()) = futures_util::join!(recording, erasing, releasing);
    assert_eq!(recorded.unwrap(), 1);
    assert_eq!(erased.unwrap(), [1, 2].map(Uuid::from_u128).into());
    marker_is_gone(&database).await;
}

#[tokio::test]
async fn erasure_waits_for_reports_without_a_lead() {
    let database = postgres();
    let store = migrated(&database).await;
    let lead = Uuid::from_u128(1);
    let holding = lock_reports(&database, lead).await;
    let news = report_of(1, "one", [delivered(ANNA)]);
    let reporting = store.report(&news);
    let erasing = async {
        wait_for_blocked(&database, 1).await;
        erase(&store, &[1]).await
    };
    let releasing = async {
        wait_for_blocked(&database, 2).await;
        holding.rollback().await.unwrap();
    };
    let (reported, erased, ()) = futures_util::join!(reporting, erasing, releasing);
    reported.unwrap();
    assert_eq!(erased.unwrap(), [lead].into());
    assert!(
        query_column(database.url(), "SELECT recipient FROM delivery")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn erasure_waits_for_reports_that_precede_their_lead() {
    let database = postgres();
    let store = migrated(&database).await;
    let lead = Uuid::from_u128(1);
    let holding = lock_reports(&database, lead).await;
    let news = report_of(1, "one", [delivered(ANNA)]);
    let reporting = store.report(&news);
    let erasing = async {
        wait_for_blocked(&database, 1).await;
        record(&store, lead_from(1, EMAIL, "no number"))
            .await
            .unwrap();
        let (erased, ()) = futures_util::join!(erase(&store, &[]), async {
            wait_for_blocked(&database, 2).await;
            holding.rollback().await.unwrap();
        });
        erased
    };
    let (reported, erased) = futures_util::join!(reporting, erasing);
    reported.unwrap();
    assert_eq!(erased.unwrap(), [lead].into());
    assert!(
        query_column(database.url(), "SELECT recipient FROM delivery")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn conflict_during_erasure_is_dropped() {
    let database = postgres();
    let store = migrated(&database).await;
    record(&store, lead_from(1, EMAIL, "no number"))
        .await
        .unwrap();
    let holding = begin_other(&database, "SELECT id FROM lead FOR UPDATE").await;
    let erasing = erase(&store, &[]);
    let recording = async {
        wait_for_blocked(&database, 1).await;
        let other = lead_from(1, "zqxmarker@another.example", "no number");
        store
            .record_leads(Source::Broker, &[other])
            .await
            .map(|recorded| recorded.conflicts)
    };
    let releasing = async {
        wait_for_blocked(&database, 2).await;
        holding.rollback().await.unwrap();
    };
    let (erased, recorded, ()) = futures_util::join!(erasing, recording, releasing);
    assert_eq!(
        (erased.unwrap(), recorded.unwrap()),
        ([Uuid::from_u128(1)].into(), 0)
    );
    marker_is_gone(&database).await;
}

#[tokio::test]
async fn concurrent_lead_with_the_same_number_joins_the_person() {
    let database = postgres();
    let store = migrated(&database).await;
    let number = "INSERT INTO contact_key VALUES ('+6591234567 陈伟', '00000000-0000-0000-0000-000000000007')";
    let holding = begin_other(&database, number).await;
    let recording = record(&store, lead_from(1, EMAIL, "91234567"));
    let committing = async {
        // The lead's address is already inserted, for a new person.
        wait_for_blocked(&database, 1).await;
        holding.commit().await.unwrap();
    };
    assert_eq!(tokio::join!(recording, committing).0.unwrap(), 1);
    let owners = query_column(
        database.url(),
        "SELECT DISTINCT contact_id::text FROM contact_key",
    )
    .await;
    assert_eq!(owners, ["00000000-0000-0000-0000-000000000007"]);
    let whose = "SELECT contact_id::text || coalesce(conflicting_contact_id::text, '') FROM lead";
    assert_eq!(query_column(database.url(), whose).await, owners);
}

#[tokio::test]
async fn deadlock_is_retried() {
    let database = postgres();
    let store = migrated(&database).await;
    let address = format!("INSERT INTO contact_key VALUES ('{EMAIL}', gen_random_uuid())");
    let other = begin_other(&database, &address).await;
    let recording = record(&store, lead_from(1, EMAIL, "91234567"));
    let interfering = async {
        // The lead's number is already inserted, because keys are inserted in order. The recording waits first, so
        // PostgreSQL aborts the recording.
        wait_for_blocked(&database, 1).await;
        // On a slow machine PostgreSQL may abort this transaction instead.
        let _ = other.execute_unprepared(HOLD_NUMBER).await;
        other.rollback().await.unwrap();
    };
    let (recorded, ()) = futures_util::join!(recording, interfering);
    assert_eq!(recorded.unwrap(), 1);
}

#[tokio::test]
async fn transactions_set_their_isolation() {
    let database = postgres();
    let store = migrated(&database).await;
    let check =
        "ALTER TABLE lead ADD CHECK (current_setting('transaction_isolation') = 'read committed')";
    execute(database.url(), check).await;
    set_default(
        database.url(),
        "default_transaction_isolation",
        "'repeatable read'",
    )
    .await;
    assert_eq!(
        record(&store, lead_from(1, EMAIL, "91234567"))
            .await
            .unwrap(),
        1
    );
}
