//! While the database is unavailable, frozen or locked, calls end in time. They succeed again after it recovers.

use std::{
    os::unix::fs::FileExt,
    time::{Duration, Instant},
};

use contracts::crm::v1::RecordLeadRequest;
use crm_sync::{
    db::{Store, error::StoreError},
    leads::Source,
};
use futures_util::future::join_all;
use messaging::{Event, Verdict};
use sea_orm::{ConnectionTrait, TransactionTrait};
use testkit::{
    database::{Database, SERVICE_ROLE, postgres, sqlite},
    proxy::{Direction, Mode, Proxy},
    wait,
};
use tokio::time::timeout;
use tonic::Code;

use crate::support::{
    ANNA, GRANTED, NO_BROKER, claim_of, claim_results, client, connect, delivered_report,
    end_connections, execute, handle, lead, message_of, migrated, set_read_only, split, start,
    submission,
};

/// More than the four connections of a store.
const CALLS: u128 = 8;

/// The longest duration of a call, on a busy machine.
const IN_TIME: Duration = Duration::from_secs(8);

/// Opens a store through a proxy, with all its connections established.
async fn open_through_proxy(database: &Database) -> (Store, Proxy) {
    drop(migrated(database).await);
    let (through, target) = split(database.url());
    let proxy = Proxy::start(target).await.unwrap();
    let store = connect(&through(proxy.address())).await.unwrap();
    assert_eq!(store_concurrently(&store, 1).await, CALLS);
    (store, proxy)
}

/// Stores leads concurrently, starting at `first`, and returns how many were stored.
async fn store_concurrently(store: &Store, first: u128) -> u128 {
    let calls = (first..first + CALLS).map(|number| async move {
        match store
            .record_leads(Source::Grpc, &[submission(number)])
            .await
        {
            Ok(_) => 1,
            Err(error) => {
                assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
                0
            }
        }
    });
    join_all(calls).await.into_iter().sum()
}

/// Waits until all calls succeed again.
async fn wait_for_recovery(store: &Store, first: u128) {
    wait::until("all connections", async || {
        store_concurrently(store, first).await == CALLS
    })
    .await;
}

#[tokio::test]
async fn replaces_connections_closed_by_the_server() {
    let database = postgres();
    let (store, _proxy) = open_through_proxy(&database).await;
    end_connections(database.url()).await;
    assert_eq!(store_concurrently(&store, 100).await, CALLS);
}

#[tokio::test]
async fn drops_half_open_connections() {
    let database = postgres();
    let (store, proxy) = open_through_proxy(&database).await;
    proxy.set(Mode::HalfOpen);
    let start = Instant::now();
    assert_eq!(store_concurrently(&store, 100).await, 0);
    assert!(start.elapsed() < IN_TIME, "{:?}", start.elapsed());
    proxy.restore();
    wait_for_recovery(&store, 200).await;
}

#[tokio::test]
async fn broken_connections_do_not_fill_the_pool() {
    let database = postgres();
    let (store, proxy) = open_through_proxy(&database).await;
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    let lock = connection.begin().await.unwrap();
    lock.execute_unprepared("LOCK TABLE lead IN ACCESS EXCLUSIVE MODE")
        .await
        .unwrap();
    let calls = store_concurrently(&store, 100);
    let going = async {
        wait::until("calls that wait for the lock", async || {
            let waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'
                AND relation = 'lead'::regclass";
            !lock
                .query_all_raw(sea_orm::Statement::from_string(
                    sea_orm::DbBackend::Postgres,
                    waiting,
                ))
                .await
                .unwrap()
                .is_empty()
        })
        .await;
        proxy.set(Mode::HalfOpen);
    };
    let (stored, ()) = futures_util::join!(calls, going);
    assert_eq!(stored, 0);
    lock.rollback().await.unwrap();
    proxy.restore();
    wait_for_recovery(&store, 200).await;
}

#[tokio::test]
async fn recovers_after_a_stalled_server() {
    let database = postgres();
    let (store, proxy) = open_through_proxy(&database).await;
    proxy.set(Mode::Stall(Direction::Both));
    let start = Instant::now();
    assert_eq!(store_concurrently(&store, 100).await, 0);
    assert!(start.elapsed() < IN_TIME, "{:?}", start.elapsed());
    proxy.restore();
    wait_for_recovery(&store, 200).await;
}

#[tokio::test]
async fn transaction_cancelled_at_begin_is_not_left_open() {
    // The delay applies in each direction, to a ping and then to BEGIN.
    const DELAY: Duration = Duration::from_millis(100);
    let database = postgres();
    let (store, proxy) = open_through_proxy(&database).await;
    wait::until("idle connections", async || store.connections().used == 0).await;
    proxy.set(Mode::Delay(DELAY));
    for quarters in 9..=15 {
        let lead = [submission(100)];
        let record = store.record_leads(Source::Grpc, &lead);
        assert!(
            timeout(DELAY * quarters / 4, record).await.is_err(),
            "expected the call to be cancelled"
        );
    }
    proxy.restore();
    wait::until("idle connections", async || store.connections().used == 0).await;
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    let open = "SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    let open = sea_orm::Statement::from_string(sea_orm::DbBackend::Postgres, open);
    assert_eq!(connection.query_all_raw(open).await.unwrap().len(), 0);
}

#[tokio::test]
async fn held_lock_fails_only_the_calls_that_need_it() {
    let database = postgres();
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    let lock = connection.begin().await.unwrap();
    lock.execute_unprepared("SELECT * FROM lead FOR UPDATE")
        .await
        .unwrap();

    let start = Instant::now();
    let claims = join_all((0..3).map(|holder| {
        let claim = claim_of(1, &format!("holder-{holder}"));
        let store = store.clone();
        async move { store.claim(&claim).await }
    }));
    let second = [submission(2)];
    let other = store.record_leads(Source::Grpc, &second);
    let (claims, other) = futures_util::join!(claims, other);
    assert!(
        claims
            .iter()
            .all(|claim| matches!(claim, Err(StoreError::Slow(_))))
    );
    assert_eq!(other.unwrap().created, 1);
    assert!(
        start.elapsed() < Duration::from_secs(3),
        "{:?}",
        start.elapsed()
    );

    lock.rollback().await.unwrap();
    assert_eq!(
        claim_results(&store, &claim_of(1, "one")).await,
        [GRANTED; 2]
    );
}

#[tokio::test]
async fn slow_database_makes_calls_unavailable() {
    let database = postgres();
    drop(migrated(&database).await);
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    let lock = connection.begin().await.unwrap();
    lock.execute_unprepared("LOCK TABLE lead IN ACCESS EXCLUSIVE MODE")
        .await
        .unwrap();
    let mut client = client(app.grpc_addr).await;
    let request = || RecordLeadRequest {
        lead: Some(lead(1)),
        ..RecordLeadRequest::default()
    };
    let start = Instant::now();
    assert_eq!(
        client
            .leads
            .record_lead(request())
            .await
            .unwrap_err()
            .code(),
        Code::Unavailable
    );
    assert!(
        start.elapsed() < Duration::from_secs(3),
        "{:?}",
        start.elapsed()
    );
    lock.rollback().await.unwrap();
    assert!(
        client
            .leads
            .record_lead(request())
            .await
            .unwrap()
            .into_inner()
            .created
    );
}

#[tokio::test]
async fn frozen_database_fails_the_whole_batch_at_once() {
    let database = postgres();
    let (store, proxy) = open_through_proxy(&database).await;
    let reports = (1..=5).map(|number| message_of(number, "one", vec![delivered_report(ANNA)]));
    let mut events: Vec<_> = reports.map(Event::LeadDelivered).collect();
    events.extend((6..=9).map(|number| Event::LeadSubmitted(lead(number))));
    proxy.set(Mode::Stall(Direction::Both));
    let start = Instant::now();
    let verdicts = handle(&store, events.clone()).await;
    assert!(
        verdicts
            .iter()
            .all(|verdict| matches!(verdict, Verdict::Retry(_))),
        "{verdicts:?}"
    );
    assert!(start.elapsed() < IN_TIME, "{:?}", start.elapsed());
    proxy.restore();
    wait_for_recovery(&store, 200).await;
    assert_eq!(handle(&store, events).await, vec![Verdict::Done; 9]);
}

#[tokio::test]
async fn probe_fails_while_the_database_is_read_only() {
    let database = postgres();
    let store = migrated(&database).await;
    store.check_write().await.unwrap();
    set_read_only(database.url(), true).await;
    assert!(matches!(
        store.check_write().await,
        Err(StoreError::Unavailable(_))
    ));
    set_read_only(database.url(), false).await;
    store.check_write().await.unwrap();
}

#[tokio::test]
async fn probe_fails_while_a_table_of_events_is_locked() {
    let database = postgres();
    let store = migrated(&database).await;
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    for table in [
        "lead",
        "conflict",
        "contact_key",
        "delivery",
        "timeline",
        "suppression",
    ] {
        let lock = connection.begin().await.unwrap();
        lock.execute_unprepared(&format!("LOCK TABLE {table} IN SHARE MODE"))
            .await
            .unwrap();
        let probed = store.check_write().await;
        assert!(
            matches!(probed, Err(StoreError::Slow(_))),
            "{table}: {probed:?}"
        );
        lock.rollback().await.unwrap();
    }
    store.check_write().await.unwrap();
}

#[tokio::test]
async fn probe_fails_on_a_read_only_file() {
    let database = sqlite();
    migrated(&database).await.check_write().await.unwrap();
    let store = connect(&database.url().replace("mode=rwc", "mode=ro"))
        .await
        .unwrap();
    assert!(matches!(
        store.check_write().await,
        Err(StoreError::Unavailable(_))
    ));
}

#[tokio::test]
async fn waits_for_another_writer() {
    let database = sqlite();
    let store = migrated(&database).await;
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    let lock = connection.begin().await.unwrap();
    lock.execute_unprepared("UPDATE lead SET leases = 0")
        .await
        .unwrap();
    let error = store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Contended(_)), "{error}");
    let first = [submission(1)];
    let waiting = store.record_leads(Source::Grpc, &first);
    let ending = async { lock.rollback().await.unwrap() };
    let (recorded, ()) = futures_util::join!(waiting, ending);
    assert_eq!(recorded.unwrap().created, 1);
}

#[tokio::test]
async fn missing_grants_fail_the_probe() {
    let database = postgres();
    let store = migrated(&database).await;
    execute(
        database.url(),
        &format!("REVOKE INSERT ON lead FROM {SERVICE_ROLE}"),
    )
    .await;
    let event = || vec![Event::LeadSubmitted(lead(1))];
    let verdicts = handle(&store, event()).await;
    assert!(matches!(verdicts[..], [Verdict::Retry(_)]), "{verdicts:?}");
    assert!(matches!(
        store.check_write().await,
        Err(StoreError::NotAdmitted(_))
    ));
    migrated(&database).await;
    store.check_write().await.unwrap();
    assert_eq!(handle(&store, event()).await, [Verdict::Done]);
}

#[tokio::test]
async fn damaged_file_fails_the_probe() {
    let database = sqlite();
    let store = migrated(&database).await;
    execute(database.url(), "PRAGMA wal_checkpoint(TRUNCATE)").await;
    let file = database
        .url()
        .trim_start_matches("sqlite://")
        .trim_end_matches("?mode=rwc");
    let pages = std::fs::metadata(file).unwrap().len();
    // Everything except the header and the schema.
    let damaged = vec![0xff; usize::try_from(pages).unwrap() - 4096];
    std::fs::OpenOptions::new()
        .write(true)
        .open(file)
        .unwrap()
        .write_all_at(&damaged, 4096)
        .unwrap();
    drop(store);
    let error = match connect(database.url()).await {
        Err(error) => error,
        Ok(store) => {
            let error = store.record_leads(Source::Broker, &[submission(1)]).await;
            assert!(matches!(error, Err(StoreError::Damaged(_))), "{error:?}");
            store.check_write().await.unwrap_err()
        }
    };
    assert!(matches!(error, StoreError::Damaged(_)), "{error}");
}
