//! Retention erases old leads, except leads with pending or recently failed deliveries.

use std::time::Duration;

use ::lead::{Lead, SpamSignal};
use chrono::TimeDelta;
use crm_sync::{
    app::App,
    config::Config,
    db::Store,
    deliveries::{Claim, ClaimResult, DeliveryFilter, FailedAction},
    leads::Source,
};
use testkit::{database::Database, wait};

use crate::support::{
    ANNA, BERT, NO_BROKER, claim_for, claim_of, claim_results, config, connect, deferred,
    delivered, event_of, execute, failed, lead_from, migrated, on_both_databases, on_postgres,
    on_sqlite, query_column, report_of, submission,
};

on_both_databases! {
    erases_only_old_finished_leads,
    two_replicas_erase_in_batches,
}

on_sqlite! {
    failed_delivery_delays_retention,
    failed_delivery_keeps_its_lead_ninety_more_days,
    service_erases_old_leads,
    failed_erasure_does_not_stop_other_maintenance,
}

on_postgres! {
    lead_without_open_routes_is_erased,
}

async fn make_old(database: &Database, references: &str) {
    set_age(database, 400, references).await;
}

async fn set_age(database: &Database, days: u32, references: &str) {
    let then = if database.url().starts_with("sqlite") {
        format!("replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', '-{days} days'), '.000+', '+')")
    } else {
        format!("clock_timestamp() - interval '{days} days'")
    };
    execute(
        database.url(),
        &format!("UPDATE lead SET submitted_at = {then} WHERE {references}"),
    )
    .await;
}

async fn deliver(store: &Store, number: u128) {
    store
        .report(&report_of(
            number,
            "one",
            [delivered(ANNA), delivered(BERT)],
        ))
        .await
        .unwrap();
}

async fn remaining(database: &Database) -> Vec<String> {
    query_column(
        database.url(),
        "SELECT reference FROM lead WHERE erased_at IS NULL ORDER BY reference",
    )
    .await
}

fn age() -> TimeDelta {
    TimeDelta::days(365)
}

async fn erases_only_old_finished_leads(database: Database) {
    let store = migrated(&database).await;
    let future = "UPDATE lead SET submitted_at = '2999-01-01T00:00:00+00:00'";
    let leads: Vec<_> = (1..=5)
        .map(|number| lead_from(number, &format!("{number}@example.com"), "no number"))
        .collect();
    store.record_leads(Source::Broker, &leads).await.unwrap();
    execute(database.url(), future).await;
    // 1 is delivered, 2 is new, 3 failed for Bert, 4 is deferred, 5 is delivered and recent.
    for number in [1, 5] {
        deliver(&store, number).await;
    }
    for (number, submission) in (3..).zip(&leads[2..4]) {
        let claim = Claim {
            submission: submission.clone(),
            ..claim_of(number, "one")
        };
        claim_results(&store, &claim).await;
        store
            .report(&report_of(number, "one", [delivered(ANNA)]))
            .await
            .unwrap();
    }
    store
        .report(&report_of(3, "one", [failed(BERT)]))
        .await
        .unwrap();
    store
        .report(&report_of(
            4,
            "one",
            [deferred(BERT, Duration::from_secs(9))],
        ))
        .await
        .unwrap();
    make_old(&database, "reference < 'ZG-0000-05'").await;
    assert_eq!(store.erase_older_than(age()).await.unwrap(), 1);
    assert_eq!(store.erase_older_than(age()).await.unwrap(), 0);
    assert_eq!(
        remaining(&database).await,
        ["ZG-0000-02", "ZG-0000-03", "ZG-0000-04", "ZG-0000-05"]
    );
    let keys = query_column(database.url(), "SELECT value FROM contact_key").await;
    assert!(
        keys.len() == 4 && !keys.contains(&"1@example.com".to_owned()),
        "{keys:?}"
    );
    assert_eq!(
        store
            .record_leads(Source::Broker, &leads[..1])
            .await
            .unwrap()
            .created,
        0,
        "the lead is not stored again"
    );

    deliver(&store, 3).await;
    assert_eq!(
        store.erase_older_than(age()).await.unwrap(),
        1,
        "delivered later"
    );
    let audit =
        "SELECT client || ' ' || action || ' ' || CAST(leads AS text) FROM audit ORDER BY number";
    assert_eq!(
        query_column(database.url(), audit).await,
        ["retention erase 1", "retention erase 1"]
    );
}

async fn failed_delivery_delays_retention(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_of(1, "one")).await;
    store
        .report(&report_of(1, "one", [delivered(ANNA), failed(BERT)]))
        .await
        .unwrap();
    make_old(&database, "reference <> ''").await;
    assert_eq!(
        store.erase_older_than(age()).await.unwrap(),
        0,
        "an operator has to decide"
    );
    let (all, why) = (
        DeliveryFilter::parse(None).unwrap(),
        "moved away".to_owned(),
    );
    assert_eq!(
        store
            .resolve_failed(&all, &FailedAction::Discard { reason: why }, "leadctl")
            .await
            .unwrap(),
        1
    );
    assert_eq!(store.erase_older_than(age()).await.unwrap(), 1);
    assert!(remaining(&database).await.is_empty());
    for table in ["delivery", "timeline"] {
        assert!(
            query_column(database.url(), &format!("SELECT recipient FROM {table}"))
                .await
                .is_empty(),
            "{table}"
        );
    }
}

async fn failed_delivery_keeps_its_lead_ninety_more_days(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_of(1, "one")).await;
    store
        .report(&report_of(1, "one", [delivered(ANNA), failed(BERT)]))
        .await
        .unwrap();
    for (days, erased) in [(454, 0), (456, 1)] {
        set_age(&database, days, "reference <> ''").await;
        assert_eq!(
            store.erase_older_than(age()).await.unwrap(),
            erased,
            "{days}"
        );
    }
}

async fn lead_without_open_routes_is_erased(database: Database) {
    let store = migrated(&database).await;
    store
        .report(&event_of(1, "one", [delivered(ANNA)]))
        .await
        .unwrap();
    make_old(&database, "reference <> ''").await;
    assert_eq!(
        store.erase_older_than(age()).await.unwrap(),
        0,
        "Bert was not mailed"
    );
    assert_eq!(
        claim_results(&store, &claim_for(1, &[ANNA], "two")).await,
        [ClaimResult::Delivered]
    );
    assert_eq!(store.erase_older_than(age()).await.unwrap(), 1);
    assert!(remaining(&database).await.is_empty());
}

async fn two_replicas_erase_in_batches(database: Database) {
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    let leads: Vec<_> = (1..=60).map(submission).collect();
    for leads in leads.chunks(100) {
        one.record_leads(Source::Broker, leads).await.unwrap();
    }
    execute(database.url(), "UPDATE lead SET open = FALSE").await;
    make_old(&database, "reference <> ''").await;
    let erase = async |store: &Store| {
        let mut all = 0;
        loop {
            match store.erase_older_than(age()).await.unwrap() {
                0 => break all,
                some => all += some,
            }
        }
    };
    let (by_one, by_two) = futures_util::join!(erase(&one), erase(&two));
    assert_eq!(by_one + by_two, 60, "each once");
    assert!(remaining(&database).await.is_empty());
    assert!(
        query_column(database.url(), "SELECT value FROM contact_key")
            .await
            .is_empty()
    );
}

async fn service_erases_old_leads(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(1)])
        .await
        .unwrap();
    deliver(&store, 1).await;
    make_old(&database, "reference <> ''").await;
    let (context, _) = testkit::context("crm-sync");
    let config = Config {
        retention_days: Some(365),
        ..config(NO_BROKER, database.url())
    };
    App::start(config, &context).await.unwrap();
    wait::until("the erasure of the lead", async || {
        remaining(&database).await.is_empty()
    })
    .await;
    assert_eq!(
        claim_results(&store, &claim_of(1, "one")).await,
        [ClaimResult::Erased; 2]
    );
}

async fn failed_erasure_does_not_stop_other_maintenance(database: Database) {
    let store = migrated(&database).await;
    let canary = Lead {
        signals: vec![SpamSignal::Canary],
        ..submission(2)
    };
    store
        .record_leads(Source::Broker, &[submission(1), canary])
        .await
        .unwrap();
    deliver(&store, 1).await;
    make_old(&database, "reference <> ''").await;
    let keep = "CREATE TRIGGER keep BEFORE UPDATE ON lead BEGIN SELECT RAISE(ABORT, 'kept'); END";
    execute(database.url(), keep).await;
    let (context, _) = testkit::context("crm-sync");
    let config = Config {
        retention_days: Some(365),
        ..config(NO_BROKER, database.url())
    };
    App::start(config, &context).await.unwrap();
    wait::until("the deletion of the canary", async || {
        query_column(database.url(), "SELECT reference FROM lead").await == ["ZG-0000-01"]
    })
    .await;
    assert_eq!(remaining(&database).await, ["ZG-0000-01"]);
}
