//! Matching leads to people by email address, or by phone number and name.

use ::lead::{Interest, Lead, field::timestamp};
use crm_sync::{
    db::Store,
    deliveries::Claim,
    leads::{Contact, Source},
};
use futures_util::future::join_all;
use testkit::database::Database;
use uuid::Uuid;

use crate::support::{
    claim_of, connect, get_lead, lead_from, migrated, number_of_id, on_both_databases, on_sqlite,
    query_column, reference,
};

on_both_databases! {
    concurrent_leads_on_two_replicas_share_their_person,
}

on_sqlite! {
    either_key_in_any_spelling_identifies_the_person,
    shared_number_relates_people_and_merges_nobody,
    lead_between_two_known_people_is_marked,
    repeated_leads_add_no_keys,
    related_leads_are_listed_newest_first,
    grant_lists_earlier_leads_of_the_mailbox,
}

const WEI: &str = "wei@example.com";

/// The person of each lead, as the number of the person's first lead.
async fn people_of<const N: usize>(store: &Store, numbers: [u128; N]) -> [u128; N] {
    let mut contacts = [0; N];
    for (contact, number) in contacts.iter_mut().zip(numbers) {
        *contact = contact_of(store, number).await.id.as_u128();
    }
    contacts
}

async fn contact_of(store: &Store, number: u128) -> Contact {
    let lead = get_lead(store, number).await;
    Contact {
        id: lead.contact_id.parse().unwrap(),
        conflicting: lead.conflicting_contact_id.parse().ok(),
    }
}

async fn keys(database: &Database) -> usize {
    query_column(database.url(), "SELECT value FROM contact_key")
        .await
        .len()
}

async fn either_key_in_any_spelling_identifies_the_person(database: Database) {
    let store = migrated(&database).await;
    for lead in [
        lead_from(1, WEI, "+65 9123 4567"),
        lead_from(2, " WEI@Example.com", "81234567"),
        lead_from(3, "other@example.com", "(65) 9123-4567"),
        lead_from(4, "wei@EXAMPLE.com", "９１２３ ４５６７"),
        lead_from(5, "stranger@example.com", "no number"),
        lead_from(6, "nobody@example.com", "no number"),
    ] {
        store.record_leads(Source::Broker, &[lead]).await.unwrap();
    }
    assert_eq!(
        people_of(&store, [1, 2, 3, 4, 5, 6]).await,
        [1, 1, 1, 1, 5, 6]
    );
    assert_eq!(
        keys(&database).await,
        6,
        "two phone numbers and four addresses"
    );
    for number in 1..=6 {
        assert_eq!(contact_of(&store, number).await.conflicting, None);
    }
}

async fn shared_number_relates_people_and_merges_nobody(database: Database) {
    let store = migrated(&database).await;
    let named = |lead: Lead, name: &str| Lead {
        name: name.into(),
        ..lead
    };
    let leads = [
        lead_from(1, WEI, "9123 4567"),
        named(lead_from(2, "mei@example.com", "+65 9123 4567"), "Lim Mei"),
        // The same name in another spelling, with another address.
        named(lead_from(3, "lim@example.com", "91234567"), "mei, LIM"),
        // A different name.
        named(lead_from(4, "chen@example.com", "91234567"), "Chen Wei"),
    ];
    for lead in &leads {
        store
            .record_leads(Source::Broker, std::slice::from_ref(lead))
            .await
            .unwrap();
    }
    assert_eq!(people_of(&store, [1, 2, 3, 4]).await, [1, 2, 2, 4]);
    let claimed = store
        .claim(&Claim {
            submission: leads[2].clone(),
            ..claim_of(3, "one")
        })
        .await
        .unwrap();
    assert!(
        claimed.context.earlier.is_empty(),
        "emails quote no lead of another mailbox"
    );
    assert_eq!(
        claimed.context.same_number,
        [reference(4), reference(2), reference(1)],
        "newest first, also with the same name"
    );
    let shown = get_lead(&store, 3).await;
    let related = shown.related.iter().map(|it| number_of_id(&it.lead_id));
    assert_eq!(related.collect::<Vec<_>>(), [2]);
    assert_eq!(shown.same_number, [reference(4), reference(1)]);
    let lonely = Claim {
        submission: lead_from(5, "new@example.com", "81234567"),
        ..claim_of(5, "one")
    };
    let lonely = store.claim(&lonely).await.unwrap();
    assert!(lonely.context.earlier.is_empty() && lonely.context.same_number.is_empty());
}

async fn lead_between_two_known_people_is_marked(database: Database) {
    let store = migrated(&database).await;
    let between = lead_from(3, WEI, "81234567");
    for lead in [
        lead_from(1, WEI, "91234567"),
        lead_from(2, "mei@example.com", "81234567"),
        between,
    ] {
        store.record_leads(Source::Broker, &[lead]).await.unwrap();
    }
    let (wei, mei) = (Uuid::from_u128(1), Uuid::from_u128(2));
    assert_eq!(
        contact_of(&store, 3).await,
        Contact {
            id: wei,
            conflicting: Some(mei)
        }
    );
    store
        .record_leads(
            Source::Broker,
            &[lead_from(4, "mei@example.com", "81234567")],
        )
        .await
        .unwrap();
    assert_eq!(
        contact_of(&store, 4).await,
        Contact {
            id: mei,
            conflicting: None
        },
        "both people stay unchanged"
    );
    assert_eq!(people_of(&store, [1, 2]).await, [1, 2]);
}

async fn repeated_leads_add_no_keys(database: Database) {
    let store = migrated(&database).await;
    let batch = [
        lead_from(2, WEI, "91234567"),
        lead_from(1, WEI, "81234567"),
        lead_from(2, WEI, "91234567"),
    ];
    assert_eq!(
        store
            .record_leads(Source::Broker, &batch)
            .await
            .unwrap()
            .created,
        2
    );
    assert_eq!(people_of(&store, [1, 2]).await, [1, 1]);
    let before = query_column(database.url(), "SELECT value FROM contact_key").await;
    for _ in 0..2 {
        assert_eq!(
            store
                .record_leads(Source::Grpc, &batch)
                .await
                .unwrap()
                .created,
            0
        );
    }
    // The first form and its keys are kept.
    let again = lead_from(1, "another@example.com", "61234567");
    assert_eq!(
        store
            .record_leads(Source::Grpc, &[again])
            .await
            .unwrap()
            .conflicts,
        1
    );
    assert_eq!(
        query_column(database.url(), "SELECT value FROM contact_key").await,
        before
    );
    assert_eq!(before.len(), 3);
}

async fn concurrent_leads_on_two_replicas_share_their_person(database: Database) {
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    for round in 0..5u128 {
        // Four people with one address and one number each, in sixteen batches of different order.
        let batches = (0..16u128).map(|batch| {
            let store = if batch % 2 == 0 {
                one.clone()
            } else {
                two.clone()
            };
            let leads: Vec<_> = (0..8)
                .map(|lead| {
                    let person = round * 4 + (lead + batch) % 4;
                    let number = 1 + round * 1000 + batch * 8 + lead;
                    lead_from(
                        number,
                        &format!("p{person}@example.com"),
                        &format!("9{person:07}"),
                    )
                })
                .collect();
            async move { store.record_leads(Source::Broker, &leads).await }
        });
        for recorded in join_all(batches).await {
            assert_eq!(recorded.unwrap().created, 8);
        }
    }
    let people = "SELECT CAST(count(DISTINCT contact_id) AS text) FROM";
    assert_eq!(
        query_column(database.url(), &format!("{people} lead")).await,
        ["20"]
    );
    assert_eq!(
        query_column(database.url(), &format!("{people} contact_key")).await,
        ["20"]
    );
    assert_eq!(keys(&database).await, 40);
    let torn = "SELECT 'torn' FROM lead GROUP BY email_key HAVING count(DISTINCT contact_id) > 1";
    assert!(query_column(database.url(), torn).await.is_empty());
    assert!(
        query_column(
            database.url(),
            "SELECT 'x' FROM lead WHERE conflicting_contact_id IS NOT NULL"
        )
        .await
        .is_empty()
    );
}

async fn related_leads_are_listed_newest_first(database: Database) {
    let store = migrated(&database).await;
    let leads: Vec<_> = (1..=60)
        .map(|number| lead_from(number, WEI, "91234567"))
        .collect();
    store.record_leads(Source::Broker, &leads).await.unwrap();
    store
        .record_leads(
            Source::Broker,
            &[lead_from(70, "mei@example.com", "81234567")],
        )
        .await
        .unwrap();
    let related = async |number| get_lead(&store, number).await.related;
    let shown: Vec<_> = related(30)
        .await
        .iter()
        .map(|other| number_of_id(&other.lead_id))
        .collect();
    let expected: Vec<_> = (1..=60)
        .rev()
        .filter(|number| *number != 30)
        .take(50)
        .collect();
    assert_eq!(shown, expected);
    let newest = related(30).await.remove(0);
    assert!(
        newest.reference == leads[59].reference.as_str()
            && newest.submitted_at == Some(timestamp(leads[59].submitted_at))
    );
    let interests = leads[59].interests.iter().map(|it| Interest::number(*it));
    assert_eq!(newest.interests, interests.collect::<Vec<i32>>());
    assert!(related(70).await.is_empty());
}

async fn grant_lists_earlier_leads_of_the_mailbox(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[lead_from(9, WEI, "91234567")])
        .await
        .unwrap();
    for number in 1..=4 {
        let mut claim = claim_of(number, "one");
        let spelling = ["wei@example.com", "WEI+zyon@example.com"][usize::from(number % 2 == 0)];
        claim.submission = lead_from(number, spelling, "91234567");
        let claimed = store.claim(&claim).await.unwrap();
        let earlier: Vec<_> = claimed
            .context
            .earlier
            .iter()
            .map(|it| number_of_id(&it.lead_id))
            .collect();
        assert_eq!(earlier, (1..number).collect::<Vec<_>>(), "oldest first");
        let held = store
            .claim(&crm_sync::deliveries::Claim {
                holder: "two".to_owned(),
                ..claim
            })
            .await;
        assert!(
            held.unwrap().context.earlier.is_empty(),
            "earlier leads need a grant"
        );
    }
}
