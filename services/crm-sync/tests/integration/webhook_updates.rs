//! Webhooks that may have received a lead are notified of a changed phone number or do-not-contact mark.

use std::time::Duration;

use chrono::{DateTime, TimeDelta};
use contracts::{crm::v1::UpdateNotice, leads::v1::ContactChannel};
use crm_sync::{
    db::Store,
    deliveries::{Claim, DeliveryFilter, FailedAction, Lease},
    leads::{Change, Source},
};
use testkit::database::Database;
use uuid::Uuid;

use crate::support::{
    ANNA, GRANTED, RecipientOutcome, WEBHOOK, claim_for, claim_results, contacted, deferred,
    deliver_to_webhook, delivered, failed, get_lead, lead_from, lease_for, leased, migrated,
    on_both_databases, on_postgres, on_sqlite, query_column, reference, report_of, submission,
    time_passes, timestamp, withdraw,
};

on_both_databases! {
    update_has_the_newest_state_of_the_lead,
    update_waits_for_the_claim_of_the_lead,
    erasure_replaces_the_updates_of_a_lead,
}

on_sqlite! {
    failed_update_is_listed_retried_and_replaced,
    waiting_update_keeps_no_lead_open,
}

on_postgres! {
    change_during_a_call_makes_one_more_update,
    webhook_without_the_lead_gets_no_update,
    caller_without_updates_gets_erasures_only,
    number_corrected_before_the_claim_is_updated,
    corrected_name_and_email_are_updated,
    merged_lead_is_updated,
}

const RIGHT: &str = "8765 4321";

async fn set_do_not_contact(store: &Store, number: u128, do_not_contact: bool) {
    let withdrawn_at = get_lead(store, number).await.withdrawn_at;
    let change = Change {
        do_not_contact: Some(do_not_contact),
        seen_withdrawn_at: withdrawn_at
            .and_then(|at| DateTime::from_timestamp(at.seconds, at.nanos.cast_unsigned())),
        note: "Asked by phone".to_owned(),
        state: None,
        ..contacted(number)
    };
    store.update_lead(&change).await.unwrap();
}

async fn correct(store: &Store, number: u128, mobile: &str) {
    let change = Change {
        mobile: Some(mobile.to_owned()),
        state: None,
        ..contacted(number)
    };
    store.update_lead(&change).await.unwrap();
}

async fn updates(store: &Store, holder: &str) -> Vec<UpdateNotice> {
    store
        .lease(&lease_for(holder))
        .await
        .unwrap()
        .update_notices
}

/// The recipients and attempts of the claimed updates.
async fn recipients(store: &Store, holder: &str) -> Vec<(String, u32)> {
    let updates = updates(store, holder).await.into_iter();
    updates.map(|it| (it.recipient, it.attempt)).collect()
}

fn update(number: u32, attempt: u32) -> (String, u32) {
    (format!("updated:crm#{number}"), attempt)
}

async fn report(store: &Store, holder: &str, outcome: RecipientOutcome<'_>) {
    store
        .report(&report_of(1, holder, [outcome]))
        .await
        .unwrap();
}

async fn update_has_the_newest_state_of_the_lead(database: Database) {
    let store = migrated(&database).await;
    deliver_to_webhook(&store, 1).await;
    assert_eq!(updates(&store, "one").await, []);
    withdraw(&store, 1, false).await;
    correct(&store, 1, RIGHT).await;
    let claimed = updates(&store, "one").await;
    let updated_at = claimed[0].updated_at;
    let expected = UpdateNotice {
        lead_id: Uuid::from_u128(1).to_string(),
        reference: reference(1),
        name: submission(1).name.into(),
        mobile: RIGHT.to_owned(),
        email: submission(1).email.into(),
        channels: vec![ContactChannel::Phone.into(), ContactChannel::Message.into()],
        do_not_contact_at: Some(timestamp(submission(1).submitted_at)),
        updated_at,
        recipient: "updated:crm#1".to_owned(),
        attempt: 1,
    };
    assert_eq!(
        claimed.as_slice(),
        std::slice::from_ref(&expected),
        "one update for both changes"
    );
    report(&store, "one", delivered("updated:crm#1")).await;
    // The mark is set already.
    set_do_not_contact(&store, 1, true).await;
    time_passes(&database).await;
    assert_eq!(updates(&store, "one").await, []);

    set_do_not_contact(&store, 1, false).await;
    let claimed = updates(&store, "one").await;
    assert_ne!(claimed[0].updated_at, updated_at);
    let allowed = UpdateNotice {
        do_not_contact_at: None,
        updated_at: claimed[0].updated_at,
        recipient: "updated:crm#2".to_owned(),
        ..expected
    };
    assert_eq!(claimed, [allowed]);
}

async fn update_waits_for_the_claim_of_the_lead(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(
        claim_results(&store, &claim_for(1, &[WEBHOOK], "one")).await,
        [GRANTED]
    );
    set_do_not_contact(&store, 1, true).await;
    assert_eq!(
        updates(&store, "one").await,
        [],
        "the lead may be in flight without the mark"
    );
    report(&store, "one", delivered(WEBHOOK)).await;
    time_passes(&database).await;
    assert_eq!(recipients(&store, "one").await, [update(1, 1)]);
}

async fn change_during_a_call_makes_one_more_update(database: Database) {
    let store = migrated(&database).await;
    deliver_to_webhook(&store, 1).await;
    correct(&store, 1, "6123 4567").await;
    assert_eq!(recipients(&store, "one").await, [update(1, 1)]);
    correct(&store, 1, RIGHT).await;
    set_do_not_contact(&store, 1, true).await;
    assert_eq!(
        recipients(&store, "two").await,
        [],
        "a later call must not overtake the call in flight"
    );
    report(
        &store,
        "one",
        deferred("updated:crm#1", Duration::from_secs(60)),
    )
    .await;
    time_passes(&database).await;
    let claimed = updates(&store, "two").await;
    assert_eq!(
        (claimed.len(), &*claimed[0].recipient, &*claimed[0].mobile),
        (1, "updated:crm#2", RIGHT),
        "the first update has an older state"
    );
    report(&store, "two", deferred("updated:crm#2", Duration::ZERO)).await;
    correct(&store, 1, "6123 4567").await;
    let claimed = updates(&store, "one").await;
    assert_eq!(
        (claimed.len(), &*claimed[0].recipient, &*claimed[0].mobile),
        (1, "updated:crm#2", "6123 4567"),
        "a waiting update has the newest state"
    );
    report(&store, "one", delivered("updated:crm#2")).await;
    time_passes(&database).await;
    assert_eq!(recipients(&store, "one").await, []);
}

async fn webhook_without_the_lead_gets_no_update(database: Database) {
    let store = migrated(&database).await;
    deliver_to_webhook(&store, 1).await;
    let all = "SELECT recipient FROM delivery WHERE recipient LIKE 'updated:%'";
    let change = async || {
        set_do_not_contact(&store, 1, true).await;
        query_column(database.url(), all).await
    };
    assert_eq!(change().await, ["updated:crm#1"], "not the other webhook");
}

async fn caller_without_updates_gets_erasures_only(database: Database) {
    let store = migrated(&database).await;
    for number in [1, 2] {
        deliver_to_webhook(&store, number).await;
    }
    set_do_not_contact(&store, 1, true).await;
    let ids = [Uuid::from_u128(2)];
    store.erase_people(&[], &ids, "tests").await.unwrap();
    let earlier_version = Lease {
        updates: false,
        ..lease_for("one")
    };
    let leased = store.lease(&earlier_version).await.unwrap();
    assert_eq!(
        (leased.erasure_notices.len(), leased.update_notices.len()),
        (1, 0)
    );
    assert_eq!(recipients(&store, "two").await, [update(1, 1)]);
}

async fn number_corrected_before_the_claim_is_updated(database: Database) {
    let store = migrated(&database).await;
    let queued = lead_from(1, submission(1).email.as_str(), "9123 4567");
    let claim = Claim {
        submission: queued.clone(),
        ..claim_for(1, &[ANNA, WEBHOOK], "one")
    };
    store.record_leads(Source::Broker, &[queued]).await.unwrap();
    correct(&store, 1, RIGHT).await;
    for _ in 0..2 {
        assert_eq!(claim_results(&store, &claim).await.len(), 2);
    }
    assert_eq!(updates(&store, "one").await, []);
    report(&store, "one", delivered(WEBHOOK)).await;
    time_passes(&database).await;
    let claimed = updates(&store, "one").await;
    assert_eq!(
        (claimed.len(), &*claimed[0].mobile),
        (1, RIGHT),
        "the message of the queue has the submitted number"
    );
}

async fn corrected_name_and_email_are_updated(database: Database) {
    let store = migrated(&database).await;
    deliver_to_webhook(&store, 1).await;
    let change = |name: Option<&str>, email: Option<&str>| Change {
        name: name.map(str::to_owned),
        email: email.map(str::to_owned),
        state: None,
        ..contacted(1)
    };
    store
        .update_lead(&change(Some("Chen Wei"), None))
        .await
        .unwrap();
    let renamed = updates(&store, "one").await.remove(0);
    assert_eq!(renamed.name, "Chen Wei");
    report(&store, "one", delivered("updated:crm#1")).await;
    let email = "chen@example.com";
    store.update_lead(&change(None, Some(email))).await.unwrap();
    let readdressed = updates(&store, "one").await.remove(0);
    assert_eq!([readdressed.name, readdressed.email], ["Chen Wei", email]);
    assert_ne!(readdressed.updated_at, renamed.updated_at);

    // The message of the queue has the submitted values.
    let queued = lead_from(2, "2@example.com", RIGHT);
    let claim = Claim {
        submission: queued.clone(),
        ..claim_for(2, &[ANNA, WEBHOOK], "one")
    };
    store.record_leads(Source::Broker, &[queued]).await.unwrap();
    let renamed = Change {
        name: Some("Tan Wei".to_owned()),
        state: None,
        ..contacted(2)
    };
    store.update_lead(&renamed).await.unwrap();
    assert_eq!(claim_results(&store, &claim).await, [GRANTED; 2]);
    time_passes(&database).await;
    let claimed = updates(&store, "one").await;
    assert!(claimed.iter().any(|it| it.name == "Tan Wei"));
}

async fn merged_lead_is_updated(database: Database) {
    let store = migrated(&database).await;
    for number in [1, 2] {
        let submission = lead_from(number, &format!("{number}@example.com"), "no number");
        let claim = Claim {
            submission,
            ..claim_for(number, &[WEBHOOK], "one")
        };
        assert_eq!(claim_results(&store, &claim).await, [GRANTED]);
    }
    set_do_not_contact(&store, 1, true).await;
    let [kept, joining] = [2, 1].map(Uuid::from_u128);
    store.merge_people(kept, joining, "tests").await.unwrap();
    time_passes(&database).await;
    let updated: Vec<String> = updates(&store, "one")
        .await
        .into_iter()
        .filter(|it| it.do_not_contact_at.is_some())
        .map(|it| it.reference)
        .collect();
    assert_eq!(updated, [reference(1), reference(2)]);
}

async fn erasure_replaces_the_updates_of_a_lead(database: Database) {
    let store = migrated(&database).await;
    deliver_to_webhook(&store, 1).await;
    set_do_not_contact(&store, 1, true).await;
    assert_eq!(recipients(&store, "one").await, [update(1, 1)]);
    set_do_not_contact(&store, 1, false).await;
    let ids = [Uuid::from_u128(1)];
    store.erase_people(&[], &ids, "tests").await.unwrap();
    let left = "SELECT recipient FROM delivery";
    assert_eq!(query_column(database.url(), left).await, ["erased:crm"]);
    let leased = store.lease(&lease_for("two")).await.unwrap();
    assert_eq!(
        (leased.erasure_notices.len(), leased.update_notices.len()),
        (0, 0),
        "the update may be in flight"
    );
    report(&store, "one", delivered("updated:crm#1")).await;
    time_passes(&database).await;
    let leased = store.lease(&lease_for("two")).await.unwrap();
    assert_eq!(
        (leased.erasure_notices.len(), leased.update_notices.len()),
        (1, 0)
    );
    assert_eq!(query_column(database.url(), left).await, ["erased:crm"]);
}

async fn failed_update_is_listed_retried_and_replaced(database: Database) {
    let store = migrated(&database).await;
    deliver_to_webhook(&store, 1).await;
    set_do_not_contact(&store, 1, true).await;
    let filter = |recipient: &str| {
        let filter = contracts::crm::v1::DeliveryFilter {
            recipient: recipient.to_owned(),
            ..Default::default()
        };
        DeliveryFilter::parse(Some(filter)).unwrap()
    };
    let all = filter("");
    let listed = store.list_deliveries(&all, false).await.unwrap();
    assert!(
        listed
            .deliveries
            .iter()
            .any(|it| it.recipient == "updated:crm#1")
    );
    for name in ["updated:other", "updated:cr"] {
        let listed = store.list_deliveries(&filter(name), false).await.unwrap();
        assert_eq!(listed.total, 0, "{name}");
    }
    let fail = async || {
        assert_eq!(recipients(&store, "one").await, [update(1, 1)]);
        report(&store, "one", failed("updated:crm#1")).await;
        assert_eq!(store.failed_deliveries().await.unwrap(), 1);
    };
    fail().await;
    let of_webhook = filter("updated:crm");
    let retried = store.resolve_failed(&of_webhook, &FailedAction::Retry, "leadctl");
    assert_eq!(retried.await.unwrap(), 1);
    fail().await;
    set_do_not_contact(&store, 1, false).await;
    assert_eq!(
        store.failed_deliveries().await.unwrap(),
        0,
        "a newer update replaces the failed one"
    );
    assert_eq!(recipients(&store, "one").await, [update(2, 1)]);
    report(&store, "one", failed("updated:crm#2")).await;
    let discard = FailedAction::Discard {
        reason: "told by phone".to_owned(),
    };
    let discarded = store.resolve_failed(&of_webhook, &discard, "leadctl");
    assert_eq!(discarded.await.unwrap(), 1);
    assert_eq!(recipients(&store, "one").await, []);
}

async fn waiting_update_keeps_no_lead_open(database: Database) {
    let store = migrated(&database).await;
    let claim = claim_for(1, &[ANNA, WEBHOOK], "one");
    assert_eq!(claim_results(&store, &claim).await, [GRANTED; 2]);
    let reports = report_of(1, "one", [delivered(ANNA), delivered(WEBHOOK)]);
    store.report(&reports).await.unwrap();
    set_do_not_contact(&store, 1, true).await;
    let open = "SELECT reference FROM lead WHERE open";
    assert_eq!(query_column(database.url(), open).await, [""; 0]);
    assert_eq!(recipients(&store, "one").await, [update(1, 1)]);
    report(
        &store,
        "one",
        deferred("updated:crm#1", Duration::from_secs(60)),
    )
    .await;
    assert_eq!(query_column(database.url(), open).await, [""; 0]);
    assert_eq!(store.erase_older_than(TimeDelta::zero()).await.unwrap(), 1);

    // An open lead with a due update is leased only for its emails.
    assert_eq!(
        claim_results(&store, &claim_for(2, &[ANNA, WEBHOOK], "one")).await,
        [GRANTED; 2]
    );
    let unsent = report_of(
        2,
        "one",
        [deferred(ANNA, Duration::from_secs(60)), delivered(WEBHOOK)],
    );
    store.report(&unsent).await.unwrap();
    correct(&store, 2, RIGHT).await;
    let without_updates = Lease {
        updates: false,
        ..lease_for("two")
    };
    assert_eq!(leased(&store, &without_updates).await, [0; 0]);
    time_passes(&database).await;
    let leased = store.lease(&lease_for("two")).await.unwrap();
    assert_eq!((leased.leads.len(), leased.update_notices.len()), (1, 1));
    assert_eq!(leased.leads[0].recipients, [""; 0]);
}
