//! Corrected phone numbers.

use contracts::crm::v1::{LeadFilter, timeline_entry::Event};
use crm_sync::{
    db::{Store, error::StoreError},
    deliveries::Claim,
    leads::{Change, Recorded, Seen, Source},
    people::erase::Person,
    search::filter::Filter,
};
use futures_util::future::join3;
use testkit::database::Database;

use crate::support::{
    claim_of, contacted, get_lead, lead_from, lease_for, migrated, number_of, on_both_databases,
    on_postgres, query_column, reference,
};

on_both_databases! {
    concurrent_correction_and_lead_share_their_person,
}

on_postgres! {
    corrected_number_replaces_the_submitted_one,
    claim_relates_leads_by_the_corrected_number,
    corrected_number_identifies_the_person,
    corrected_number_of_another_person_marks_the_lead,
    corrected_number_follows_do_not_contact,
    stale_correction_changes_nothing,
}

const WEI: &str = "wei@example.com";
const WRONG: &str = "9123 4567";
const RIGHT: &str = "8765 4321";

fn correction(number: u128, mobile: &str) -> Change {
    let (state, author) = (None, "Mei".to_owned());
    Change {
        mobile: Some(mobile.to_owned()),
        state,
        author,
        ..contacted(number)
    }
}

async fn correct(store: &Store, number: u128, mobile: &str) {
    store
        .update_lead(&correction(number, mobile))
        .await
        .unwrap();
}

async fn record(store: &Store, number: u128, email: &str, mobile: &str) -> Recorded {
    store
        .record_leads(Source::Broker, &[lead_from(number, email, mobile)])
        .await
        .unwrap()
}

async fn search_numbers(store: &Store, text: &str) -> Vec<u128> {
    let filter = Filter::parse(LeadFilter {
        search: text.to_owned(),
        ..LeadFilter::default()
    })
    .unwrap();
    store
        .page(&filter, None, 9, &[])
        .await
        .unwrap()
        .leads
        .iter()
        .map(number_of)
        .collect()
}

async fn person_of(store: &Store, number: u128) -> (String, String) {
    let lead = get_lead(store, number).await;
    (lead.contact_id, lead.conflicting_contact_id)
}

async fn keys(database: &Database) -> Vec<String> {
    let mut keys = query_column(database.url(), "SELECT value FROM contact_key").await;
    keys.sort_unstable();
    keys
}

async fn corrected_number_replaces_the_submitted_one(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WEI, WRONG).await;
    for mobile in [RIGHT, RIGHT, "6123 4567"] {
        correct(&store, 1, mobile).await;
    }
    let lead = get_lead(&store, 1).await;
    assert_eq!(lead.submission.unwrap().mobile, "6123 4567");
    let corrected = lead
        .timeline
        .into_iter()
        .filter_map(|entry| match entry.event {
            Some(Event::NumberCorrected(it)) => Some([it.from, it.to, it.client].join(", ")),
            _ => None,
        });
    let expected = ["9123 4567, 8765 4321, Mei", "8765 4321, 6123 4567, Mei"];
    assert_eq!(
        corrected.collect::<Vec<_>>(),
        expected,
        "a repeated call changes nothing"
    );
    for number in ["6123 4567", "+65 9123 4567", "91234567"] {
        assert_eq!(search_numbers(&store, number).await, [1], "{number}");
    }

    let leased: lead::Lead = store
        .lease(&lease_for("one"))
        .await
        .unwrap()
        .leads
        .remove(0)
        .lead
        .unwrap()
        .try_into()
        .unwrap();
    assert!(leased.mobile == "6123 4567");
    let submitted = lead_from(1, WEI, WRONG);
    for submission in [leased, submitted.clone()] {
        let claim = Claim {
            submission,
            ..claim_of(1, "one")
        };
        assert_eq!(
            store.claim(&claim).await.unwrap().recorded,
            Recorded::default(),
            "no conflict"
        );
    }
    let again = store
        .record_leads(Source::Broker, &[submitted])
        .await
        .unwrap();
    assert_eq!(
        again,
        Recorded::default(),
        "a redelivered message is not a conflict"
    );
}

async fn claim_relates_leads_by_the_corrected_number(database: Database) {
    let store = migrated(&database).await;
    for (number, mobile) in [(1, WRONG), (2, RIGHT), (3, WRONG)] {
        let name = format!("Wei {number}").into();
        let lead = lead::Lead {
            name,
            ..lead_from(number, &format!("{number}@example.com"), mobile)
        };
        store.record_leads(Source::Broker, &[lead]).await.unwrap();
    }
    correct(&store, 1, RIGHT).await;
    let name = "Wei 1".into();
    let submission = lead::Lead {
        name,
        ..lead_from(1, "1@example.com", WRONG)
    };
    let claimed = store
        .claim(&Claim {
            submission,
            ..claim_of(1, "one")
        })
        .await
        .unwrap();
    assert_eq!(claimed.same_number, [reference(2)]);
}

async fn corrected_number_identifies_the_person(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WEI, WRONG).await;
    correct(&store, 1, RIGHT).await;
    record(&store, 2, "home@example.com", RIGHT).await;
    record(&store, 3, "stranger@example.com", WRONG).await;
    let [one, two, three] = [1, 2, 3].map(|number| person_of(&store, number));
    let (one, two, three) = (one.await, two.await, three.await);
    assert_eq!(one, two);
    assert_ne!(one, three, "the old number does not identify the person");
    store
        .erase_person(&Person::parse(WEI).unwrap(), &[], "tests")
        .await
        .unwrap();
    let number = |digits: &str| format!("+65{digits} 陈伟");
    let expected = [
        number("87654321"),
        number("91234567"),
        "home@example.com".into(),
        "stranger@example.com".into(),
    ];
    assert_eq!(keys(&database).await, expected);
}

async fn corrected_number_of_another_person_marks_the_lead(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WEI, WRONG).await;
    record(&store, 2, "home@example.com", RIGHT).await;
    let (wei, home) = (person_of(&store, 1).await.0, person_of(&store, 2).await.0);
    correct(&store, 1, RIGHT).await;
    assert_eq!(person_of(&store, 1).await, (wei.clone(), home));
    correct(&store, 1, WRONG).await;
    assert_eq!(person_of(&store, 1).await, (wei, String::new()));
}

async fn corrected_number_follows_do_not_contact(database: Database) {
    let store = migrated(&database).await;
    let is_marked = async |number| {
        get_lead(&store, number)
            .await
            .progress
            .unwrap()
            .do_not_contact_at
            .is_some()
    };
    record(&store, 1, WEI, WRONG).await;
    store
        .update_lead(&Change {
            do_not_contact: Some(true),
            ..contacted(1)
        })
        .await
        .unwrap();
    correct(&store, 1, RIGHT).await;
    store
        .erase_person(&Person::parse(WEI).unwrap(), &[], "tests")
        .await
        .unwrap();
    for (number, mobile) in [(2, RIGHT), (3, WRONG)] {
        record(&store, number, &format!("{number}@example.com"), mobile).await;
        assert!(is_marked(number).await, "{mobile}");
    }
    record(&store, 4, "4@example.com", "6123 4567").await;
    assert!(!is_marked(4).await);
    let progress = store.update_lead(&correction(4, RIGHT)).await.unwrap();
    assert!(
        progress.do_not_contact_at.is_some() && is_marked(4).await,
        "the number is suppressed"
    );
}

async fn stale_correction_changes_nothing(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WEI, WRONG).await;
    store.update_lead(&contacted(1)).await.unwrap();
    let stale = Change {
        seen: Some(Seen(None)),
        note: "x".to_owned(),
        owner: Some("Mei".to_owned()),
        ..correction(1, RIGHT)
    };
    assert!(matches!(
        store.update_lead(&stale).await,
        Err(StoreError::Changed)
    ));
    assert!(matches!(
        store.update_lead(&correction(2, RIGHT)).await,
        Err(StoreError::NoSuchLead(_))
    ));
    assert_eq!(get_lead(&store, 1).await.submission.unwrap().mobile, WRONG);
    assert_eq!(keys(&database).await, ["+6591234567 陈伟", WEI]);
}

/// The visitor submits the right number while a salesperson types it; a colleague forbids contact.
async fn concurrent_correction_and_lead_share_their_person(database: Database) {
    let store = migrated(&database).await;
    for round in 0..15 {
        let (email, right) = (format!("{round}@example.com"), format!("8765 43{round:02}"));
        let [first, second] = [2 * round + 1, 2 * round + 2];
        record(&store, first, &email, WRONG).await;
        let lead = [lead_from(second, &email, &right)];
        let (correction, forbidden) = (
            correction(first, &right),
            Change {
                do_not_contact: Some(true),
                state: None,
                ..contacted(first)
            },
        );
        let (corrected, marked, recorded) = join3(
            store.update_lead(&correction),
            store.update_lead(&forbidden),
            store.record_leads(Source::Broker, &lead),
        )
        .await;
        assert!(corrected.is_ok(), "{:?}", corrected.err());
        assert!(marked.is_ok(), "{:?}", marked.err());
        assert_eq!(recorded.unwrap().created, 1);
        assert_eq!(
            person_of(&store, first).await,
            person_of(&store, second).await
        );
    }
}
