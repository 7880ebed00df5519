//! Reports of outcomes from any notifier, in any order.

use std::time::Duration;

use contracts::crm::v1::timeline_entry::{self as entry, Deferred, Event};
use crm_sync::{
    db::Store,
    deliveries::{ClaimResult, Reports},
    leads::Source,
};
use lead::Outcome;
use testkit::database::Database;

use crate::support::{
    ANNA, BERT, GRANTED, RecipientOutcome, cancelled, claim_for, claim_of, claim_results, deferred,
    delivered, delivered_with, event_of, failed, get_lead, lease_for, leased, mail_to, migrated,
    on_both_databases, on_postgres, reason, report_of, submission, time_passes,
};

on_both_databases! {
    report_stores_the_outcome_of_each_recipient,
}

on_postgres! {
    delivered_counts_from_any_holder_once,
    delivered_may_precede_the_lead_or_follow_failed,
    other_outcomes_count_only_from_the_holder,
    repeated_report_counts_once,
    uncounted_retry_frees_the_claim,
    deferred_delivery_waits_for_its_time,
}

const HOUR: Duration = Duration::from_secs(3600);

async fn report(store: &Store, reports: Reports) {
    store.report(&reports).await.unwrap();
}

async fn is_leased(store: &Store) -> bool {
    leased(store, &lease_for("reconciler")).await == [1]
}

/// The timeline events of the first lead, without those from its row and its deliveries.
async fn entries(store: &Store) -> Vec<Event> {
    let timeline = get_lead(store, 1).await.timeline;
    let is_kept = |event: &Event| {
        !matches!(
            event,
            Event::Submitted(_) | Event::Recorded(_) | Event::Delivered(_)
        )
    };
    timeline
        .into_iter()
        .filter_map(|entry| entry.event)
        .filter(is_kept)
        .collect()
}

async fn report_stores_the_outcome_of_each_recipient(database: Database) {
    let store = migrated(&database).await;
    let everybody = ["a", "b", "c", "d"];
    assert_eq!(
        claim_results(&store, &claim_for(1, &everybody, "one")).await,
        [GRANTED; 4]
    );
    report(
        &store,
        report_of(
            1,
            "one",
            [
                delivered("a"),
                deferred("b", HOUR),
                failed("c"),
                cancelled("d"),
            ],
        ),
    )
    .await;
    let expected = [
        ClaimResult::Delivered,
        ClaimResult::Deferred,
        ClaimResult::Failed,
        ClaimResult::Cancelled,
    ];
    assert_eq!(
        claim_results(&store, &claim_for(1, &everybody, "two")).await,
        expected
    );
    let lead = get_lead(&store, 1).await;
    assert_eq!(lead.deliveries, [mail_to("a")], "as reported");
    let entries = entries(&store).await;
    let recorded_at = lead.recorded_at.unwrap();
    let after = prost_types::Timestamp {
        seconds: recorded_at.seconds + 3600,
        ..recorded_at
    };
    assert!(
        matches!(&entries[0], Event::Deferred(Deferred { until, reason: why })
        if until.is_some_and(|it| (it.seconds, it.nanos) > (after.seconds, after.nanos)) && *why == Some(reason()))
    );
    let reason = Some(reason());
    let failed = Event::Failed(entry::Failed {
        reason: reason.clone(),
    });
    assert_eq!(
        entries[1..],
        [failed, Event::Cancelled(entry::Cancelled { reason })]
    );
}

async fn delivered_counts_from_any_holder_once(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_of(1, "one")).await;
    report(&store, report_of(1, "two", [delivered(ANNA)])).await;
    assert_eq!(
        claim_results(&store, &claim_of(1, "one")).await[0],
        ClaimResult::Delivered,
        "from any holder"
    );
    report(
        &store,
        report_of(1, "one", [delivered_with(ANNA, "250 again by the holder")]),
    )
    .await;
    for outcome in [deferred(ANNA, HOUR), failed(ANNA), cancelled(ANNA)] {
        report(&store, report_of(1, "one", [outcome])).await;
    }
    assert!(entries(&store).await.is_empty(), "the claim has ended");
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await,
        [ClaimResult::Delivered, ClaimResult::Claimed]
    );
    let lead = get_lead(&store, 1).await;
    assert_eq!(lead.deliveries, [mail_to(ANNA)], "the first report is kept");
}

async fn delivered_may_precede_the_lead_or_follow_failed(database: Database) {
    let store = migrated(&database).await;
    report(&store, report_of(1, "one", [delivered(BERT)])).await;
    report(&store, event_of(1, "one", [delivered(BERT)])).await;
    store
        .record_leads(Source::Broker, &[submission(1)])
        .await
        .unwrap();
    assert_eq!(
        claim_results(&store, &claim_of(1, "one")).await,
        [GRANTED, ClaimResult::Delivered]
    );
    report(&store, report_of(1, "one", [failed(ANNA)])).await;
    assert!(!is_leased(&store).await, "delivered and failed");
    report(&store, report_of(1, "two", [delivered(ANNA)])).await;
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await,
        [ClaimResult::Delivered; 2]
    );
    assert!(!is_leased(&store).await);
    let lead = get_lead(&store, 1).await;
    let expected = [ANNA, BERT].map(mail_to);
    assert_eq!(lead.deliveries, expected, "oldest first, then by recipient");
    assert_eq!(store.failed_deliveries().await.unwrap(), 0);
}

async fn other_outcomes_count_only_from_the_holder(database: Database) {
    let store = migrated(&database).await;
    report(&store, report_of(1, "one", [failed(ANNA)])).await;
    claim_results(&store, &claim_for(1, &[ANNA], "one")).await;
    report(&store, event_of(1, "two", [])).await;
    let outcomes: [fn(&str, Duration) -> RecipientOutcome<'_>; 3] =
        [deferred, |it, _| failed(it), |it, _| cancelled(it)];
    for outcome in outcomes {
        report(&store, report_of(1, "two", [outcome(ANNA, HOUR)])).await;
        report(&store, event_of(1, "two", [outcome(ANNA, HOUR)])).await;
        report(&store, report_of(1, "one", [outcome(BERT, HOUR)])).await;
    }
    assert!(
        entries(&store).await.is_empty(),
        "without a claim, or with the claim of another holder"
    );
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await,
        [ClaimResult::Claimed, GRANTED],
        "the claim remains"
    );
}

async fn repeated_report_counts_once(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_of(1, "one")).await;
    for _ in 0..2 {
        report(
            &store,
            report_of(1, "one", [deferred(ANNA, HOUR), failed(BERT)]),
        )
        .await;
    }
    assert_eq!(
        entries(&store).await.len(),
        2,
        "the timeline has each outcome once"
    );
    time_passes(&database).await;
    let granted = claim_results(&store, &claim_of(1, "two")).await;
    assert_eq!(
        granted,
        [ClaimResult::Granted { attempt: 2 }, ClaimResult::Failed]
    );
    report(
        &store,
        report_of(1, "one", [deferred(ANNA, Duration::ZERO)]),
    )
    .await;
    assert_eq!(
        claim_results(&store, &claim_of(1, "three")).await[0],
        ClaimResult::Claimed,
        "another holder has claimed it since"
    );
}

async fn uncounted_retry_frees_the_claim(database: Database) {
    let store = migrated(&database).await;
    let uncounted = |recipient| {
        (
            recipient,
            Outcome::Retry {
                after: Duration::ZERO,
                reason: reason(),
                counts: false,
            },
        )
    };
    claim_results(&store, &claim_of(1, "one")).await;
    assert!(!is_leased(&store).await, "both are claimed");
    report(&store, report_of(1, "one", [uncounted(ANNA)])).await;
    assert!(is_leased(&store).await);
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await,
        [GRANTED, ClaimResult::Claimed],
        "it did not count as an attempt"
    );
    assert!(!is_leased(&store).await);
    for _ in 0..2 {
        report(&store, report_of(1, "two", [uncounted(ANNA)])).await;
    }
    assert!(is_leased(&store).await, "the report ends the lease");
    assert_eq!(
        claim_results(&store, &claim_of(1, "two")).await[0],
        GRANTED,
        "a repeated report counts once"
    );
    assert!(
        entries(&store)
            .await
            .iter()
            .all(|event| matches!(event, Event::Leased(_))),
        "the timeline has only leases"
    );
}

async fn deferred_delivery_waits_for_its_time(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_of(1, "one")).await;
    report(
        &store,
        report_of(1, "one", [deferred(ANNA, HOUR), delivered(BERT)]),
    )
    .await;
    for holder in ["one", "two"] {
        assert_eq!(
            claim_results(&store, &claim_of(1, holder)).await,
            [ClaimResult::Deferred, ClaimResult::Delivered]
        );
    }
    assert!(leased(&store, &lease_for("two")).await.is_empty());
    time_passes(&database).await;
    assert_eq!(leased(&store, &lease_for("two")).await, [1]);
    let granted = claim_results(&store, &claim_of(1, "two")).await;
    assert_eq!(
        granted,
        [ClaimResult::Granted { attempt: 2 }, ClaimResult::Delivered]
    );
}
