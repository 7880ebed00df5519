//! Corrected names, phone numbers and email addresses.

use std::time::Duration;

use contracts::{
    crm::v1::{LeadFilter, timeline_entry::Event},
    leads::v1::Reason,
};
use crm_sync::{
    db::{Store, error::StoreError},
    deliveries::{Claim, ClaimResult, Lease},
    leads::{Change, Recorded, Seen, Source},
    people::person::Person,
    search::filter::Filter,
};
use futures_util::future::join3;
use lead::{Outcome, field::optional_time};
use messaging::Verdict;
use testkit::database::Database;

use crate::support::{
    GRANTED, VISITOR, claim_for, claim_of, claim_results, contacted, delivered, everything,
    get_lead, handle, lead_from, lease_for, leases_end, migrated, number_of, on_both_databases,
    on_postgres, query_column, reference, report_of, time_passes, withdraw, withdrawn_by,
};

on_both_databases! {
    concurrent_correction_and_lead_share_their_person,
    concurrent_email_correction_and_lead_are_related,
    link_sent_to_a_wrong_address_withdraws_for_that_mailbox_only,
    erasure_removes_earlier_values,
    colleague_does_not_overwrite_a_correction,
}

on_postgres! {
    corrected_number_replaces_the_submitted_one,
    claim_relates_leads_by_the_corrected_number,
    corrected_number_identifies_the_person,
    corrected_number_of_another_person_marks_the_lead,
    corrected_number_follows_do_not_contact,
    stale_correction_changes_nothing,
    corrected_name_replaces_the_submitted_one,
    corrected_email_replaces_the_submitted_one,
    corrected_email_identifies_the_person,
    lead_linked_by_a_wrong_address_gets_its_own_person,
    corrected_email_follows_do_not_contact,
    withdrawal_by_a_wrong_address_stays_on_its_lead,
    undelivered_emails_go_to_the_corrected_address,
    email_claimed_for_the_wrong_address_goes_to_the_corrected_one,
}

const WEI: &str = "wei@example.com";
const WRONG: &str = "9123 4567";
const RIGHT: &str = "8765 4321";
const WRONG_EMAIL: &str = "wrong@example.com";
const RIGHT_EMAIL: &str = "right@example.com";

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

fn name_correction(number: u128, name: &str) -> Change {
    Change {
        name: Some(name.to_owned()),
        mobile: None,
        ..correction(number, "")
    }
}

fn email_correction(number: u128, email: &str) -> Change {
    Change {
        email: Some(email.to_owned()),
        mobile: None,
        ..correction(number, "")
    }
}

async fn correct_email(store: &Store, number: u128, email: &str) {
    store
        .update_lead(&email_correction(number, email))
        .await
        .unwrap();
}

async fn is_marked(store: &Store, number: u128) -> bool {
    let progress = get_lead(store, number).await.progress.unwrap();
    progress.do_not_contact_at.is_some()
}

/// Stores a new lead, and returns whether it is marked from the start.
async fn is_marked_from_the_start(store: &Store, number: u128, email: &str, mobile: &str) -> bool {
    record(store, number, email, mobile).await;
    is_marked(store, number).await
}

/// A claim of the emails to the visitor of a lead.
fn visitor_claim(submission: lead::Lead) -> Claim {
    let number = submission.id.as_u128();
    Claim {
        submission,
        visitor_daily_limit: 3,
        ..claim_for(number, &[VISITOR], "one")
    }
}

async fn corrected_name_replaces_the_submitted_one(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WEI, WRONG).await;
    for name in ["Chen Wei", "Chen Wei", "Tan Wei Ming"] {
        store.update_lead(&name_correction(1, name)).await.unwrap();
    }
    let lead = get_lead(&store, 1).await;
    assert_eq!(lead.submission.unwrap().name, "Tan Wei Ming");
    let corrected = lead
        .timeline
        .into_iter()
        .filter_map(|entry| match entry.event {
            Some(Event::NameCorrected(it)) => Some([it.from, it.to, it.client].join(", ")),
            _ => None,
        });
    assert_eq!(
        corrected.collect::<Vec<_>>(),
        ["陈伟, Chen Wei, Mei", "Chen Wei, Tan Wei Ming, Mei"]
    );
    for name in ["tan wei", "陈伟"] {
        assert_eq!(search_numbers(&store, name).await, [1], "{name}");
    }
    assert_eq!(keys(&database).await, ["+6591234567 ming tan wei", WEI]);
    for name in ["陈伟", "Chen Wei", "Tan Wei Ming"] {
        let name = name.into();
        let sent = lead::Lead {
            name,
            ..lead_from(1, WEI, WRONG)
        };
        let again = store.record_leads(Source::Broker, &[sent]).await.unwrap();
        assert_eq!(again, Recorded::default(), "not a conflict");
    }
}

async fn corrected_email_replaces_the_submitted_one(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WRONG_EMAIL, WRONG).await;
    for email in ["between@example.com", "between@example.com", RIGHT_EMAIL] {
        correct_email(&store, 1, email).await;
    }
    let lead = get_lead(&store, 1).await;
    assert_eq!(lead.submission.unwrap().email, RIGHT_EMAIL);
    let corrected = lead
        .timeline
        .into_iter()
        .filter_map(|entry| match entry.event {
            Some(Event::EmailCorrected(it)) => Some([it.from, it.to, it.client].join(", ")),
            _ => None,
        });
    assert_eq!(
        corrected.collect::<Vec<_>>(),
        [
            "wrong@example.com, between@example.com, Mei",
            "between@example.com, right@example.com, Mei"
        ]
    );
    for text in ["right@", "wrong@", "ri", "wr", "9123 4567"] {
        assert_eq!(search_numbers(&store, text).await, [1], "{text}");
    }
    assert_eq!(keys(&database).await, ["+6591234567 陈伟", RIGHT_EMAIL]);
    for email in [WRONG_EMAIL, "between@example.com", RIGHT_EMAIL] {
        let sent = lead_from(1, email, WRONG);
        let again = store.record_leads(Source::Broker, &[sent]).await.unwrap();
        assert_eq!(again, Recorded::default(), "not a conflict: {email}");
    }
    let all = Change {
        mobile: Some(RIGHT.to_owned()),
        email: Some(WEI.to_owned()),
        ..name_correction(1, "Wei")
    };
    store.update_lead(&all).await.unwrap();
    assert_eq!(keys(&database).await, ["+6587654321 wei", WEI]);
}

async fn corrected_email_identifies_the_person(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WRONG_EMAIL, WRONG).await;
    correct_email(&store, 1, RIGHT_EMAIL).await;
    record(&store, 2, RIGHT_EMAIL, RIGHT).await;
    record(&store, 3, WRONG_EMAIL, "6123 4567").await;
    let one = person_of(&store, 1).await;
    assert_eq!(one, person_of(&store, 2).await);
    assert_ne!(one, person_of(&store, 3).await);
    // The corrected address belongs to another person.
    record(&store, 4, WEI, "6223 4567").await;
    correct_email(&store, 4, RIGHT_EMAIL).await;
    let (four, conflicting) = person_of(&store, 4).await;
    assert_ne!(four, one.0);
    assert_eq!(conflicting, one.0);
}

/// The visitor mistypes the address, which is another visitor's.
async fn lead_linked_by_a_wrong_address_gets_its_own_person(database: Database) {
    let store = migrated(&database).await;
    // Either the stranger or the visitor was first.
    for (visitor, stranger) in [(2, 1), (3, 4)] {
        let email = format!("{stranger}@example.com");
        let right = format!("right{visitor}@example.com");
        let mine = format!("8765 432{visitor}");
        let theirs = format!("9123 456{stranger}");
        let mut leads = [
            lead_from(visitor, &email, &mine),
            lead_from(stranger, &email, &theirs),
        ];
        leads.sort_by_key(|lead| lead.id);
        for lead in leads {
            store.record_leads(Source::Broker, &[lead]).await.unwrap();
        }
        assert_eq!(
            person_of(&store, visitor).await,
            person_of(&store, stranger).await
        );
        correct_email(&store, visitor, &right).await;
        let own = person_of(&store, visitor).await;
        assert_ne!(own, person_of(&store, stranger).await);
        for (again, email, mobile, same) in [
            (10, right.as_str(), "6123 4567", visitor),
            (20, "other@example.com", mine.as_str(), visitor),
            (30, email.as_str(), "6223 4567", stranger),
        ] {
            let number = again + visitor;
            let email = email.replace("other", &format!("other{visitor}"));
            let name = format!("{number}");
            let name = if again == 20 {
                "陈伟".into()
            } else {
                name.as_str().into()
            };
            let lead = lead::Lead {
                name,
                ..lead_from(number, &email, mobile)
            };
            store.record_leads(Source::Broker, &[lead]).await.unwrap();
            assert_eq!(
                person_of(&store, number).await,
                person_of(&store, same).await,
                "{number}"
            );
        }
    }
    let torn = "SELECT value FROM contact_key WHERE NOT EXISTS (SELECT 1 FROM lead
        WHERE contact_key.contact_id = lead.contact_id AND value IN (email_key, number_key))";
    assert_eq!(query_column(database.url(), torn).await, [""; 0]);
}

async fn corrected_email_follows_do_not_contact(database: Database) {
    let store = migrated(&database).await;
    // A salesperson marks the person.
    record(&store, 1, WRONG_EMAIL, WRONG).await;
    let marked = Change {
        do_not_contact: Some(true),
        ..contacted(1)
    };
    store.update_lead(&marked).await.unwrap();
    correct_email(&store, 1, RIGHT_EMAIL).await;
    assert!(is_marked_from_the_start(&store, 2, RIGHT_EMAIL, "6123 4567").await);
    // The visitor of the corrected mailbox has withdrawn.
    record(&store, 3, WEI, "6223 4567").await;
    withdraw(&store, 3, false).await;
    record(&store, 4, "typo@example.com", "6323 4567").await;
    let progress = store.update_lead(&email_correction(4, WEI)).await.unwrap();
    assert!(progress.do_not_contact_at.is_some() && is_marked(&store, 4).await);
    assert!(!is_marked_from_the_start(&store, 5, "typo@example.com", "6423 4567").await);
}

/// The stranger who got the email withdraws before the address is corrected.
async fn withdrawal_by_a_wrong_address_stays_on_its_lead(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WRONG_EMAIL, WRONG).await;
    record(&store, 2, RIGHT_EMAIL, "6123 4567").await;
    withdraw(&store, 1, false).await;
    correct_email(&store, 1, RIGHT_EMAIL).await;
    assert!(is_marked(&store, 1).await, "sales may lift the mark");
    assert!(!is_marked(&store, 2).await);
    assert!(!is_marked_from_the_start(&store, 3, RIGHT_EMAIL, "6223 4567").await);
    assert!(!is_marked_from_the_start(&store, 4, WEI, WRONG).await);
    assert!(get_lead(&store, 4).await.number_withdrawn_at.is_some());
    assert!(is_marked_from_the_start(&store, 5, WRONG_EMAIL, "6323 4567").await);
    // A correction does not replace the note about the new consent.
    let allowed = Change {
        do_not_contact: Some(false),
        ..contacted(1)
    };
    let unseen = store.update_lead(&allowed).await;
    assert!(matches!(unseen, Err(StoreError::Changed)));
    let withdrawn_at = get_lead(&store, 1).await.withdrawn_at;
    let allowed = Change {
        seen_withdrawn_at: optional_time("withdrawn_at", withdrawn_at).unwrap(),
        note: "Agreed on the phone".to_owned(),
        ..allowed
    };
    store.update_lead(&allowed).await.unwrap();
    assert!(!is_marked(&store, 1).await);
    assert!(is_marked_from_the_start(&store, 6, WRONG_EMAIL, "6423 4567").await);
}

async fn link_sent_to_a_wrong_address_withdraws_for_that_mailbox_only(database: Database) {
    let store = migrated(&database).await;
    for (first, is_erased) in [(0, false), (100, true)] {
        let number = |lead: u128| first + lead;
        let at = |name: &str| format!("{name}{first}@example.com");
        let mobile = |last: u128| format!("9{:03} 456{last}", 100 + first);
        record(&store, number(1), &at("wrong"), &mobile(1)).await;
        record(&store, number(2), &at("right"), &mobile(2)).await;
        let to_wrong = visitor_claim(lead_from(number(1), &at("wrong"), &mobile(1)));
        assert_eq!(
            store.claim(&to_wrong).await.unwrap().context.mailbox_hash,
            None
        );
        store
            .report(&report_of(number(1), "one", [delivered(VISITOR)]))
            .await
            .unwrap();
        correct_email(&store, number(1), &at("between")).await;
        correct_email(&store, number(1), &at("right")).await;
        let hash = "SELECT mailbox_hash FROM lead WHERE reference = ";
        let hash = format!("{hash}'{}'", reference(number(1)));
        let hash = query_column(database.url(), &hash).await.remove(0);
        let fresh = visitor_claim(lead_from(number(3), &at("fresh"), &mobile(3)));
        assert_eq!(
            store.claim(&fresh).await.unwrap().context.mailbox_hash,
            None
        );
        if is_erased {
            let person = Person::parse(&at("right")).unwrap();
            store.erase_people(&[person], &[], "tests").await.unwrap();
        }

        withdraw(&store, number(1), false).await;
        if !is_erased {
            assert!(!is_marked(&store, number(1)).await && !is_marked(&store, number(2)).await);
        }
        assert!(is_marked_from_the_start(&store, number(4), &at("wrong"), &mobile(4)).await);
        assert!(!is_marked_from_the_start(&store, number(5), &at("right"), &mobile(5)).await);
        assert!(!is_marked_from_the_start(&store, number(6), &at("family"), &mobile(1)).await);

        let withdrawal = withdrawn_by(number(1), &hash);
        assert_eq!(handle(&store, vec![withdrawal]).await, [Verdict::Done]);
        assert!(is_marked(&store, number(5)).await);
        if !is_erased {
            assert!(is_marked(&store, number(1)).await && is_marked(&store, number(2)).await);
        }
        assert!(is_marked_from_the_start(&store, number(7), &at("right"), &mobile(7)).await);
        assert!(!is_marked_from_the_start(&store, number(8), &at("between"), &mobile(8)).await);
    }
}

async fn email_claimed_for_the_wrong_address_goes_to_the_corrected_one(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WRONG_EMAIL, WRONG).await;
    let to_wrong = visitor_claim(lead_from(1, WRONG_EMAIL, WRONG));
    assert_eq!(claim_results(&store, &to_wrong).await, [GRANTED]);
    correct_email(&store, 1, RIGHT_EMAIL).await;
    let reason = Reason {
        class: "smtp-rejected".to_owned(),
        detail: "550 5.1.1".to_owned(),
    };
    let rejected = (VISITOR, Outcome::Cancelled(reason));
    store
        .report(&report_of(1, "one", [rejected]))
        .await
        .unwrap();
    time_passes(&database).await;
    leases_end(&database).await;
    let leased = store
        .lease(&Lease {
            pending_for: Duration::ZERO,
            ..lease_for("one")
        })
        .await
        .unwrap();
    assert_eq!(leased.leads.len(), 1);
    let current = leased.leads[0].lead.clone().unwrap().try_into().unwrap();
    let to_right = visitor_claim(current);
    assert_eq!(to_right.submission.email.as_str(), RIGHT_EMAIL);
    assert_eq!(claim_results(&store, &to_right).await, [GRANTED]);
}

async fn undelivered_emails_go_to_the_corrected_address(database: Database) {
    let store = migrated(&database).await;
    for number in 1..=4 {
        record(&store, number, &format!("wrong{number}@example.com"), WRONG).await;
    }
    let submitted = |number: u128| {
        visitor_claim(lead_from(
            number,
            &format!("wrong{number}@example.com"),
            WRONG,
        ))
    };
    let reason = |class: &str| Reason {
        class: class.to_owned(),
        detail: "550".to_owned(),
    };
    let later = Outcome::Retry {
        after: Duration::from_secs(3600),
        reason: reason("smtp"),
        counts: true,
    };
    for (number, outcome) in [
        (1, Outcome::Cancelled(reason("smtp-rejected"))),
        (2, later),
        (3, Outcome::Cancelled(reason("limit"))),
    ] {
        store.claim(&submitted(number)).await.unwrap();
        store
            .report(&report_of(number, "one", [(VISITOR, outcome)]))
            .await
            .unwrap();
    }
    for number in 1..=4 {
        correct_email(&store, number, &format!("right{number}@example.com")).await;
        let again = claim_results(&store, &submitted(number)).await;
        assert_eq!(again, [ClaimResult::Cancelled], "not to the wrong address");
    }
    let leased = store
        .lease(&Lease {
            pending_for: Duration::ZERO,
            ..lease_for("one")
        })
        .await
        .unwrap();
    let mut sent = Vec::new();
    for pending in leased.leads {
        let claim = visitor_claim(pending.lead.unwrap().try_into().unwrap());
        let claimed = store.claim(&claim).await.unwrap();
        if claimed.results == [ClaimResult::Granted { attempt: 1 }] {
            let hash = "SELECT mailbox_hash FROM lead WHERE mailbox = ";
            let hash = format!("{hash}'{}'", claim.submission.email.as_str());
            let hash = query_column(database.url(), &hash).await.pop();
            assert!(hash.is_some() && claimed.context.mailbox_hash == hash);
            sent.push(claim.submission.email.as_str().to_owned());
        }
    }
    sent.sort();
    let expected = [
        "right1@example.com",
        "right2@example.com",
        "right4@example.com",
    ];
    assert_eq!(sent, expected);
}

async fn erasure_removes_earlier_values(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, "zqxwrong@example.com", WRONG).await;
    correct_email(&store, 1, "zqxbetween@example.com").await;
    correct_email(&store, 1, RIGHT_EMAIL).await;
    for name in ["Zqxfirst", "Zqxsecond"] {
        store.update_lead(&name_correction(1, name)).await.unwrap();
    }
    let wrong = [Person::parse("zqxwrong+x@example.com").unwrap()];
    assert!(store.ids_of_people(&wrong).await.unwrap().is_empty());
    let others = store.find_possible_leads(&wrong, &[]).await.unwrap();
    assert!(others.len() == 1 && others[0].corrected_email && !others[0].same_number);
    let right = [Person::parse(RIGHT_EMAIL).unwrap()];
    let ids = store.ids_of_people(&right).await.unwrap();
    let timeline = store.leads(&ids).await.unwrap().remove(0).timeline;
    let shown = |value: &str| {
        timeline.iter().any(|entry| match &entry.event {
            Some(Event::EmailCorrected(it)) => it.from == value,
            Some(Event::NameCorrected(it)) => it.from == value,
            _ => false,
        })
    };
    for value in [
        "zqxwrong@example.com",
        "zqxbetween@example.com",
        "陈伟",
        "Zqxfirst",
    ] {
        assert!(shown(value), "{value}");
    }
    store.erase_people(&right, &[], "tests").await.unwrap();
    let left = everything(database.url()).await.to_lowercase();
    assert!(!left.contains("zqx"), "{left}");
    assert!(
        store
            .find_possible_leads(&wrong, &[])
            .await
            .unwrap()
            .is_empty()
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
    assert_eq!(claimed.context.same_number, [reference(2)]);
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
        .erase_people(&[Person::parse(WEI).unwrap()], &[], "tests")
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
        .erase_people(&[Person::parse(WEI).unwrap()], &[], "tests")
        .await
        .unwrap();
    for (number, mobile) in [(2, RIGHT), (3, WRONG)] {
        record(&store, number, &format!("{number}@example.com"), mobile).await;
        assert!(is_marked(&store, number).await, "{mobile}");
    }
    record(&store, 4, "4@example.com", "6123 4567").await;
    assert!(!is_marked(&store, 4).await);
    let progress = store.update_lead(&correction(4, RIGHT)).await.unwrap();
    assert!(
        progress.do_not_contact_at.is_some() && is_marked(&store, 4).await,
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

/// Two colleagues have read the same lead. The second would replace a correction that they have not seen.
async fn colleague_does_not_overwrite_a_correction(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, WEI, WRONG).await;
    let read = Some(Seen(None));
    let first = Change {
        seen: read,
        ..correction(1, RIGHT)
    };
    let progress = store.update_lead(&first).await.unwrap();
    assert_eq!(progress.changed_by, first.author);
    let other = "6123 4567";
    let overwriting = [
        correction(1, other),
        email_correction(1, "wei@office.example"),
        contacted(1),
    ];
    for change in overwriting {
        let stale = Change {
            seen: read,
            ..change
        };
        let refused = store.update_lead(&stale).await;
        assert!(matches!(refused, Err(StoreError::Changed)), "{refused:?}");
    }
    assert_eq!(get_lead(&store, 1).await.submission.unwrap().mobile, RIGHT);
    // A repeat after a lost response.
    assert_eq!(store.update_lead(&first).await.unwrap(), progress);
    let changed_at = optional_time("changed_at", progress.changed_at).unwrap();
    let informed = Change {
        seen: Some(Seen(changed_at)),
        ..correction(1, other)
    };
    store.update_lead(&informed).await.unwrap();
    assert_eq!(get_lead(&store, 1).await.submission.unwrap().mobile, other);
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

/// The visitor submits again with the right address while a salesperson types it.
async fn concurrent_email_correction_and_lead_are_related(database: Database) {
    let store = migrated(&database).await;
    for round in 0..15 {
        let wrong = format!("wrong{round}@example.com");
        let right = format!("right{round}@example.com");
        let [first, second] = [2 * round + 1, 2 * round + 2];
        let number = format!("9123 45{round:02}");
        record(&store, first, &wrong, &number).await;
        let lead = [lead_from(second, &right, "no number")];
        let correction = email_correction(first, &right);
        let other = lead_from(second + 1000, &wrong, "no number");
        let other = [other];
        let (corrected, recorded, of_wrong) = join3(
            store.update_lead(&correction),
            store.record_leads(Source::Broker, &lead),
            store.record_leads(Source::Broker, &other),
        )
        .await;
        assert!(corrected.is_ok(), "{:?}", corrected.err());
        assert_eq!(recorded.unwrap().created + of_wrong.unwrap().created, 2);
        let (person, conflicting) = person_of(&store, first).await;
        let (other, _) = person_of(&store, second).await;
        assert!(person == other || conflicting == other);
        let (stranger, _) = person_of(&store, second + 1000).await;
        assert_ne!(person, stranger, "only the wrong address linked them");
    }
}
