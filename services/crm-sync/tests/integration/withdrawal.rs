//! Withdrawal of consent by the link in an email.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use contracts::crm::v1::LeadFilter;
use crm_sync::{
    db::{Store, error::StoreError},
    deliveries::{Claim, ClaimResult, Lease},
    leads::{Change, Source},
    people::person::Person,
    search::filter::Filter,
};
use futures_util::future::join3;
use messaging::{Event, Verdict};
use testkit::database::Database;

use crate::support::{
    ANNA, BERT, GRANTED, VISITOR, claim_for, claim_of, claim_results, contacted, delivered,
    everything, execute, get_lead, handle, lead, lead_from, lease_for, migrated, on_both_databases,
    on_postgres, query_column, reference, report_of, submission, timestamp, withdraw, withdrawn,
};

on_both_databases! {
    link_marks_only_its_mailbox,
    link_marks_all_spellings_of_its_mailbox,
    withdrawal_of_a_shared_number_is_shown,
    number_that_only_the_withdrawn_mailbox_has_is_suppressed,
    allowing_contact_keeps_what_others_set,
    contact_after_a_withdrawal_needs_a_note,
    merged_lead_keeps_the_withdrawal,
    withdrawal_marks_leads_of_the_mailbox_that_are_stored_meanwhile,
    marks_the_person_and_tells_sales_once,
    link_of_an_erased_person_suppresses_the_mailbox,
    link_of_an_erased_lead_marks_newer_leads,
    everybody_who_could_call_is_told_once,
}

on_postgres! {
    tells_the_owner_instead_of_the_addresses,
    records_an_erasure_request_once,
    erasure_request_is_listed_until_the_erasure,
    survives_erasure_and_a_new_registration,
    unknown_lead_becomes_a_dead_letter,
    new_lead_and_its_withdrawal_may_share_a_batch,
}

const VICTIM: &str = "victim@example.org";
const STRANGER: &str = "stranger@example.net";
const NUMBER: &str = "+65 9123 4567";

async fn record(store: &Store, number: u128, email: &str, mobile: &str) {
    store
        .record_leads(Source::Broker, &[lead_from(number, email, mobile)])
        .await
        .unwrap();
}

async fn marked_leads(database: &Database) -> Vec<String> {
    let marked =
        "SELECT reference FROM lead WHERE do_not_contact_at IS NOT NULL ORDER BY reference";
    query_column(database.url(), marked).await
}

/// The answers to a claim that stores a lead, for Anna and the visitor.
async fn claim_new(store: &Store, number: u128, email: &str, mobile: &str) -> Vec<ClaimResult> {
    let claim = Claim {
        submission: lead_from(number, email, mobile),
        visitor_daily_limit: 9,
        ..claim_for(number, &[ANNA, VISITOR], "one")
    };
    claim_results(store, &claim).await
}

/// The requested recipients of leads with due deliveries, in order.
async fn lease_requests(store: &Store) -> Vec<String> {
    let lease = Lease {
        pending_for: Duration::from_secs(30),
        ..lease_for("two")
    };
    let leased = store.lease(&lease).await.unwrap();
    let mut recipients: Vec<String> = leased
        .leads
        .into_iter()
        .flat_map(|it| it.recipients)
        .collect();
    recipients.sort();
    recipients
}

/// Stores a lead that was sent to Anna and Bert.
async fn store_sent_lead(database: &Database) -> Store {
    let store = migrated(database).await;
    assert_eq!(
        claim_results(&store, &claim_of(1, "one")).await,
        [GRANTED; 2]
    );
    store
        .report(&report_of(1, "one", [delivered(ANNA), delivered(BERT)]))
        .await
        .unwrap();
    store
}

async fn marks_the_person_and_tells_sales_once(database: Database) {
    let store = store_sent_lead(&database).await;
    let second = lead_from(2, submission(1).email.as_str(), "no number");
    store.record_leads(Source::Broker, &[second]).await.unwrap();
    withdraw(&store, 1, false).await;
    let [to_anna, to_bert] = [ANNA, BERT].map(|address| format!("withdrawal:{address}"));
    assert_eq!(lease_requests(&store).await, [to_anna.as_str(), &to_bert]);
    let claim = claim_for(1, &[&to_anna, &to_bert], "two");
    assert_eq!(claim_results(&store, &claim).await, [GRANTED; 2]);
    store
        .report(&report_of(
            1,
            "two",
            [delivered(&to_anna), delivered(&to_bert)],
        ))
        .await
        .unwrap();
    for number in [1, 2] {
        let progress = get_lead(&store, number).await.progress.unwrap();
        assert_eq!(
            progress.do_not_contact_at,
            Some(timestamp(submission(1).submitted_at))
        );
        withdraw(&store, number, false).await;
    }
    assert!(
        lease_requests(&store).await.is_empty(),
        "sales is notified once"
    );
    let of_sales = "SELECT hash FROM suppression WHERE withdrawn_at IS NULL";
    assert_eq!(query_column(database.url(), of_sales).await, [""; 0]);
    let authors =
        "SELECT details ->> 'client' FROM timeline WHERE details ->> 'event' = 'contact_changed'";
    assert_eq!(
        query_column(database.url(), authors).await,
        ["visitor", "visitor"]
    );
}

async fn tells_the_owner_instead_of_the_addresses(database: Database) {
    let store = store_sent_lead(&database).await;
    let own = Change {
        owner: Some("Mei".to_owned()),
        author: "Mei".to_owned(),
        ..contacted(1)
    };
    store.update_lead(&own).await.unwrap();
    withdraw(&store, 1, false).await;
    assert_eq!(lease_requests(&store).await, ["withdrawal:Mei"]);
}

async fn records_an_erasure_request_once(database: Database) {
    let store = store_sent_lead(&database).await;
    for _ in 0..2 {
        withdraw(&store, 1, true).await;
    }
    assert_eq!(
        lease_requests(&store).await,
        [ANNA, BERT].map(|address| format!("erasure:{address}"))
    );
    assert!(
        get_lead(&store, 1)
            .await
            .progress
            .unwrap()
            .do_not_contact_at
            .is_some()
    );
    let requests =
        "SELECT details ->> 'event' FROM timeline WHERE details ->> 'event' = 'erasure_requested'";
    assert_eq!(query_column(database.url(), requests).await.len(), 1);
}

async fn erasure_request_is_listed_until_the_erasure(database: Database) {
    let store = store_sent_lead(&database).await;
    let listed = async |requested| {
        let filter = Filter::parse(LeadFilter {
            erasure_requested: Some(requested),
            ..LeadFilter::default()
        });
        let page = store.page(&filter.unwrap(), None, 9, &[]).await.unwrap();
        page.leads.len()
    };
    assert_eq!(
        store.oldest_erasure_request().await.unwrap(),
        Duration::ZERO
    );
    assert_eq!((listed(true).await, listed(false).await), (0, 1));
    withdraw(&store, 1, true).await;
    assert_eq!((listed(true).await, listed(false).await), (1, 0));
    assert!(get_lead(&store, 1).await.erasure_requested_at.is_some());
    execute(
        database.url(),
        "UPDATE lead SET erasure_requested_at = now() - interval '3 days'",
    )
    .await;
    let day = Duration::from_secs(24 * 60 * 60);
    let age = store.oldest_erasure_request().await.unwrap();
    assert!((3 * day..4 * day).contains(&age), "{age:?}");
    store
        .erase_people(
            &[Person::parse(submission(1).email.as_str()).unwrap()],
            &[],
            "tests",
        )
        .await
        .unwrap();
    assert_eq!((listed(true).await, listed(false).await), (0, 0));
    assert_eq!(
        store.oldest_erasure_request().await.unwrap(),
        Duration::ZERO
    );
}

async fn survives_erasure_and_a_new_registration(database: Database) {
    let store = store_sent_lead(&database).await;
    let email = submission(1).email;
    withdraw(&store, 1, true).await;
    store
        .erase_people(&[Person::parse(email.as_str()).unwrap()], &[], "tests")
        .await
        .unwrap();
    let stored = everything(database.url()).await;
    assert!(
        !stored.contains(email.as_str()),
        "only keyed hashes of the person remain"
    );
    let claim = Claim {
        submission: lead_from(5, email.as_str(), "no number"),
        visitor_daily_limit: 9,
        ..claim_for(5, &[ANNA, VISITOR], "one")
    };
    let claimed = store.claim(&claim).await.unwrap();
    assert_eq!(claimed.results, [GRANTED, ClaimResult::Cancelled]);
    assert!(
        claimed.context.do_not_contact_at.is_some(),
        "sales sees the request"
    );
}

async fn link_of_an_erased_person_suppresses_the_mailbox(database: Database) {
    let store = store_sent_lead(&database).await;
    let email = submission(1).email;
    store
        .erase_people(&[Person::parse(email.as_str()).unwrap()], &[], "tests")
        .await
        .unwrap();
    withdraw(&store, 1, true).await;
    assert!(lease_requests(&store).await.is_empty());
    assert!(
        query_column(database.url(), "SELECT recipient FROM timeline")
            .await
            .is_empty()
    );
    assert_eq!(
        claim_new(&store, 5, email.as_str(), "no number").await,
        [GRANTED, ClaimResult::Cancelled]
    );
    assert_eq!(marked_leads(&database).await, [reference(5)]);
}

async fn link_of_an_erased_lead_marks_newer_leads(database: Database) {
    for (number, erasure_requested, subject) in [(1, false, "withdrawal"), (3, true, "erasure")] {
        let store = migrated(&database).await;
        let newer = number + 1;
        let email = format!("wei{number}@example.com");
        record(&store, number, &email, "no number").await;
        let claim = Claim {
            submission: lead_from(newer, &format!("wei{number}+tag@example.com"), "no number"),
            ..claim_for(newer, &[ANNA], "one")
        };
        assert_eq!(claim_results(&store, &claim).await, [GRANTED]);
        store
            .report(&report_of(newer, "one", [delivered(ANNA)]))
            .await
            .unwrap();
        store
            .erase_people(&[], &[submission(number).id], "tests")
            .await
            .unwrap();
        withdraw(&store, number, erasure_requested).await;
        let progress = get_lead(&store, newer).await.progress.unwrap();
        assert!(progress.do_not_contact_at.is_some());
        assert_eq!(
            lease_requests(&store).await,
            [format!("{subject}:{ANNA}")],
            "sales hears of the newer lead"
        );
        withdraw(&store, number, erasure_requested).await;
        assert!(lease_requests(&store).await.is_empty());
    }
}

/// A mailbox has leads of an owner, of both addresses and of one address.
async fn everybody_who_could_call_is_told_once(database: Database) {
    for (erasure_requested, subject) in [(false, "withdrawal"), (true, "erasure")] {
        let store = migrated(&database).await;
        let base = if erasure_requested { 10 } else { 0 };
        let email = format!("wei{base}@example.com");
        for (number, recipients) in [
            (base + 1, &[ANNA, BERT][..]),
            (base + 2, &[ANNA, BERT]),
            (base + 3, &[ANNA]),
        ] {
            let claim = Claim {
                submission: lead_from(number, &email, "no number"),
                ..claim_for(number, recipients, "one")
            };
            claim_results(&store, &claim).await;
            for recipient in recipients {
                let report = report_of(number, "one", [delivered(recipient)]);
                store.report(&report).await.unwrap();
            }
        }
        let own = Change {
            owner: Some("Daniel".to_owned()),
            author: "Daniel".to_owned(),
            ..contacted(base + 1)
        };
        store.update_lead(&own).await.unwrap();
        withdraw(&store, base + 2, erasure_requested).await;
        assert_eq!(
            lease_requests(&store).await,
            ["Daniel", ANNA, BERT].map(|person| format!("{subject}:{person}"))
        );
        withdraw(&store, base + 3, erasure_requested).await;
        assert!(lease_requests(&store).await.is_empty());
    }
}

async fn unknown_lead_becomes_a_dead_letter(database: Database) {
    let store = migrated(&database).await;
    let verdicts = handle(&store, vec![withdrawn(1, false)]).await;
    assert!(
        matches!(&verdicts[..], [Verdict::DeadLetter(reason)] if reason.class == "unknown"),
        "{verdicts:?}"
    );
}

async fn new_lead_and_its_withdrawal_may_share_a_batch(database: Database) {
    let store = migrated(&database).await;
    let events = vec![withdrawn(1, false), Event::LeadSubmitted(lead(1))];
    assert_eq!(handle(&store, events).await, [Verdict::Done, Verdict::Done]);
    assert!(
        get_lead(&store, 1)
            .await
            .progress
            .unwrap()
            .do_not_contact_at
            .is_some()
    );
}

/// A stranger registers with a person's name and number and withdraws by the link in their own mailbox.
async fn link_marks_only_its_mailbox(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, VICTIM, NUMBER).await;
    record(&store, 2, STRANGER, NUMBER).await;
    assert_eq!(
        get_lead(&store, 1).await.contact_id,
        get_lead(&store, 2).await.contact_id,
        "name and number match"
    );
    withdraw(&store, 2, true).await;
    assert_eq!(marked_leads(&database).await, [reference(2)]);
    let timeline = "SELECT DISTINCT reference FROM timeline JOIN lead ON id = lead_id";
    assert_eq!(query_column(database.url(), timeline).await, [reference(2)]);
    for (number, email) in [(3, VICTIM), (4, "victim@work.example")] {
        assert_eq!(
            claim_new(&store, number, email, NUMBER).await,
            [GRANTED, GRANTED],
            "{email}"
        );
    }
    assert_eq!(
        claim_new(&store, 5, STRANGER, "no number").await,
        [GRANTED, ClaimResult::Cancelled]
    );
    assert_eq!(
        marked_leads(&database).await,
        [2, 5].map(reference),
        "only the mailbox is suppressed"
    );
}

async fn link_marks_all_spellings_of_its_mailbox(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, "wei.chen@gmail.com", "no number").await;
    record(&store, 2, "WeiChen+zyon@googlemail.com", "no number").await;
    record(&store, 3, "wei@gmail.com", "no number").await;
    withdraw(&store, 1, false).await;
    assert_eq!(marked_leads(&database).await, [1, 2].map(reference));
}

/// Sales sees beside the other leads with a number that somebody with this number withdrew.
async fn withdrawal_of_a_shared_number_is_shown(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, VICTIM, NUMBER).await;
    record(&store, 2, STRANGER, NUMBER).await;
    record(&store, 3, "other@example.com", "+65 8123 4567").await;
    let withdrawn_at = async |number| get_lead(&store, number).await.number_withdrawn_at;
    assert_eq!(withdrawn_at(1).await, None);
    withdraw(&store, 2, false).await;
    let since = Some(timestamp(submission(2).submitted_at));
    assert_eq!(withdrawn_at(1).await, since);
    for number in [2, 3] {
        assert_eq!(withdrawn_at(number).await, None, "{number}");
    }
    store
        .erase_people(&[Person::parse(STRANGER).unwrap()], &[], "tests")
        .await
        .unwrap();
    let claim = Claim {
        submission: lead_from(4, "victim@work.example", "9123 4567"),
        ..claim_of(4, "one")
    };
    let claimed = store.claim(&claim).await.unwrap();
    assert_eq!(
        claimed.context.number_withdrawn_at.map(timestamp),
        since,
        "also after the erasure"
    );
}

async fn number_that_only_the_withdrawn_mailbox_has_is_suppressed(database: Database) {
    let store = migrated(&database).await;
    for number in [1, 2] {
        record(&store, number, VICTIM, NUMBER).await;
    }
    withdraw(&store, 1, false).await;
    assert_eq!(
        claim_new(&store, 3, "victim@work.example", NUMBER).await,
        [GRANTED, ClaimResult::Cancelled]
    );
    assert_eq!(marked_leads(&database).await, [1, 2, 3].map(reference));
}

async fn allowing_contact_keeps_what_others_set(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, VICTIM, NUMBER).await;
    withdraw(&store, 1, false).await;
    record(&store, 2, STRANGER, NUMBER).await;
    withdraw(&store, 2, false).await;
    let allow = Change {
        do_not_contact: Some(false),
        note: "Agreed again by phone".to_owned(),
        seen_withdrawn_at: withdrawn_at(&store, 2).await,
        state: None,
        ..contacted(2)
    };
    store.update_lead(&allow).await.unwrap();
    assert_eq!(marked_leads(&database).await, [reference(1)]);
    store
        .erase_people(&[Person::parse(VICTIM).unwrap()], &[], "tests")
        .await
        .unwrap();
    record(&store, 3, "victim@work.example", NUMBER).await;
    assert_eq!(marked_leads(&database).await, [reference(3)]);
    assert_eq!(
        claim_new(&store, 4, STRANGER, "no number").await,
        [GRANTED, GRANTED],
        "the stranger's mailbox may be contacted again"
    );
}

/// When the visitor of a lead withdrew, as its page shows.
async fn withdrawn_at(store: &Store, number: u128) -> Option<DateTime<Utc>> {
    let at = get_lead(store, number).await.withdrawn_at?;
    DateTime::from_timestamp(at.seconds, at.nanos.cast_unsigned())
}

/// Allows contact, as the author of a page that shows this withdrawal.
async fn allow(
    store: &Store,
    number: u128,
    seen_withdrawn_at: Option<DateTime<Utc>>,
    note: &str,
) -> Result<(), StoreError> {
    let allow = Change {
        do_not_contact: Some(false),
        seen_withdrawn_at,
        note: note.to_owned(),
        state: None,
        ..contacted(number)
    };
    store.update_lead(&allow).await.map(drop)
}

async fn contact_after_a_withdrawal_needs_a_note(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, VICTIM, NUMBER).await;
    let mark = Change {
        do_not_contact: Some(true),
        state: None,
        ..contacted(1)
    };
    store.update_lead(&mark).await.unwrap();
    assert_eq!(withdrawn_at(&store, 1).await, None);
    allow(&store, 1, None, "").await.unwrap();

    // The page shows the mark of sales. Then the visitor withdraws.
    store.update_lead(&mark).await.unwrap();
    withdraw(&store, 1, false).await;
    let seen = withdrawn_at(&store, 1).await;
    assert!(seen.is_some());
    let before = everything(database.url()).await;
    let stale = [None, seen.map(|at| at - TimeDelta::seconds(1))];
    for seen in stale {
        let refused = allow(&store, 1, seen, "Agreed by phone").await;
        assert!(matches!(refused, Err(StoreError::Changed)), "{refused:?}");
    }
    let refused = allow(&store, 1, seen, "").await;
    assert!(
        matches!(refused, Err(StoreError::NoConsentNote)),
        "{refused:?}"
    );
    assert!(everything(database.url()).await == before);

    // A new enquiry of the mailbox is marked because of the withdrawal.
    record(&store, 2, VICTIM, "no number").await;
    assert_eq!(withdrawn_at(&store, 2).await, seen);
    allow(&store, 2, seen, "Agreed by phone").await.unwrap();
    assert!(marked_leads(&database).await.is_empty());
    assert_eq!(withdrawn_at(&store, 1).await, None);
    let noted = "SELECT details ->> 'text' FROM timeline WHERE details ->> 'event' = 'noted'";
    assert_eq!(
        query_column(database.url(), noted).await,
        ["Agreed by phone"]
    );
    store.update_lead(&mark).await.unwrap();
    allow(&store, 1, None, "").await.unwrap();
}

async fn merged_lead_keeps_the_withdrawal(database: Database) {
    let store = migrated(&database).await;
    record(&store, 1, VICTIM, "no number").await;
    record(&store, 2, "victim@work.example", "9876 5432").await;
    withdraw(&store, 1, false).await;
    let [one, two] = [1, 2].map(|number| submission(number).id);
    store.merge_people(two, one, "tests").await.unwrap();
    let seen = withdrawn_at(&store, 2).await;
    assert_eq!(seen, withdrawn_at(&store, 1).await);
    let refused = allow(&store, 2, seen, "").await;
    assert!(
        matches!(refused, Err(StoreError::NoConsentNote)),
        "{refused:?}"
    );
}

/// Two leads arrive during a withdrawal: one of the mailbox, and one of another mailbox with the number.
async fn withdrawal_marks_leads_of_the_mailbox_that_are_stored_meanwhile(database: Database) {
    let store = migrated(&database).await;
    for round in 0..15 {
        let numbers = [1, 2, 3].map(|number| 10 * round + number);
        let [first, second, other] = numbers;
        let mobile = format!("+65 9123 45{round:02}");
        let [email, tagged, stranger] =
            ["", "+tag", ".stranger"].map(|tag| format!("wei{round}{tag}@example.com"));
        record(&store, first, &email, &mobile).await;
        join3(
            withdraw(&store, first, false),
            record(&store, second, &tagged, "no number"),
            record(&store, other, &stranger, &mobile),
        )
        .await;
        let marked = marked_leads(&database).await;
        for number in [first, second] {
            assert!(
                marked.contains(&reference(number)),
                "{number} is not marked"
            );
        }
        let shared = "SELECT CAST(count(*) AS text) FROM suppression WHERE shared";
        let shared = query_column(database.url(), shared).await.concat();
        let marked_others = (0..=round).filter(|round| marked.contains(&reference(10 * round + 3)));
        let expected = round + 1 - u128::try_from(marked_others.count()).unwrap();
        assert_eq!(
            shared,
            expected.to_string(),
            "a lead that is not marked keeps its number from being suppressed"
        );
    }
}
