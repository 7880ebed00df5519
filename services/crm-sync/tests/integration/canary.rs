//! Canaries are delivered like leads, and hidden from searches.

use std::time::Duration;

use ::lead::{Lead, SpamSignal};
use chrono::TimeDelta;
use crm_sync::{
    deliveries::{Claim, ClaimResult},
    leads::Source,
    search::filter::Filter,
    statistics::Spans,
};
use testkit::database::Database;

use crate::support::{
    ANNA, GRANTED, claim_for, claim_results, delivered, execute, lease_for, leased, migrated,
    number_of, on_postgres, on_sqlite, report_of, submission,
};

on_sqlite! {
    canary_is_delivered_and_hidden_from_searches,
}

on_postgres! {
    canaries_are_deleted_after_a_day,
}

fn canary(number: u128) -> Lead {
    Lead {
        signals: vec![SpamSignal::Canary],
        ..submission(number)
    }
}

async fn canary_is_delivered_and_hidden_from_searches(database: Database) {
    let store = migrated(&database).await;
    assert!(store.canaries().await.unwrap().is_empty());
    store
        .record_leads(Source::Broker, &[canary(1), submission(2)])
        .await
        .unwrap();
    store
        .record_leads(Source::Broker, &[canary(1)])
        .await
        .unwrap();
    assert_eq!(leased(&store, &lease_for("other")).await, [1, 2]);

    let claim = Claim {
        submission: canary(1),
        ..claim_for(1, &[ANNA], "one")
    };
    let claimed = store.claim(&claim).await.unwrap();
    assert_eq!(claimed.results, [GRANTED]);
    assert!(
        claimed.context.earlier.is_empty(),
        "a canary has no person, even with the address of a lead"
    );
    let stages = async || Vec::from_iter(store.canaries().await.unwrap().into_keys());
    assert_eq!(stages().await, ["stored"]);
    store
        .report(&report_of(1, "one", [delivered(ANNA)]))
        .await
        .unwrap();
    assert_eq!(stages().await, ["mailed", "stored"]);
    assert_eq!(
        claim_results(&store, &claim).await,
        [ClaimResult::Delivered]
    );

    assert_eq!(
        store.pending().await.unwrap().leads,
        1,
        "the canary is not counted"
    );
    let page = store.page(&Filter::default(), None, 10, &[]).await.unwrap();
    let found: Vec<_> = page.leads.iter().map(number_of).collect();
    assert_eq!(found, [2]);
    assert_eq!(store.total(&Filter::default()).await.unwrap(), 1);
    let (from, before) = (
        submission(1).submitted_at,
        submission(1).submitted_at + TimeDelta::days(1),
    );
    let statistics = store
        .count_leads(&Spans::new(vec![from], before).unwrap())
        .await
        .unwrap();
    let total = statistics.total.unwrap();
    assert_eq!((total.leads, total.spam), (1, 0));
    let canary = store.lead(canary(1).id).await.unwrap();
    assert_eq!(
        (canary.contact_id.as_str(), canary.deliveries.len()),
        ("", 1),
        "a canary is found by its id"
    );
}

async fn canaries_are_deleted_after_a_day(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[canary(1), canary(2), submission(3)])
        .await
        .unwrap();
    for number in [1, 3] {
        store
            .report(&report_of(number, "one", [delivered(ANNA)]))
            .await
            .unwrap();
    }
    let now = crm_sync_migration::database_clock(if database.url().starts_with("sqlite") {
        sea_orm::DbBackend::Sqlite
    } else {
        sea_orm::DbBackend::Postgres
    });
    let just_now = format!("UPDATE lead SET submitted_at = {now} WHERE reference = 'ZG-0000-02'");
    execute(database.url(), &just_now).await;
    assert_eq!(store.delete_old_canaries().await.unwrap(), 1);
    assert_eq!(store.delete_old_canaries().await.unwrap(), 0);
    assert!(store.lead(canary(1).id).await.is_err());
    assert!(
        store
            .lead(submission(3).id)
            .await
            .is_ok_and(|lead| lead.deliveries.len() == 1)
    );
    let canaries = store.canaries().await.unwrap();
    assert_eq!(
        canaries.keys().collect::<Vec<_>>(),
        [&"stored"],
        "its deliveries are deleted too"
    );
    assert!(
        canaries["stored"].age < Duration::from_secs(60),
        "{canaries:?}"
    );
}
