//! Leases of leads with due deliveries: one holder each, oldest first, at little cost.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use crm_sync::{deliveries::Lease, leads::Source};
use futures_util::future::join_all;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use testkit::{database::Database, wait};

use crate::support::{
    ANNA, BERT, claim_of, claim_results, connect, deferred, delivered, event_of, execute,
    lease_for, leased, leases_end, migrated, on_both_databases, on_postgres, query_column,
    report_of, submission,
};

on_both_databases! {
    concurrent_leases_share_no_lead,
}

on_postgres! {
    leads_by_call_are_leased_at_once_queued_leads_later,
    next_lease_is_longer,
    abandoned_lead_is_leased_regardless_of_age,
    report_resets_the_lease,
    claimed_or_deferred_is_not_leased,
    reports_before_their_lead_close_it,
    unreadable_lead_does_not_block_leases,
}

async fn leads_by_call_are_leased_at_once_queued_leads_later(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(2)])
        .await
        .unwrap();
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    store
        .record_leads(Source::Grpc, &[submission(3)])
        .await
        .unwrap();
    let young = Lease {
        pending_for: Duration::from_secs(30),
        ..lease_for("one")
    };
    let one = Lease {
        limit: 1,
        ..young.clone()
    };
    assert_eq!(
        leased(
            &store,
            &Lease {
                limit: 0,
                ..young.clone()
            }
        )
        .await,
        [0u128; 0]
    );
    assert_eq!(leased(&store, &one).await, [1], "oldest first");
    assert_eq!(leased(&store, &young).await, [3]);
    assert_eq!(
        leased(&store, &young).await,
        [0u128; 0],
        "already leased, or too recent"
    );
    assert_eq!(leased(&store, &lease_for("one")).await, [2]);
}

async fn concurrent_leases_share_no_lead(database: Database) {
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    let leads: Vec<_> = (1..=120).map(submission).collect();
    one.record_leads(Source::Grpc, &leads).await.unwrap();
    let leases = join_all((0..12).map(|holder| {
        let store = if holder % 2 == 0 {
            one.clone()
        } else {
            two.clone()
        };
        let lease = Lease {
            limit: 20,
            ..lease_for(&format!("holder-{holder}"))
        };
        async move { leased(&store, &lease).await }
    }))
    .await;
    let all: Vec<_> = leases.concat();
    assert_eq!(
        all.iter().collect::<BTreeSet<_>>().len(),
        all.len(),
        "{leases:?}"
    );
    let rest = Lease {
        limit: 256,
        ..lease_for("last")
    };
    assert_eq!(all.len() + leased(&one, &rest).await.len(), 120);
}

async fn next_lease_is_longer(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    let short = Lease {
        lease: Duration::from_millis(400),
        ..lease_for("one")
    };
    assert_eq!(leased(&store, &short).await, [1]);
    let first = Instant::now();
    wait::until("the lease's end", async || {
        leased(&store, &short).await == [1]
    })
    .await;
    assert!(first.elapsed() < Duration::from_secs(20));
    let second = Instant::now();
    wait::until("the longer lease's end", async || {
        leased(&store, &short).await == [1]
    })
    .await;
    assert!(
        second.elapsed() > Duration::from_millis(600),
        "{:?}",
        second.elapsed()
    );
}

async fn abandoned_lead_is_leased_regardless_of_age(database: Database) {
    let store = migrated(&database).await;
    let young = Lease {
        pending_for: Duration::from_secs(3600),
        ..lease_for("two")
    };
    // Lead 1: its holder died. Lead 2: a retry is due. Lead 3: a retry is not due yet. A message still delivers
    // the fourth.
    for number in 1..=3 {
        claim_results(&store, &claim_of(number, "one")).await;
    }
    store
        .report(&report_of(
            2,
            "one",
            [delivered(ANNA), deferred(BERT, Duration::ZERO)],
        ))
        .await
        .unwrap();
    let until = "UPDATE delivery SET until = changed_at WHERE lead_id IN
        (SELECT id FROM lead WHERE reference = 'ZG-0000-01')";
    execute(database.url(), until).await;
    store.report(&event_of(4, "one", [])).await.unwrap();
    assert_eq!(leased(&store, &young).await, [1, 2]);
    assert_eq!(leased(&store, &lease_for("two")).await, [4]);
}

async fn report_resets_the_lease(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    let leases = async || {
        query_column(database.url(), "SELECT CAST(leases AS text) FROM lead")
            .await
            .remove(0)
    };
    for expected in ["1", "2", "3"] {
        assert_eq!(leased(&store, &lease_for("dies")).await, [1]);
        assert_eq!(leases().await, expected);
        leases_end(&database).await;
    }
    claim_results(&store, &claim_of(1, "one")).await;
    store
        .report(&report_of(1, "one", [deferred(ANNA, Duration::ZERO)]))
        .await
        .unwrap();
    assert_eq!(leases().await, "0");
}

async fn claimed_or_deferred_is_not_leased(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_of(1, "one")).await;
    assert_eq!(
        leased(&store, &lease_for("two")).await,
        [0u128; 0],
        "both are claimed"
    );
    let hour = Duration::from_secs(3600);
    store
        .report(&report_of(1, "one", [deferred(ANNA, hour)]))
        .await
        .unwrap();
    assert_eq!(
        leased(&store, &lease_for("two")).await,
        [0u128; 0],
        "one is deferred, one is claimed"
    );
    store
        .report(&report_of(
            1,
            "one",
            [deferred(BERT, Duration::from_millis(300))],
        ))
        .await
        .unwrap();
    wait::until("the retry to become due", async || {
        leased(&store, &lease_for("two")).await == [1]
    })
    .await;
}

async fn reports_before_their_lead_close_it(database: Database) {
    let store = migrated(&database).await;
    store
        .report(&report_of(1, "one", [delivered(ANNA), delivered(BERT)]))
        .await
        .unwrap();
    store
        .record_leads(Source::Grpc, &[submission(1), submission(2)])
        .await
        .unwrap();
    let one = Lease {
        limit: 1,
        ..lease_for("one")
    };
    assert_eq!(leased(&store, &one).await, [0; 0], "the first is finished");
    assert_eq!(leased(&store, &one).await, [2]);
    leases_end(&database).await;
    assert_eq!(leased(&store, &lease_for("one")).await, [2]);
}

async fn unreadable_lead_does_not_block_leases(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1), submission(2)])
        .await
        .unwrap();
    execute(
        database.url(),
        "UPDATE lead SET language = 'tlh' WHERE reference = 'ZG-0000-01'",
    )
    .await;
    assert_eq!(leased(&store, &lease_for("one")).await, [2]);
}

#[tokio::test]
async fn leasing_uses_the_index_of_open_leads() {
    let database = testkit::database::postgres();
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    let many_closed_leads = "INSERT INTO lead
        SELECT (jsonb_populate_record(lead, jsonb_build_object('id', gen_random_uuid(), 'open', false))).*
        FROM lead, generate_series(1, 2000)";
    execute(database.url(), many_closed_leads).await;
    execute(database.url(), "ANALYZE").await;
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    let used =
        "SELECT 1 FROM pg_stat_user_indexes WHERE indexrelname = 'lead_open' AND idx_scan > 0";
    wait::until("the index's use", async || {
        store.lease(&lease_for("one")).await.unwrap();
        let rows = connection
            .query_all_raw(Statement::from_string(DbBackend::Postgres, used))
            .await;
        !rows.unwrap().is_empty()
    })
    .await;
}
