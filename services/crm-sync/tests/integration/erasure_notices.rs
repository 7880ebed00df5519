//! Webhooks are notified of the erasure of a lead that they may have received.

use std::time::Duration;

use chrono::TimeDelta;
use crm_sync::{
    db::Store,
    deliveries::{DeliveryFilter, FailedAction},
};
use testkit::database::Database;
use uuid::Uuid;

use crate::support::{
    ANNA, GRANTED, RecipientOutcome, WEBHOOK, claim_for, claim_results, deferred,
    deliver_to_webhook, delivered, failed, lease_for, leased, migrated, on_both_databases,
    on_postgres, on_sqlite, query_column, reference, report_of, time_passes,
};

on_both_databases! {
    webhook_that_has_the_lead_is_told_of_its_erasure,
}

on_sqlite! {
    failed_notice_is_listed_retried_and_discarded,
}

on_postgres! {
    notice_is_claimed_by_one_and_retried,
    notice_waits_for_the_claim_of_the_lead,
}

const NOTICE: &str = "erased:crm";

async fn erase(store: &Store, number: u128) {
    store
        .erase_people(&[], &[Uuid::from_u128(number)], "tests")
        .await
        .unwrap();
}

/// Claims notices for `holder`. Returns each with its lead and attempt.
async fn notices(store: &Store, holder: &str) -> Vec<(String, String, u32)> {
    let notices = store
        .lease(&lease_for(holder))
        .await
        .unwrap()
        .erasure_notices
        .into_iter();
    notices
        .map(|notice| (notice.reference, notice.recipient, notice.attempt))
        .collect()
}

fn notice(number: u128, attempt: u32) -> (String, String, u32) {
    (reference(number), NOTICE.to_owned(), attempt)
}

async fn report(store: &Store, holder: &str, outcome: RecipientOutcome<'_>) {
    store
        .report(&report_of(1, holder, [outcome]))
        .await
        .unwrap();
}

async fn webhook_that_has_the_lead_is_told_of_its_erasure(database: Database) {
    let store = migrated(&database).await;
    deliver_to_webhook(&store, 1).await;
    assert_eq!(notices(&store, "one").await, []);
    erase(&store, 1).await;
    assert_eq!(notices(&store, "one").await, [notice(1, 1)]);
    report(&store, "one", delivered(NOTICE)).await;
    time_passes(&database).await;
    assert_eq!(
        notices(&store, "one").await,
        [],
        "one notice for each webhook"
    );

    let closed = report_of(2, "one", [delivered(ANNA), delivered(WEBHOOK)]);
    assert_eq!(
        claim_results(&store, &claim_for(2, &[ANNA, WEBHOOK], "one")).await,
        [GRANTED; 2]
    );
    store.report(&closed).await.unwrap();
    assert_eq!(store.erase_older_than(TimeDelta::zero()).await.unwrap(), 1);
    assert_eq!(
        notices(&store, "one").await,
        [notice(2, 1)],
        "retention creates a notice too"
    );
    assert_eq!(leased(&store, &lease_for("one")).await, [0; 0]);
    let left = "SELECT recipient FROM delivery ORDER BY lead_id";
    assert_eq!(query_column(database.url(), left).await, [NOTICE, NOTICE]);
}

async fn notice_is_claimed_by_one_and_retried(database: Database) {
    let store = migrated(&database).await;
    deliver_to_webhook(&store, 1).await;
    erase(&store, 1).await;
    assert_eq!(notices(&store, "one").await, [notice(1, 1)]);
    assert_eq!(notices(&store, "two").await, []);
    report(&store, "two", failed(NOTICE)).await;
    report(&store, "one", deferred(NOTICE, Duration::from_secs(60))).await;
    assert_eq!(notices(&store, "two").await, []);
    time_passes(&database).await;
    assert_eq!(notices(&store, "two").await, [notice(1, 2)]);
    time_passes(&database).await;
    erase(&store, 1).await;
    assert_eq!(
        notices(&store, "one").await,
        [notice(1, 3)],
        "after a crash and another erasure"
    );
}

async fn notice_waits_for_the_claim_of_the_lead(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(
        claim_results(&store, &claim_for(1, &[WEBHOOK], "one")).await,
        [GRANTED]
    );
    erase(&store, 1).await;
    assert_eq!(
        notices(&store, "one").await,
        [],
        "the lead may be in flight"
    );
    report(&store, "one", delivered(WEBHOOK)).await;
    time_passes(&database).await;
    assert_eq!(notices(&store, "one").await, [notice(1, 1)]);
}

async fn failed_notice_is_listed_retried_and_discarded(database: Database) {
    let store = migrated(&database).await;
    deliver_to_webhook(&store, 1).await;
    erase(&store, 1).await;
    let (all, fail) = (DeliveryFilter::parse(None).unwrap(), async || {
        assert_eq!(notices(&store, "one").await, [notice(1, 1)]);
        report(&store, "one", failed(NOTICE)).await;
        assert_eq!(store.failed_deliveries().await.unwrap(), 1);
    });
    let unfinished = store.list_deliveries(&all, false).await.unwrap().deliveries;
    assert_eq!(
        (
            unfinished[0].lead_id.as_str(),
            unfinished[0].recipient.as_str()
        ),
        (&*Uuid::from_u128(1).to_string(), NOTICE)
    );
    fail().await;
    assert_eq!(
        store
            .resolve_failed(&all, &FailedAction::Retry, "leadctl")
            .await
            .unwrap(),
        1
    );
    fail().await;
    assert_eq!(
        query_column(database.url(), "SELECT reference FROM lead WHERE open").await,
        [""; 0],
        "it stays closed"
    );
    let discard = FailedAction::Discard {
        reason: "told by phone".to_owned(),
    };
    assert_eq!(
        store
            .resolve_failed(&all, &discard, "leadctl")
            .await
            .unwrap(),
        1
    );
    assert_eq!(notices(&store, "one").await, []);
    assert_eq!(
        query_column(database.url(), "SELECT recipient FROM timeline").await,
        [""; 0],
        "an erased lead has no timeline"
    );
}
