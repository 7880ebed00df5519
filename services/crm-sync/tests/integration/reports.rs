//! What came of mailing: whoever says it, in whatever order.

use std::time::Duration;

use crm_sync::{
    domain::{
        ledger::{Answer, Outcome},
        road::Road,
    },
    store::Store,
};
use testkit::database::Database;
use uuid::Uuid;

use crate::support::{
    ANNA, BERT, claim_of, lease_for, migrated, numbers, on_both_databases, reason, setback, submission,
    told_of,
};

on_both_databases! {
    told_counts_from_anybody_once_and_for_ever,
    told_may_come_before_the_lead_twice_and_after_parked,
    a_batch_may_tell_the_same_twice_and_of_several_leads,
    setbacks_count_only_from_the_claims_holder,
    who_is_released_is_free_at_once,
    who_waits_is_granted_again,
    a_lead_whose_recipients_are_parked_is_closed_until_it_is_replayed,
}

fn parked() -> Outcome {
    Outcome::Parked(reason())
}

fn waiting() -> Outcome {
    Outcome::Waiting { at_least: Duration::from_secs(3600), reason: reason() }
}

async fn report(store: &Store, recipient: &str, holder: &str, outcome: Outcome) -> bool {
    store.record_setback(&setback(1, recipient, holder, outcome)).await.unwrap()
}

async fn claim(store: &Store, recipient: &str, holder: &str) -> Answer {
    store.claim(&claim_of(1, recipient, holder)).await.unwrap().answer
}

async fn is_leased(store: &Store) -> bool {
    numbers(&store.lease(&lease_for("reconciler")).await.unwrap()) == [1]
}

async fn told_counts_from_anybody_once_and_for_ever(database: Database) {
    let store = migrated(&database).await;
    claim(&store, ANNA, "one").await;
    assert_eq!(store.record_told(Road::Grpc, &[told_of(1, ANNA)]).await.unwrap(), 1);
    assert_eq!(store.record_told(Road::Broker, &[told_of(1, ANNA)]).await.unwrap(), 0, "counted once");
    for outcome in [waiting(), parked(), Outcome::Released] {
        assert!(!report(&store, ANNA, "one", outcome).await, "the claim is over");
    }
    assert_eq!(claim(&store, ANNA, "one").await, Answer::AlreadyTold);
    let lead = store.lead(Uuid::from_u128(1)).await.unwrap().unwrap();
    assert_eq!(lead.notifications.len(), 1);
}

async fn told_may_come_before_the_lead_twice_and_after_parked(database: Database) {
    let store = migrated(&database).await;
    store.record_told(Road::Broker, &[told_of(1, ANNA)]).await.unwrap();
    store.record_told(Road::Grpc, &[told_of(1, ANNA)]).await.unwrap();
    store.record_leads(Road::Broker, &[submission(1)]).await.unwrap();
    claim(&store, BERT, "one").await;
    assert!(report(&store, BERT, "one", parked()).await);
    assert!(!is_leased(&store).await, "told and parked");
    store.record_told(Road::Broker, &[told_of(1, BERT)]).await.unwrap();
    assert_eq!(claim(&store, BERT, "two").await, Answer::AlreadyTold);
    assert!(!is_leased(&store).await);
    let lead = store.lead(Uuid::from_u128(1)).await.unwrap().unwrap();
    assert_eq!(lead.notifications.len(), 2);
}

async fn a_batch_may_tell_the_same_twice_and_of_several_leads(database: Database) {
    let store = migrated(&database).await;
    let leads = [3, 1, 2].map(submission);
    store.record_leads(Road::Broker, &leads).await.unwrap();
    let batch = [(2, BERT), (1, ANNA), (2, BERT), (2, ANNA), (1, ANNA)];
    let batch = batch.map(|(number, recipient)| told_of(number, recipient));
    assert_eq!(store.record_told(Road::Broker, &batch).await.unwrap(), 3);
    let leased = numbers(&store.lease(&lease_for("one")).await.unwrap());
    assert_eq!(leased, [1, 3], "of the second everybody was told");
}

async fn setbacks_count_only_from_the_claims_holder(database: Database) {
    let store = migrated(&database).await;
    assert!(!report(&store, ANNA, "one", parked()).await, "of nothing");
    claim(&store, ANNA, "one").await;
    for outcome in [waiting(), parked(), Outcome::Released] {
        assert!(!report(&store, ANNA, "two", outcome.clone()).await, "another's");
        assert!(!report(&store, BERT, "one", outcome).await, "not claimed");
    }
    assert!(matches!(claim(&store, ANNA, "two").await, Answer::Held { .. }), "the claim stands");
    assert!(report(&store, ANNA, "one", waiting()).await);
    assert!(!report(&store, ANNA, "one", waiting()).await, "said twice");
    let lead = store.lead(Uuid::from_u128(1)).await.unwrap().unwrap();
    assert_eq!(store.history(&lead).await.unwrap().timeline.len(), 3, "and in the timeline once");
}

async fn who_is_released_is_free_at_once(database: Database) {
    let store = migrated(&database).await;
    claim(&store, ANNA, "one").await;
    claim(&store, BERT, "one").await;
    assert!(!is_leased(&store).await);
    assert!(report(&store, ANNA, "one", Outcome::Released).await);
    assert!(is_leased(&store).await);
    assert_eq!(claim(&store, ANNA, "two").await, Answer::Granted { attempt: 1 }, "it was no attempt");
    assert!(!is_leased(&store).await);
    assert!(report(&store, ANNA, "two", Outcome::Released).await);
    assert!(is_leased(&store).await, "the lease ended with it");
}

async fn who_waits_is_granted_again(database: Database) {
    let store = migrated(&database).await;
    claim(&store, ANNA, "one").await;
    report(&store, ANNA, "one", waiting()).await;
    // Whoever asks has a message that says it is time.
    assert_eq!(claim(&store, ANNA, "two").await, Answer::Granted { attempt: 2 });
}

async fn a_lead_whose_recipients_are_parked_is_closed_until_it_is_replayed(database: Database) {
    let store = migrated(&database).await;
    store.record_leads(Road::Grpc, &[submission(1)]).await.unwrap();
    assert!(is_leased(&store).await);
    for recipient in [ANNA, BERT] {
        claim(&store, recipient, "one").await;
        assert!(report(&store, recipient, "one", parked()).await);
    }
    assert!(!is_leased(&store).await);
    assert_eq!(claim(&store, ANNA, "replayed").await, Answer::Granted { attempt: 2 });
    assert!(report(&store, ANNA, "replayed", Outcome::Released).await);
    assert!(is_leased(&store).await, "open again, and its lease had ended");
}
