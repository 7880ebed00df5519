//! Merging and splitting people.

use contracts::crm::v1::timeline_entry::Event;
use crm_sync::{
    db::{Store, error::StoreError},
    leads::Source,
};
use futures_util::future::join_all;
use lead::SpamSignal;
use testkit::database::Database;
use uuid::Uuid;

use crate::support::{
    connect, get_lead, lead_from, migrated, on_both_databases, on_postgres, reference,
};

on_both_databases! {
    leads_stored_during_a_merge_belong_to_the_merged_person,
}

on_postgres! {
    merge_moves_all_leads_and_keys,
    split_moves_keys_used_by_no_other_lead,
    split_keeps_the_person_of_the_first_lead,
    invalid_merge_or_split_changes_nothing,
}

const ANNA: &str = "anna@example.com";
const BERT: &str = "bert@example.com";

async fn record(store: &Store, number: u128, email: &str) {
    let lead = [lead_from(number, email, "no number")];
    store.record_leads(Source::Grpc, &lead).await.unwrap();
}

/// The numbers of leads that moved, in order.
fn in_order(moved: Result<Vec<Uuid>, StoreError>) -> Vec<u128> {
    let mut moved: Vec<_> = moved.unwrap().iter().map(Uuid::as_u128).collect();
    moved.sort_unstable();
    moved
}

/// Moves the leads of the person of `joining` to the person of `kept`.
async fn merge(store: &Store, kept: u128, joining: u128) -> Vec<u128> {
    in_order(
        store
            .merge_people(Uuid::from_u128(kept), Uuid::from_u128(joining), "mei")
            .await,
    )
}

async fn split<const N: usize>(store: &Store, leads: [u128; N]) -> Vec<u128> {
    in_order(store.split_person(&leads.map(Uuid::from_u128), "mei").await)
}

/// The person of each lead.
async fn people<const N: usize>(store: &Store, leads: [u128; N]) -> [u128; N] {
    let mut people = [0; N];
    for (place, number) in leads.into_iter().enumerate() {
        people[place] = get_lead(store, number)
            .await
            .contact_id
            .parse::<Uuid>()
            .unwrap()
            .as_u128();
    }
    people
}

async fn person_changes(store: &Store, number: u128) -> Vec<(String, String)> {
    let events = get_lead(store, number)
        .await
        .timeline
        .into_iter()
        .filter_map(|entry| entry.event);
    let changes = events.filter_map(|event| {
        let Event::PersonChanged(it) = event else {
            return None;
        };
        Some((it.reference, it.client))
    });
    changes.collect()
}

async fn merge_moves_all_leads_and_keys(database: Database) {
    let store = migrated(&database).await;
    for (number, email) in [(1, ANNA), (2, BERT), (3, BERT)] {
        record(&store, number, email).await;
    }
    assert_eq!(merge(&store, 1, 3).await, [2, 3]);
    assert_eq!(merge(&store, 1, 3).await, [0; 0], "already merged");
    record(&store, 4, BERT).await;
    record(&store, 5, ANNA).await;
    assert_eq!(people(&store, [1, 2, 3, 4, 5]).await, [1; 5]);
    let mei = |number| vec![(reference(number), "mei".to_owned())];
    assert_eq!(
        (
            person_changes(&store, 1).await,
            person_changes(&store, 2).await
        ),
        (mei(3), mei(1))
    );
    assert!(person_changes(&store, 4).await.is_empty());
}

async fn split_moves_keys_used_by_no_other_lead(database: Database) {
    let store = migrated(&database).await;
    for (number, email) in [(1, ANNA), (2, BERT), (3, BERT)] {
        record(&store, number, email).await;
    }
    assert_eq!(merge(&store, 1, 2).await, [2, 3]);
    assert_eq!(split(&store, [2]).await, [2]);
    record(&store, 4, BERT).await;
    assert_eq!(
        people(&store, [1, 2, 3, 4]).await,
        [1, 2, 1, 1],
        "lead 3 has the address too"
    );
    assert_eq!(split(&store, [4, 3]).await, [3, 4]);
    record(&store, 5, BERT).await;
    record(&store, 6, ANNA).await;
    assert_eq!(people(&store, [3, 4, 5, 6]).await, [3, 3, 3, 1]);
    assert_eq!(
        person_changes(&store, 4).await,
        [(String::new(), "mei".to_owned())]
    );
    assert_eq!(
        split(&store, [3, 4, 5]).await,
        [0; 0],
        "the person has no other lead"
    );
}

async fn split_keeps_the_person_of_the_first_lead(database: Database) {
    let store = migrated(&database).await;
    for (number, email) in [(1, ANNA), (2, BERT), (3, BERT)] {
        record(&store, number, email).await;
    }
    merge(&store, 1, 2).await;
    assert_eq!(split(&store, [1]).await, [2, 3]);
    assert_eq!(people(&store, [1, 2, 3]).await, [1, 2, 2]);
}

async fn invalid_merge_or_split_changes_nothing(database: Database) {
    let store = migrated(&database).await;
    for (number, email) in [(1, ANNA), (2, BERT), (3, "carl@example.com")] {
        record(&store, number, email).await;
    }
    let mut canary = lead_from(4, "canary@example.com", "00000000");
    canary.signals = vec![SpamSignal::Canary];
    store.record_leads(Source::Grpc, &[canary]).await.unwrap();
    store
        .erase_people(&[], &[Uuid::from_u128(3)], "leadctl")
        .await
        .unwrap();
    let [one, two] = [1, 2].map(Uuid::from_u128);
    for unknown in [3, 4, 9].map(Uuid::from_u128) {
        for refused in [
            store.merge_people(two, unknown, "mei").await,
            store.merge_people(unknown, one, "mei").await,
            store.split_person(&[unknown], "mei").await,
        ] {
            assert!(
                matches!(refused, Err(StoreError::NoSuchLead(id)) if id == unknown),
                "{refused:?}"
            );
        }
    }
    let refused = store.split_person(&[one, two], "mei").await;
    assert!(
        matches!(refused, Err(StoreError::SeveralPeople)),
        "{refused:?}"
    );
    assert_eq!(people(&store, [1, 2]).await, [1, 2]);
}

async fn leads_stored_during_a_merge_belong_to_the_merged_person(database: Database) {
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    for round in 0..5u128 {
        let (first, emails) = (
            1000 + round * 100,
            [format!("a{round}@x.co"), format!("b{round}@x.co")],
        );
        record(&one, first, &emails[0]).await;
        record(&one, first + 1, &emails[1]).await;
        let merge = async {
            merge(&one, first, first + 1).await;
        };
        let recordings = join_all((2..12).map(|number| {
            let (store, email) = (two.clone(), emails[(number % 2) as usize].clone());
            async move { record(&store, first + number, &email).await }
        }));
        futures_util::join!(merge, recordings);
        for number in 0..12 {
            assert_eq!(
                people(&one, [first + number]).await,
                [first],
                "lead {number}"
            );
        }
    }
}
