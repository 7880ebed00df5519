//! "Do not contact" is set on one lead and applies to the person.

use crm_sync::{
    db::Store,
    deliveries::{Claim, ClaimResult},
    leads::{Change, Source},
    people::person::Person,
};
use futures_util::future::join;
use testkit::database::Database;

use crate::support::{
    GRANTED, VISITOR, claim_for, claim_of, claim_results, contacted, lead_from, migrated,
    on_both_databases, on_postgres, query_column, submission, withdraw,
};

on_both_databases! {
    lead_stored_while_do_not_contact_changes_gets_the_new_mark,
    do_not_contact_survives_erasure,
}

on_postgres! {
    marks_every_lead_of_the_person_and_no_other,
    new_lead_of_the_person_is_marked,
    annotated_number_is_suppressed,
    merged_person_inherits_do_not_contact,
    merge_ignores_marks_of_unnamed_leads,
    claim_returns_do_not_contact,
    do_not_contact_gets_no_confirmation,
}

const WEI: &str = "wei@example.com";

async fn set_do_not_contact(store: &Store, number: u128, do_not_contact: bool) {
    let change = Change {
        do_not_contact: Some(do_not_contact),
        state: None,
        ..contacted(number)
    };
    store.update_lead(&change).await.unwrap();
}

/// The marked leads.
async fn do_not_contact_leads(database: &Database) -> Vec<String> {
    let silent =
        "SELECT reference FROM lead WHERE do_not_contact_at IS NOT NULL ORDER BY reference";
    let silent = query_column(database.url(), silent).await;
    silent
        .iter()
        .map(|reference| reference.trim_start_matches("ZG-0000-0").to_owned())
        .collect()
}

/// Stores three leads of a person, matched by address and by number, and one of another person.
async fn store_leads(database: &Database) -> Store {
    let store = migrated(database).await;
    let leads = [
        lead_from(1, WEI, "9123 4567"),
        lead_from(2, "WEI@example.com", "no number"),
        lead_from(3, "home@example.com", "+65 9123 4567"),
        lead_from(4, "other@example.com", "no number"),
    ];
    store.record_leads(Source::Broker, &leads).await.unwrap();
    store
}

async fn marks_every_lead_of_the_person_and_no_other(database: Database) {
    let store = store_leads(&database).await;
    set_do_not_contact(&store, 3, true).await;
    set_do_not_contact(&store, 3, true).await;
    assert_eq!(do_not_contact_leads(&database).await, ["1", "2", "3"]);
    set_do_not_contact(&store, 2, false).await;
    assert_eq!(
        do_not_contact_leads(&database).await,
        ["3"],
        "contact is allowed again for one mailbox"
    );
    set_do_not_contact(&store, 3, false).await;
    assert!(do_not_contact_leads(&database).await.is_empty());
    let timeline =
        "SELECT CASE WHEN CAST(details ->> 'allowed' AS text) IN ('1', 'true') THEN 'contact_allowed'
        ELSE 'contact_forbidden' END AS event FROM timeline ORDER BY event";
    let expected = [["contact_allowed"; 3], ["contact_forbidden"; 3]].concat();
    assert_eq!(
        query_column(database.url(), timeline).await,
        expected,
        "each timeline has it once"
    );
    let changed = query_column(
        database.url(),
        "SELECT reference FROM lead WHERE changed_at IS NOT NULL",
    )
    .await;
    assert_eq!(changed.len(), 2, "progress of other leads is unchanged");
}

async fn new_lead_of_the_person_is_marked(database: Database) {
    let store = store_leads(&database).await;
    set_do_not_contact(&store, 1, true).await;
    let news = [
        lead_from(5, "home@example.com", "no number"),
        lead_from(6, "new@example.com", "no number"),
        lead_from(7, "work@example.com", "9123 4567"),
    ];
    store.record_leads(Source::Broker, &news).await.unwrap();
    assert_eq!(
        do_not_contact_leads(&database).await,
        ["1", "2", "3", "5", "7"]
    );
    set_do_not_contact(&store, 7, false).await;
    assert_eq!(do_not_contact_leads(&database).await, ["1", "2", "3", "5"]);
    for number in [1, 3] {
        set_do_not_contact(&store, number, false).await;
    }
    assert!(do_not_contact_leads(&database).await.is_empty());
    store
        .record_leads(Source::Broker, &[lead_from(8, WEI, "no number")])
        .await
        .unwrap();
    assert!(do_not_contact_leads(&database).await.is_empty());
}

async fn annotated_number_is_suppressed(database: Database) {
    let store = migrated(&database).await;
    let mut leads = vec![
        lead_from(1, WEI, "+65-9123 4567 (WA)"),
        lead_from(2, "mei@example.com", "8123 4567 or 6123 4567"),
    ];
    store.record_leads(Source::Broker, &leads).await.unwrap();
    for number in [1, 2] {
        withdraw(&store, number, false).await;
    }
    let mobiles = [
        "9123 4567 ext 1",
        "91234567/8",
        "whatsapp 9123_4567",
        "6999 9999 or +65 9123 4567",
        "8123 4567",
        "61234567#",
    ];
    leads = (3..)
        .zip(mobiles)
        .map(|(number, mobile)| lead_from(number, &format!("p{number}@example.com"), mobile))
        .collect();
    store.record_leads(Source::Broker, &leads).await.unwrap();
    assert_eq!(
        do_not_contact_leads(&database).await,
        ["1", "2", "3", "4", "5", "6", "7", "8"]
    );
}

async fn merged_person_inherits_do_not_contact(database: Database) {
    let store = store_leads(&database).await;
    set_do_not_contact(&store, 1, true).await;
    store
        .merge_people(submission(1).id, submission(4).id, "leadctl")
        .await
        .unwrap();
    assert_eq!(do_not_contact_leads(&database).await, ["1", "2", "3", "4"]);
    let marked = "SELECT substr(reference, 10) FROM lead JOIN timeline ON id = lead_id
        WHERE details ->> 'event' = 'contact_changed' ORDER BY reference";
    assert_eq!(
        query_column(database.url(), marked).await,
        ["1", "2", "3", "4"]
    );
}

/// A stranger's lead with the name and number of a person, in the person's contact.
async fn merge_ignores_marks_of_unnamed_leads(database: Database) {
    let store = migrated(&database).await;
    let leads = [
        lead_from(1, WEI, "9123 4567"),
        lead_from(2, "work@example.com", "no number"),
        lead_from(3, "stranger@example.net", "9123 4567"),
    ];
    store.record_leads(Source::Broker, &leads).await.unwrap();
    withdraw(&store, 3, false).await;
    store
        .merge_people(submission(1).id, submission(2).id, "leadctl")
        .await
        .unwrap();
    assert_eq!(do_not_contact_leads(&database).await, ["3"]);
}

async fn lead_stored_while_do_not_contact_changes_gets_the_new_mark(database: Database) {
    let store = store_leads(&database).await;
    for number in 10..20 {
        let news = [lead_from(number, WEI, "no number")];
        let ((), recorded) = join(
            set_do_not_contact(&store, 1, number % 2 == 0),
            store.record_leads(Source::Grpc, &news),
        )
        .await;
        assert_eq!(recorded.unwrap().created, 1);
        let of_person = 3 + usize::try_from(number - 9).unwrap();
        // Contact with the third lead's mailbox is not allowed again.
        let expected = if number % 2 == 0 { of_person } else { 1 };
        assert_eq!(do_not_contact_leads(&database).await.len(), expected);
    }
}

async fn do_not_contact_survives_erasure(database: Database) {
    let store = store_leads(&database).await;
    set_do_not_contact(&store, 1, true).await;
    store
        .erase_people(&[Person::parse(WEI).unwrap()], &[], "tests")
        .await
        .unwrap();
    store
        .erase_people(&[Person::parse("home@example.com").unwrap()], &[], "tests")
        .await
        .unwrap();
    assert!(do_not_contact_leads(&database).await.is_empty());
    let kept = "SELECT DISTINCT hash FROM suppression";
    let kept = query_column(database.url(), kept).await;
    assert_eq!(kept.len(), 3, "two addresses and a number are suppressed");
    assert!(
        kept.iter()
            .all(|row| !row.contains('@') && !row.contains("9123")),
        "{kept:?}"
    );

    let again = [
        lead_from(5, "Wei+zyon@example.com", "no number"),
        lead_from(6, "new@example.com", "+65 9123 4567"),
        lead_from(7, "else@example.com", "8123 4567"),
    ];
    store.record_leads(Source::Broker, &again).await.unwrap();
    assert_eq!(do_not_contact_leads(&database).await, ["5", "6"]);
    let claim = Claim {
        submission: lead_from(8, WEI, "no number"),
        visitor_daily_limit: 9,
        ..claim_for(8, &[VISITOR], "one")
    };
    assert_eq!(
        claim_results(&store, &claim).await,
        [ClaimResult::Cancelled]
    );
    set_do_not_contact(&store, 8, false).await;
    store
        .record_leads(Source::Broker, &[lead_from(9, WEI, "no number")])
        .await
        .unwrap();
    assert_eq!(
        do_not_contact_leads(&database).await,
        ["6"],
        "a mailbox that may be contacted again is not marked"
    );
}

async fn claim_returns_do_not_contact(database: Database) {
    let store = store_leads(&database).await;
    set_do_not_contact(&store, 1, true).await;
    let claimed = |number, email| {
        let claim = Claim {
            submission: lead_from(number, email, "no number"),
            ..claim_of(number, "one")
        };
        let store = store.clone();
        async move { store.claim(&claim).await.unwrap().context.do_not_contact_at }
    };
    assert!(claimed(5, WEI).await.is_some(), "the claim stores the lead");
    assert_eq!(claimed(4, "other@example.com").await, None);
    set_do_not_contact(&store, 1, false).await;
    assert_eq!(claimed(6, WEI).await, None);
}

async fn do_not_contact_gets_no_confirmation(database: Database) {
    let store = store_leads(&database).await;
    let claim = |number, email| Claim {
        submission: lead_from(number, email, "no number"),
        visitor_daily_limit: 9,
        ..claim_for(number, &[VISITOR], "one")
    };
    set_do_not_contact(&store, 1, true).await;
    assert_eq!(
        claim_results(&store, &claim(2, "WEI@example.com")).await,
        [ClaimResult::Cancelled]
    );
    assert_eq!(
        claim_results(&store, &claim(5, WEI)).await,
        [ClaimResult::Cancelled],
        "the claim stores the lead"
    );
    assert_eq!(
        claim_results(&store, &claim(4, "other@example.com")).await,
        [GRANTED]
    );
}
