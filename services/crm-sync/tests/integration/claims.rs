//! Claiming a recipient: one at a time, each once.

use std::time::Duration;

use crm_sync::{
    domain::{
        ledger::{Answer, Claim},
        road::Road,
    },
    store::Store,
};
use futures_util::future::join_all;
use testkit::{database::Database, wait};
use uuid::Uuid;

use crate::support::{
    ANNA, BERT, claim_of, lease_for, migrated, numbers, on_both_databases, settings, told_of,
};

on_both_databases! {
    a_claim_stores_the_lead_and_its_recipients,
    of_many_who_claim_at_once_one_is_granted,
    a_claim_is_its_holders_until_it_expires,
    who_was_told_is_not_claimed_again,
    who_was_told_before_there_was_a_ledger_is_not_claimed,
}

async fn answer(store: &Store, claim: &Claim) -> Answer {
    store.claim(claim).await.unwrap().answer
}

async fn a_claim_stores_the_lead_and_its_recipients(database: Database) {
    let store = migrated(&database).await;
    let claim = claim_of(1, ANNA, "one");
    let claimed = store.claim(&claim).await.unwrap();
    assert_eq!(claimed.answer, Answer::Granted { attempt: 1 });
    assert_eq!(claimed.recorded.created, 1);
    let stored = store.lead(Uuid::from_u128(1)).await.unwrap().unwrap();
    assert!(stored.submission == claim.submission && stored.road == Road::Claim);

    // Bert is still to be told, so the lead is leased although Anna is held.
    assert_eq!(numbers(&store.lease(&lease_for("two")).await.unwrap()), [1]);
    store.record_told(Road::Broker, &[told_of(1, ANNA), told_of(1, BERT)]).await.unwrap();
    assert!(store.lease(&lease_for("two")).await.unwrap().is_empty());
}

async fn of_many_who_claim_at_once_one_is_granted(database: Database) {
    // Two processes, as it were.
    let (one, two) = (migrated(&database).await, Store::open(&settings(database.url())).await.unwrap());
    for number in 1..=10 {
        if number > 5 {
            // The lead is there, and Anna is known to be untold.
            answer(&one, &claim_of(number, BERT, "one")).await;
        }
        let answers = join_all((0..16).map(|holder| {
            let store = if holder % 2 == 0 { one.clone() } else { two.clone() };
            async move { answer(&store, &claim_of(number, ANNA, &format!("holder-{holder}"))).await }
        }))
        .await;
        let granted = answers.iter().filter(|answer| **answer == Answer::Granted { attempt: 1 }).count();
        let held = answers.iter().filter(|answer| matches!(answer, Answer::Held { .. })).count();
        assert_eq!((granted, held), (1, 15), "{answers:?}");
    }
}

async fn a_claim_is_its_holders_until_it_expires(database: Database) {
    let store = migrated(&database).await;
    assert_eq!(answer(&store, &claim_of(1, ANNA, "one")).await, Answer::Granted { attempt: 1 });
    let held = answer(&store, &claim_of(1, ANNA, "two")).await;
    let (shortest, longest) = (Duration::from_secs(10), Duration::from_secs(60));
    assert!(
        matches!(held, Answer::Held { remaining } if remaining > shortest && remaining <= longest),
        "{held:?}"
    );
    assert_eq!(answer(&store, &claim_of(1, BERT, "two")).await, Answer::Granted { attempt: 1 }, "another");

    let short = Claim { lease: Duration::from_millis(1), ..claim_of(1, ANNA, "one") };
    assert_eq!(answer(&store, &short).await, Answer::Granted { attempt: 2 }, "the holder may ask again");
    wait::until("the claim's end", async || {
        answer(&store, &claim_of(1, ANNA, "two")).await == Answer::Granted { attempt: 3 }
    })
    .await;
    assert!(matches!(answer(&store, &short).await, Answer::Held { .. }), "the holder has changed");
}

async fn who_was_told_is_not_claimed_again(database: Database) {
    let store = migrated(&database).await;
    store.record_told(Road::Broker, &[told_of(1, ANNA)]).await.unwrap();
    assert_eq!(answer(&store, &claim_of(1, ANNA, "one")).await, Answer::AlreadyTold);
    assert_eq!(answer(&store, &claim_of(1, BERT, "one")).await, Answer::Granted { attempt: 1 });
}

async fn who_was_told_before_there_was_a_ledger_is_not_claimed(database: Database) {
    let store = migrated(&database).await;
    store.record_told(Road::Broker, &[told_of(1, ANNA)]).await.unwrap();
    crate::support::execute(database.url(), "DELETE FROM recipient").await;
    let claim = Claim { recipients: vec![ANNA.to_owned()], ..claim_of(1, ANNA, "one") };
    assert_eq!(answer(&store, &claim).await, Answer::AlreadyTold);
    assert!(store.lease(&lease_for("two")).await.unwrap().is_empty(), "and the lead is closed");
}
