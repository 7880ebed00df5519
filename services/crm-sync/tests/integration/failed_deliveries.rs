//! Failed deliveries, which an operator retries or discards.

use std::time::Duration;

use ::lead::{Reference, field::timestamp};
use chrono::{DateTime, Utc};
use contracts::crm::v1::{
    DeliveryFilter, DeliveryState, ListDeliveriesResponse,
    timeline_entry::{self as entry, Event},
};
use crm_sync::{
    db::Store,
    deliveries::{self, ClaimResult, FailedAction},
    leads::Source,
};
use testkit::database::Database;
use uuid::Uuid;

use crate::support::{
    ANNA, BERT, GRANTED, claim_for, claim_of, claim_results, deferred, delivered, execute, failed,
    get_lead, lease_for, leased, migrated, number_of_id, on_postgres, query_column, reason,
    report_of, submission,
};

on_postgres! {
    failed_is_neither_granted_nor_leased,
    failed_deliveries_are_listed_oldest_first,
    retry_starts_at_the_first_attempt,
    retry_ignores_deliveries_that_fail_later,
    unfinished_deliveries_are_listed_with_their_state,
    discarded_stays_cancelled,
    retry_without_a_route_is_cancelled,
    lists_at_most_a_thousand,
    delivery_without_a_lead_is_listed,
}

/// Stores leads with these numbers whose deliveries to Anna and Bert failed.
async fn store_failed(database: &Database, numbers: std::ops::RangeInclusive<u128>) -> Store {
    let store = migrated(database).await;
    for number in numbers {
        claim_results(&store, &claim_of(number, "one")).await;
        store
            .report(&report_of(number, "one", [failed(ANNA), failed(BERT)]))
            .await
            .unwrap();
    }
    store
}

fn parsed(filter: &DeliveryFilter) -> deliveries::DeliveryFilter {
    deliveries::DeliveryFilter::parse(Some(filter.clone())).unwrap()
}

async fn list(store: &Store, filter: &DeliveryFilter) -> ListDeliveriesResponse {
    store.list_deliveries(&parsed(filter), true).await.unwrap()
}

/// Lead and recipient of each failed delivery.
async fn listed(store: &Store, filter: &DeliveryFilter) -> Vec<(u128, String)> {
    let list = list(store, filter).await;
    assert_eq!(list.total, list.deliveries.len() as u64);
    list.deliveries
        .into_iter()
        .map(|failed| (number_of_id(&failed.lead_id), failed.recipient))
        .collect()
}

async fn decide(store: &Store, filter: &DeliveryFilter, decision: &FailedAction) -> u64 {
    store
        .resolve_failed(&parsed(filter), decision, "leadctl")
        .await
        .unwrap()
}

fn discard(reason: &str) -> FailedAction {
    FailedAction::Discard {
        reason: reason.to_owned(),
    }
}

fn filter_lead(number: u128) -> DeliveryFilter {
    DeliveryFilter {
        lead_id: Uuid::from_u128(number).to_string(),
        ..DeliveryFilter::default()
    }
}

fn filter_recipient(recipient: &str) -> DeliveryFilter {
    DeliveryFilter {
        recipient: recipient.to_owned(),
        ..DeliveryFilter::default()
    }
}

/// The latest entries of a lead's timeline.
async fn last_entries(store: &Store, number: u128, count: usize) -> Vec<(String, Event)> {
    let mut timeline = get_lead(store, number).await.timeline;
    let entries = timeline.split_off(timeline.len() - count);
    entries
        .into_iter()
        .map(|entry| (entry.recipient, entry.event.unwrap()))
        .collect()
}

async fn failed_is_neither_granted_nor_leased(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    claim_results(&store, &claim_of(1, "one")).await;
    store
        .report(&report_of(1, "one", [delivered(ANNA), failed(BERT)]))
        .await
        .unwrap();
    for holder in ["one", "two"] {
        assert_eq!(
            claim_results(&store, &claim_of(1, holder)).await,
            [ClaimResult::Delivered, ClaimResult::Failed]
        );
    }
    assert!(leased(&store, &lease_for("two")).await.is_empty());
    assert!(
        query_column(database.url(), "SELECT reference FROM lead WHERE open")
            .await
            .is_empty(),
        "closed"
    );
    assert_eq!(store.failed_deliveries().await.unwrap(), 1);
}

async fn failed_deliveries_are_listed_oldest_first(database: Database) {
    let store = store_failed(&database, 1..=3).await;
    claim_results(&store, &claim_for(4, &[BERT], "one")).await;
    // Lead 2 has the oldest failure.
    let long_ago = "changed_at = '2020-01-01T00:00:00+00:00'";
    let second = "lead_id IN (SELECT id FROM lead WHERE reference = 'ZG-0000-02')";
    execute(
        database.url(),
        &format!("UPDATE delivery SET {long_ago}, attempts = 7 WHERE {second}"),
    )
    .await;

    let all = list(&store, &DeliveryFilter::default()).await;
    assert_eq!(all.total, 6);
    let first = &all.deliveries[0];
    assert_eq!(
        (number_of_id(&first.lead_id), first.recipient.as_str()),
        (2, ANNA)
    );
    assert_eq!(
        first.reference,
        Reference::from_id(Uuid::from_u128(2)).to_string()
    );
    assert_eq!(first.attempts, 7);
    assert_eq!(first.reason, Some(reason()));
    let since: DateTime<Utc> = "2020-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(first.since, Some(timestamp(since)));
    let numbers: Vec<_> = all
        .deliveries
        .iter()
        .map(|it| number_of_id(&it.lead_id))
        .collect();
    assert_eq!(numbers, [2, 2, 1, 1, 3, 3]);
    assert!(
        all.deliveries
            .is_sorted_by_key(|it| it.since.map(|at| (at.seconds, at.nanos)))
    );

    let bert = || BERT.to_owned();
    assert_eq!(
        listed(&store, &filter_recipient(BERT)).await,
        [(2, bert()), (1, bert()), (3, bert())]
    );
    assert!(
        listed(&store, &filter_lead(4)).await.is_empty(),
        "claimed, not failed"
    );
}

async fn unfinished_deliveries_are_listed_with_their_state(database: Database) {
    let store = store_failed(&database, 1..=1).await;
    claim_results(&store, &claim_for(2, &[ANNA, BERT], "one")).await;
    store
        .report(&report_of(
            2,
            "one",
            [delivered(ANNA), deferred(BERT, Duration::from_secs(3600))],
        ))
        .await
        .unwrap();
    claim_results(&store, &claim_for(3, &[ANNA], "one")).await;
    decide(&store, &filter_lead(1), &FailedAction::Retry).await;

    let all = store
        .list_deliveries(&parsed(&DeliveryFilter::default()), false)
        .await
        .unwrap();
    let states: Vec<_> = all
        .deliveries
        .iter()
        .map(|it| (number_of_id(&it.lead_id), it.recipient.as_str(), it.state()))
        .collect();
    let expected = [
        (2, BERT, DeliveryState::Deferred),
        (3, ANNA, DeliveryState::Claimed),
        (1, ANNA, DeliveryState::Deferred),
        (1, BERT, DeliveryState::Deferred),
    ];
    assert_eq!((all.total, states), (4, expected.to_vec()));
    assert!(
        listed(&store, &DeliveryFilter::default()).await.is_empty(),
        "none of them failed"
    );
}

/// A webhook that rejects immediately fails again while the call retries the other deliveries.
async fn retry_ignores_deliveries_that_fail_later(database: Database) {
    let store = store_failed(&database, 1..=1).await;
    let later = format!(
        "UPDATE delivery SET changed_at = changed_at + interval '1 hour' WHERE recipient = '{BERT}'"
    );
    execute(database.url(), &later).await;
    let all = DeliveryFilter::default();
    assert_eq!(decide(&store, &all, &FailedAction::Retry).await, 1);
    assert_eq!(listed(&store, &all).await, [(1, BERT.to_owned())]);
}

async fn retry_starts_at_the_first_attempt(database: Database) {
    let store = store_failed(&database, 1..=2).await;
    let annas = DeliveryFilter {
        recipient: ANNA.to_owned(),
        ..filter_lead(1)
    };
    assert_eq!(decide(&store, &annas, &FailedAction::Retry).await, 1);
    assert_eq!(
        decide(&store, &annas, &FailedAction::Retry).await,
        0,
        "a repeated retry changes nothing"
    );
    let (recipient, event) = last_entries(&store, 1, 1).await.remove(0);
    assert!(
        recipient == ANNA
            && event
                == Event::Retried(entry::Retried {
                    client: "leadctl".to_owned()
                })
    );
    assert_eq!(
        listed(&store, &filter_lead(1)).await,
        [(1, BERT.to_owned())]
    );
    assert_eq!(
        leased(&store, &lease_for("two")).await,
        [1],
        "the lead is due immediately"
    );
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await,
        [GRANTED, ClaimResult::Failed]
    );
    store
        .report(&report_of(1, "two", [failed(ANNA)]))
        .await
        .unwrap();
    assert_eq!(
        listed(&store, &filter_lead(1)).await.len(),
        2,
        "it can be retried again"
    );
}

async fn discarded_stays_cancelled(database: Database) {
    let store = store_failed(&database, 1..=2).await;
    assert_eq!(
        decide(&store, &filter_lead(1), &discard("moved away")).await,
        2
    );
    assert_eq!(decide(&store, &filter_lead(1), &discard("retry")).await, 0);
    assert_eq!(
        listed(&store, &DeliveryFilter::default()).await.len(),
        2,
        "the other lead's deliveries remain"
    );
    for (recipient, event) in last_entries(&store, 1, 2).await {
        let (why, client) = ("moved away".to_owned(), "leadctl".to_owned());
        assert!([ANNA, BERT].contains(&recipient.as_str()));
        assert!(
            event
                == Event::Discarded(entry::Discarded {
                    reason: why,
                    client
                })
        );
    }
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await,
        [ClaimResult::Cancelled; 2]
    );
    assert_eq!(
        decide(&store, &filter_lead(1), &FailedAction::Retry).await,
        0
    );
    assert!(leased(&store, &lease_for("two")).await.is_empty());
    store
        .report(&report_of(1, "two", [delivered(ANNA)]))
        .await
        .unwrap();
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await,
        [ClaimResult::Delivered, ClaimResult::Cancelled]
    );
}

async fn retry_without_a_route_is_cancelled(database: Database) {
    let store = store_failed(&database, 1..=1).await;
    assert_eq!(
        decide(&store, &DeliveryFilter::default(), &FailedAction::Retry).await,
        2
    );
    assert_eq!(
        claim_results(&store, &claim_for(1, &[ANNA], "two")).await,
        [GRANTED]
    );
    store
        .report(&report_of(1, "two", [delivered(ANNA)]))
        .await
        .unwrap();
    assert!(leased(&store, &lease_for("two")).await.is_empty());
    assert!(
        query_column(database.url(), "SELECT reference FROM lead WHERE open")
            .await
            .is_empty(),
        "closed"
    );
}

async fn lists_at_most_a_thousand(database: Database) {
    let store = store_failed(&database, 1..=1).await;
    for doubling in 1..=10 {
        let double = format!(
            "INSERT INTO delivery (lead_id, recipient, state, holder, attempts, reason_class, reason_detail,
                 mail_message_id, server_reply)
             SELECT lead_id, '{doubling} ' || recipient, state, '', 1, '', '', '', '' FROM delivery
             WHERE recipient LIKE '%{ANNA}'"
        );
        execute(database.url(), &double).await;
    }
    let list = list(&store, &DeliveryFilter::default()).await;
    assert_eq!((list.total, list.deliveries.len()), (1025, 1000));
    assert_eq!(
        decide(&store, &DeliveryFilter::default(), &discard("moved away")).await,
        1025,
        "a decision covers all of them"
    );
}

async fn delivery_without_a_lead_is_listed(database: Database) {
    let store = store_failed(&database, 1..=1).await;
    execute(database.url(), "DELETE FROM lead").await;
    let list = list(&store, &filter_recipient(ANNA)).await;
    assert_eq!((list.deliveries.len(), list.total), (1, 1));
    assert_eq!(
        decide(&store, &DeliveryFilter::default(), &discard("lost")).await,
        2
    );
    assert_eq!(store.failed_deliveries().await.unwrap(), 0);
}
