//! Gauges of pending leads, their age, and failed deliveries.

use std::time::Duration;

use contracts::leads::v1::Reason;
use crm_sync::{db::Store, deliveries::Claim, leads::Source};
use lead::Outcome;
use testkit::{
    database::{Database, postgres},
    proxy::Proxy,
    wait,
};

use crate::support::{
    ANNA, BERT, NO_BROKER, VISITOR, claim_for, claim_of, claim_results, contacted, deferred,
    delivered, event_of, execute, failed, migrated, on_both_databases, on_postgres, reason,
    reference, report_of, split, start, submission, time_passes,
};

on_both_databases! {
    median_first_contact_is_of_the_last_day,
    waiting_deliveries_are_counted_by_reason,
}

on_postgres! {
    lead_is_pending_until_sales_emails_end,
    oldest_pending_counts_from_its_commit,
    gauges_count_pending_leads_and_failed_deliveries,
    full_mailbox_is_counted_apart,
    connections_are_counted,
}

async fn pending(store: &Store) -> u64 {
    store.pending().await.unwrap().leads
}

async fn lead_is_pending_until_sales_emails_end(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(pending(&store).await, 0);
    store
        .record_leads(Source::Broker, &[submission(1), submission(2)])
        .await
        .unwrap();
    assert_eq!(pending(&store).await, 2, "not claimed yet");

    let claim = Claim {
        visitor_daily_limit: 3,
        ..claim_for(1, &[ANNA, BERT, VISITOR, "webhook:crm"], "one")
    };
    claim_results(&store, &claim).await;
    assert_eq!(pending(&store).await, 2, "a claim is not a delivery");
    store
        .report(&report_of(1, "one", [delivered(ANNA)]))
        .await
        .unwrap();
    assert_eq!(pending(&store).await, 2, "Bert was not mailed");
    store
        .report(&report_of(1, "one", [delivered(BERT)]))
        .await
        .unwrap();
    assert_eq!(
        pending(&store).await,
        1,
        "emails to visitors and webhooks do not count"
    );

    claim_results(&store, &claim_of(2, "one")).await;
    store
        .report(&report_of(2, "one", [failed(ANNA)]))
        .await
        .unwrap();
    assert_eq!(pending(&store).await, 1, "Bert is not emailed yet");
    store
        .report(&report_of(2, "one", [failed(BERT)]))
        .await
        .unwrap();
    assert_eq!(
        pending(&store).await,
        0,
        "a failed delivery waits for an operator"
    );
    assert_eq!(store.failed_deliveries().await.unwrap(), 2);
}

async fn waiting_deliveries_are_counted_by_reason(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(store.waiting_deliveries().await.unwrap(), []);
    for number in 1..=2 {
        claim_results(&store, &claim_of(number, "one")).await;
    }
    let later = Duration::from_secs(60);
    let reports = [
        report_of(1, "one", [deferred(ANNA, later), deferred(BERT, later)]),
        report_of(2, "one", [deferred(ANNA, later), delivered(BERT)]),
    ];
    for report in &reports {
        store.report(report).await.unwrap();
    }
    let class = reason().class;
    assert_eq!(store.waiting_deliveries().await.unwrap(), [(class, 3)]);
}

async fn median_first_contact_is_of_the_last_day(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(store.median_first_contact().await.unwrap(), None);
    let is_sqlite = database.url().starts_with("sqlite");
    for (number, minutes) in [(1, 10), (2, 20), (3, 60)] {
        let lead = submission(number);
        store.record_leads(Source::Broker, &[lead]).await.unwrap();
        store.update_lead(&contacted(number)).await.unwrap();
        let submitted_at = if is_sqlite {
            format!("strftime('%Y-%m-%dT%H:%M:%f+00:00', contacted_at, '-{minutes} minutes')")
        } else {
            format!("contacted_at - interval '{minutes} minutes'")
        };
        let reference = reference(number);
        let update = format!(
            "UPDATE lead SET submitted_at = {submitted_at} WHERE reference = '{reference}'"
        );
        execute(database.url(), &update).await;
    }
    let twenty_minutes = Some(Duration::from_secs(20 * 60));
    assert_eq!(store.median_first_contact().await.unwrap(), twenty_minutes);
    let earlier = "UPDATE lead SET contacted_at = '2026-01-01T00:00:00+00:00'";
    execute(database.url(), earlier).await;
    assert_eq!(store.median_first_contact().await.unwrap(), None);
}

async fn oldest_pending_counts_from_its_commit(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(store.pending().await.unwrap().oldest, Duration::ZERO);
    store
        .record_leads(Source::Broker, &[submission(1), submission(2)])
        .await
        .unwrap();
    let an_hour_ago = if database.url().starts_with("sqlite") {
        "replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', '-1 hour'), '.000+', '+')"
    } else {
        "clock_timestamp() - interval '1 hour'"
    };
    let earlier =
        format!("UPDATE lead SET recorded_at = {an_hour_ago} WHERE reference = 'ZG-0000-01'");
    execute(database.url(), &earlier).await;
    let oldest = store.pending().await.unwrap().oldest.as_secs();
    assert!((3600..3660).contains(&oldest), "{oldest}");
}

async fn gauges_count_pending_leads_and_failed_deliveries(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(1), submission(2)])
        .await
        .unwrap();
    store
        .report(&event_of(3, "one", [delivered(ANNA), failed(BERT)]))
        .await
        .unwrap();
    let (context, _) = testkit::context("crm-sync");
    start(NO_BROKER, database.url(), &context).await.unwrap();
    let metrics = || String::from_utf8(context.metrics.encode().unwrap()).unwrap();
    wait::until("the gauges", async || {
        metrics().contains("crm_failed_deliveries")
    })
    .await;
    let metrics = metrics();
    for line in ["crm_pending_leads 2", "crm_failed_deliveries 1"] {
        assert!(metrics.lines().any(|it| it == line), "{metrics}");
    }
    assert!(
        metrics
            .lines()
            .any(|line| line.starts_with("crm_pending_oldest_age_seconds ")),
        "{metrics}"
    );
}

async fn full_mailbox_is_counted_apart(database: Database) {
    let store = migrated(&database).await;
    let full = || Reason {
        class: "mailbox-full".to_owned(),
        detail: "452 4.2.2".to_owned(),
    };
    let later = |recipient| {
        let outcome = Outcome::Retry {
            after: Duration::from_secs(3600),
            reason: full(),
            counts: true,
        };
        (recipient, outcome)
    };
    for number in [1, 2] {
        claim_results(&store, &claim_of(number, "one")).await;
        store
            .report(&report_of(number, "one", [delivered(ANNA), later(BERT)]))
            .await
            .unwrap();
    }
    assert_eq!(store.pending().await.unwrap().leads, 0);
    assert_eq!(store.full_mailboxes().await.unwrap(), 1);

    time_passes(&database).await;
    claim_results(&store, &claim_of(1, "one")).await;
    store
        .report(&report_of(1, "one", [(BERT, Outcome::Failed(full()))]))
        .await
        .unwrap();
    assert_eq!(store.failed_deliveries().await.unwrap(), 0);
    assert_eq!(store.full_mailboxes().await.unwrap(), 1);
    let visitor = Claim {
        visitor_daily_limit: 3,
        ..claim_for(3, &[VISITOR], "one")
    };
    claim_results(&store, &visitor).await;
    store
        .report(&report_of(3, "one", [later(VISITOR)]))
        .await
        .unwrap();
    assert_eq!(store.full_mailboxes().await.unwrap(), 1, "of the team only");
}

#[tokio::test]
async fn gauges_disappear_while_the_database_is_unavailable() {
    let database = postgres();
    drop(migrated(&database).await);
    let (through, target) = split(database.url());
    let proxy = Proxy::start(target).await.unwrap();
    let (context, _) = testkit::context("crm-sync");
    start(NO_BROKER, &through(proxy.address()), &context)
        .await
        .unwrap();
    let has_gauges = || {
        let metrics = String::from_utf8(context.metrics.encode().unwrap()).unwrap();
        ["crm_pending_leads ", "crm_failed_deliveries "].map(|name| metrics.contains(name))
    };
    wait::until("the gauges", async || has_gauges() == [true; 2]).await;
    proxy.cut();
    wait::until("no gauges", async || has_gauges() == [false; 2]).await;
}

async fn connections_are_counted(database: Database) {
    let store = migrated(&database).await;
    store.pending().await.unwrap();
    // A connection is pinged before it returns to the pool.
    wait::until("a free connection", async || store.connections().idle >= 1).await;
    let connections = store.connections();
    assert!(connections.used + connections.idle <= 5, "{connections:?}");
}
