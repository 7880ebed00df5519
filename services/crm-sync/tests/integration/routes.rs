//! Recipients that have left the routes.

use std::time::Duration;

use contracts::crm::v1::timeline_entry::Event;
use crm_sync::deliveries::{Claim, ClaimResult};
use testkit::database::Database;

use crate::support::{
    ANNA, BERT, GRANTED, VISITOR, cancelled, claim_for, claim_of, claim_results, deferred,
    delivered, event_of, failed, get_lead, lead_from, lease_for, leased, leases_end, migrated,
    on_postgres, query_column, recipients, report_of, time_passes,
};

on_postgres! {
    removed_recipient_is_cancelled_and_the_lead_closed,
    restored_recipient_is_pending_again,
    routes_that_change_back_leave_the_lead_open,
    route_change_leaves_a_claimed_delivery_alone,
    route_change_leaves_finished_deliveries_alone,
    deferred_visitor_email_reopens_the_lead,
    claim_of_unknown_recipients_leaves_the_routes_alone,
}

/// Lead, recipient, state and reason class of each delivery.
async fn deliveries(database: &Database) -> Vec<String> {
    let deliveries =
        "SELECT substr(reference, 9) || ' ' || recipient || ' ' || delivery.state || ' ' || reason_class
        FROM delivery JOIN lead ON id = lead_id ORDER BY reference, recipient";
    query_column(database.url(), deliveries).await
}

async fn removed_recipient_is_cancelled_and_the_lead_closed(database: Database) {
    let store = migrated(&database).await;
    // Bert's delivery is pending for lead 1, claimed by a dead holder for lead 2, and deferred for lead 3.
    store.report(&event_of(1, "one", [])).await.unwrap();
    claim_results(&store, &claim_of(2, "died")).await;
    time_passes(&database).await;
    claim_results(&store, &claim_of(3, "one")).await;
    store
        .report(&report_of(
            3,
            "one",
            [deferred(BERT, Duration::from_secs(3600))],
        ))
        .await
        .unwrap();
    for number in 1..=3 {
        store
            .claim(&claim_for(number, &[ANNA], "one"))
            .await
            .unwrap();
        store
            .report(&report_of(number, "one", [delivered(ANNA)]))
            .await
            .unwrap();
    }
    assert_eq!(
        deliveries(&database).await,
        [
            "01 anna@sales.example delivered ",
            "01 bert@sales.example cancelled routes",
            "02 anna@sales.example delivered ",
            "02 bert@sales.example cancelled routes",
            "03 anna@sales.example delivered ",
            "03 bert@sales.example cancelled routes",
        ]
    );
    assert!(
        query_column(database.url(), "SELECT reference FROM lead WHERE open")
            .await
            .is_empty(),
        "closed"
    );
    leases_end(&database).await;
    assert!(leased(&store, &lease_for("two")).await.is_empty());

    let timeline = get_lead(&store, 1).await.timeline;
    let cancelled: Vec<_> = timeline
        .iter()
        .filter_map(|entry| {
            let Some(Event::Cancelled(cancelled)) = &entry.event else {
                return None;
            };
            Some((
                entry.recipient.as_str(),
                cancelled.reason.as_ref()?.detail.as_str(),
            ))
        })
        .collect();
    assert_eq!(cancelled, [(BERT, "recipient no longer in the routes")]);
}

async fn restored_recipient_is_pending_again(database: Database) {
    let store = migrated(&database).await;
    store
        .report(&event_of(1, "one", [delivered(ANNA)]))
        .await
        .unwrap();
    assert_eq!(
        claim_results(&store, &claim_for(1, &[ANNA], "one")).await,
        [ClaimResult::Delivered]
    );
    assert!(
        leased(&store, &lease_for("two")).await.is_empty(),
        "no recipient remains"
    );
    assert_eq!(
        claim_results(&store, &claim_of(1, "one")).await,
        [ClaimResult::Delivered, GRANTED]
    );
    time_passes(&database).await;
    assert_eq!(
        leased(&store, &lease_for("two")).await,
        [1],
        "the holder of Bert's delivery has died"
    );
}

async fn routes_that_change_back_leave_the_lead_open(database: Database) {
    let store = migrated(&database).await;
    for recipient in [ANNA, BERT, ANNA] {
        store
            .claim(&claim_for(1, &[recipient], "one"))
            .await
            .unwrap();
        time_passes(&database).await;
    }
    assert_eq!(
        deliveries(&database).await,
        [
            "01 anna@sales.example claimed ",
            "01 bert@sales.example cancelled routes"
        ]
    );
    assert_eq!(
        leased(&store, &lease_for("two")).await,
        [1],
        "the holder of Anna's delivery has died"
    );
}

async fn route_change_leaves_a_claimed_delivery_alone(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_for(1, &[BERT], "one")).await;
    // A notifier with other routes claims the lead.
    assert_eq!(
        claim_results(&store, &claim_for(1, &[ANNA], "two")).await,
        [GRANTED]
    );
    let held = [
        "01 anna@sales.example claimed ",
        "01 bert@sales.example claimed ",
    ];
    assert_eq!(deliveries(&database).await, held);
    store
        .report(&report_of(1, "two", [delivered(ANNA)]))
        .await
        .unwrap();
    time_passes(&database).await;
    assert_eq!(
        leased(&store, &lease_for("three")).await,
        [1],
        "Bert was not mailed"
    );
    assert_eq!(
        claim_results(&store, &claim_for(1, &[ANNA], "three")).await,
        [ClaimResult::Delivered]
    );
    let cancelled = [
        "01 anna@sales.example delivered ",
        "01 bert@sales.example cancelled routes",
    ];
    assert_eq!(deliveries(&database).await, cancelled);
    store
        .report(&report_of(1, "one", [failed(BERT)]))
        .await
        .unwrap();
    assert_eq!(
        deliveries(&database).await,
        cancelled,
        "the previous holder reports too late"
    );
    store
        .report(&report_of(1, "one", [delivered(BERT)]))
        .await
        .unwrap();
    assert!(
        deliveries(&database).await[1].starts_with("01 bert@sales.example delivered"),
        "unless it was delivered"
    );
}

async fn route_change_leaves_finished_deliveries_alone(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_of(1, "one")).await;
    store
        .report(&report_of(1, "one", [delivered(ANNA), failed(BERT)]))
        .await
        .unwrap();
    let before = deliveries(&database).await;
    assert_eq!(
        before,
        [
            "01 anna@sales.example delivered ",
            "01 bert@sales.example failed smtp"
        ]
    );
    assert_eq!(
        claim_results(&store, &claim_for(1, &["carl@sales.example"], "one")).await,
        [GRANTED]
    );
    assert_eq!(deliveries(&database).await[..2], before);
}

/// After a rollback, a lease may name a recipient that only the newer version defines.
async fn claim_of_unknown_recipients_leaves_the_routes_alone(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_for(1, &[ANNA], "one")).await;
    let later = deferred(ANNA, Duration::from_secs(600));
    store.report(&report_of(1, "one", [later])).await.unwrap();
    let of_newer_version = claim_for(1, &["survey:Mei#1"], "one");
    assert_eq!(claim_results(&store, &of_newer_version).await, [GRANTED]);
    assert_eq!(
        claim_results(&store, &claim_for(1, &[ANNA], "two")).await,
        [ClaimResult::Deferred]
    );
}

async fn deferred_visitor_email_reopens_the_lead(database: Database) {
    let store = migrated(&database).await;
    let to_visitor = |number| Claim {
        submission: lead_from(number, "wei@example.com", "no number"),
        visitor_daily_limit: 1,
        visitors_hourly_limit: 0,
        ..claim_for(number, &[ANNA, VISITOR], "one")
    };
    let to_anna = Claim {
        recipients: recipients([ANNA]),
        ..to_visitor(1)
    };
    claim_results(&store, &to_anna).await;
    store
        .report(&report_of(1, "one", [delivered(ANNA)]))
        .await
        .unwrap();
    // Visitor emails are now on, and another email to this visitor is in flight.
    claim_results(&store, &to_visitor(2)).await;
    assert_eq!(
        claim_results(&store, &to_visitor(1)).await,
        [ClaimResult::Delivered, ClaimResult::Deferred]
    );
    store
        .report(&report_of(2, "one", [cancelled(VISITOR), delivered(ANNA)]))
        .await
        .unwrap();
    time_passes(&database).await;
    assert_eq!(leased(&store, &lease_for("two")).await, [1]);
}
