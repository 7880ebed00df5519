//! Withdrawal of consent by the link in an email.

use std::time::Duration;

use contracts::leads::v1::LeadWithdrawn;
use crm_sync::{
    db::Store,
    deliveries::{Answer, Claim, Lease, VISITOR},
    leads::{Change, Source},
    people::erase::Person,
};
use messaging::{Event, Verdict};
use testkit::database::Database;

use crate::support::{
    ANNA, BERT, GRANTED, claim_answers, claim_for, claim_of, contacted, delivered, everything,
    get_lead, handle, lead, lead_from, lease_for, migrated, on_both_databases, on_postgres,
    query_column, report_of, submission, timestamp,
};

on_both_databases! {
    marks_the_person_and_tells_sales_once,
}

on_postgres! {
    tells_the_owner_instead_of_the_addresses,
    records_an_erasure_request_once,
    survives_erasure_and_a_new_registration,
    changes_nothing_about_an_erased_lead,
    unknown_lead_becomes_a_dead_letter,
    new_lead_and_its_withdrawal_may_share_a_batch,
}

fn withdrawn(number: u128, erasure_requested: bool) -> Event {
    Event::LeadWithdrawn(LeadWithdrawn {
        lead_id: lead(number).lead_id,
        withdrawn_at: Some(timestamp(submission(number).submitted_at)),
        erasure_requested,
    })
}

async fn withdraw(store: &Store, number: u128, erasure_requested: bool) {
    assert_eq!(
        handle(store, vec![withdrawn(number, erasure_requested)]).await,
        [Verdict::Done]
    );
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
        claim_answers(&store, &claim_of(1, "one")).await,
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
    assert_eq!(claim_answers(&store, &claim).await, [GRANTED; 2]);
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
    let reasons = query_column(database.url(), "SELECT DISTINCT reason FROM suppression").await;
    assert_eq!(reasons, ["withdrawal"]);
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

async fn survives_erasure_and_a_new_registration(database: Database) {
    let store = store_sent_lead(&database).await;
    let email = submission(1).email;
    withdraw(&store, 1, true).await;
    store
        .erase_person(&Person::parse(email.as_str()).unwrap(), &[], "tests")
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
    assert_eq!(claimed.answers, [GRANTED, Answer::Cancelled]);
    assert!(
        claimed.do_not_contact_at.is_some(),
        "sales sees the request"
    );
}

async fn changes_nothing_about_an_erased_lead(database: Database) {
    let store = store_sent_lead(&database).await;
    let person = Person::parse(submission(1).email.as_str()).unwrap();
    store.erase_person(&person, &[], "tests").await.unwrap();
    withdraw(&store, 1, true).await;
    assert!(lease_requests(&store).await.is_empty());
    assert!(
        query_column(database.url(), "SELECT recipient FROM timeline")
            .await
            .is_empty()
    );
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
