//! Leads whose time is over are erased, but never one that somebody is still to be told of.

use chrono::TimeDelta;
use crm_sync::{
    domain::{ledger::Outcome, road::Road},
    store::Store,
};
use testkit::{database::Database, wait};

use crate::support::{
    ANNA, BERT, NO_BROKER, TOKEN, claim_of, execute, from, migrated, on_both_databases, reason, setback,
    settings, submission, texts, told_of,
};

on_both_databases! {
    what_is_old_and_told_is_erased_and_nothing_else,
    many_are_erased_in_turn_by_two_replicas,
    a_service_erases_what_is_too_old,
}

/// Longer ago than leads of tests are, which are of a day in the future of some clocks and the past of others.
async fn make_old(database: &Database, references: &str) {
    let statement = format!("UPDATE lead SET submitted_at = '2020-01-01T00:00:00+00:00' WHERE {references}");
    execute(database.url(), &statement).await;
}

async fn tell(store: &Store, number: u128) {
    store.record_told(Road::Broker, &[told_of(number, ANNA), told_of(number, BERT)]).await.unwrap();
}

async fn left(database: &Database) -> Vec<String> {
    texts(database.url(), "SELECT reference FROM lead WHERE erased_at IS NULL ORDER BY reference").await
}

/// So that the year 2020 is over it, and next year is not.
fn age() -> TimeDelta {
    TimeDelta::days(365)
}

async fn what_is_old_and_told_is_erased_and_nothing_else(database: Database) {
    let store = migrated(&database).await;
    let future = "UPDATE lead SET submitted_at = '2999-01-01T00:00:00+00:00'";
    let leads: Vec<_> =
        (1..=5).map(|number| from(number, &format!("{number}@example.com"), "no number")).collect();
    store.record_leads(Road::Broker, &leads).await.unwrap();
    execute(database.url(), future).await;
    // 1 is told, 2 is new, 3 is parked for Bert, 4 waits, 5 is told and young.
    for number in [1, 5] {
        tell(&store, number).await;
    }
    for number in [3, 4] {
        store.record_told(Road::Broker, &[told_of(number, ANNA)]).await.unwrap();
        store
            .claim(&crm_sync::domain::ledger::Claim {
                submission: leads[usize::try_from(number).unwrap() - 1].clone(),
                ..claim_of(number, BERT, "one")
            })
            .await
            .unwrap();
    }
    let waiting = Outcome::Waiting { at_least: std::time::Duration::from_secs(9), reason: reason() };
    assert!(store.record_setback(&setback(3, BERT, "one", Outcome::Parked(reason()))).await.unwrap());
    assert!(store.record_setback(&setback(4, BERT, "one", waiting)).await.unwrap());
    make_old(&database, "reference < 'ZG-0000-05'").await;
    assert_eq!(store.erase_older_than(age()).await.unwrap(), 1);
    assert_eq!(store.erase_older_than(age()).await.unwrap(), 0);
    assert_eq!(left(&database).await, ["ZG-0000-02", "ZG-0000-03", "ZG-0000-04", "ZG-0000-05"]);
    let keys = texts(database.url(), "SELECT value FROM contact_key").await;
    assert!(keys.len() == 4 && !keys.contains(&"1@example.com".to_owned()), "{keys:?}");
    assert_eq!(
        store.record_leads(Road::Broker, &leads[..1]).await.unwrap().created,
        0,
        "it does not come back"
    );

    tell(&store, 3).await;
    assert_eq!(store.erase_older_than(age()).await.unwrap(), 1, "told after all");
    let audit = "SELECT client || ' ' || action || ' ' || CAST(leads AS text) FROM audit ORDER BY number";
    assert_eq!(texts(database.url(), audit).await, ["retention erase 1", "retention erase 1"]);
}

async fn many_are_erased_in_turn_by_two_replicas(database: Database) {
    let (one, two) = (migrated(&database).await, Store::open(&settings(database.url())).await.unwrap());
    let leads: Vec<_> = (1..=350).map(submission).collect();
    for leads in leads.chunks(100) {
        one.record_leads(Road::Broker, leads).await.unwrap();
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
    assert_eq!(by_one + by_two, 350, "each once");
    assert!(left(&database).await.is_empty());
    assert!(texts(database.url(), "SELECT value FROM contact_key").await.is_empty());
}

async fn a_service_erases_what_is_too_old(database: Database) {
    let store = migrated(&database).await;
    store.record_leads(Road::Broker, &[submission(1)]).await.unwrap();
    tell(&store, 1).await;
    make_old(&database, "reference <> ''").await;
    let (context, _) = testkit::context("crm-sync");
    let config = crm_sync::config::Config {
        grpc_addr: "127.0.0.1:0".parse().unwrap(),
        clients: format!("tests={TOKEN}").parse().unwrap(),
        messaging: messaging::Settings::new(NO_BROKER.into()),
        database: settings(database.url()),
        retention: Some(age()),
    };
    crm_sync::app::App::start(config, &context).await.unwrap();
    wait::until("the end of the lead", async || left(&database).await.is_empty()).await;
    let kept = store.claim(&claim_of(1, ANNA, "one")).await.unwrap().answer;
    assert_eq!(kept, crm_sync::domain::ledger::Answer::Erased);
}
