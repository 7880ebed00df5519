//! Calls about a person with so many leads that one statement cannot name all of them. SQLite allows 32,766 values in a
//! statement. PostgreSQL allows 65,535, so a list that is split for SQLite is short enough for it, too.

use contracts::crm::v1::ExportPersonRequest;
use crm_sync::{
    db::Store,
    leads::{Change, Source},
    people::person::Person,
};
use testkit::database::{Database, sqlite};
use uuid::Uuid;

use crate::support::{
    WEBHOOK, deliver_to_webhook, execute, lead_from, migrated, query_column, serve, submission,
    withdraw,
};

/// One after the other, because each needs a core: concurrent tests would exceed the time limits of statements.
#[tokio::test]
async fn calls_about_many_leads_split_their_lists() {
    withdraws_consent_for_many_leads(sqlite()).await;
    marks_many_leads(sqlite()).await;
    merges_and_splits_many_leads(sqlite()).await;
    exports_and_erases_many_leads(sqlite()).await;
}

/// More leads than SQLite allows values in a statement.
const LEADS: usize = 33_000;

/// Enough leads that the notices to a webhook do not fit into one statement either, with 13 values for each.
const POSTED_LEADS: usize = 6_000;

/// Number of the first copy of [`ORIGINAL`].
const FIRST_COPY: usize = 100_000;

/// The stored lead that [`store_many_leads`] copies.
const ORIGINAL: u128 = 1;

/// Stores [`LEADS`] leads of one person, of which [`POSTED_LEADS`] were posted to [`WEBHOOK`].
async fn store_many_leads(database: &Database) -> Store {
    // Otherwise the first transaction waits for the data.
    lead::PhoneNumber::load_data();
    let store = migrated(database).await;
    deliver_to_webhook(&store, ORIGINAL).await;
    copy_rows(database.url(), "lead", "id", LEADS).await;
    let others = format!("DELETE FROM delivery WHERE recipient <> '{WEBHOOK}'");
    execute(database.url(), &others).await;
    copy_rows(database.url(), "delivery", "lead_id", POSTED_LEADS).await;
    store
}

/// Copies the row of the original lead in a table with the ids of further leads, up to `total` rows.
async fn copy_rows(url: &str, table: &str, id: &str, total: usize) {
    let columns = format!("SELECT name FROM pragma_table_info('{table}') WHERE name <> '{id}'");
    let columns = query_column(url, &columns).await.join(", ");
    let last = FIRST_COPY + total - 2;
    let numbers = format!(
        "(WITH RECURSIVE numbers (number) AS (SELECT {FIRST_COPY} UNION ALL
            SELECT number + 1 FROM numbers WHERE number < {last}) SELECT number FROM numbers)"
    );
    // The driver stores an id as a blob.
    let new_id = "unhex(printf('%032d', number))";
    let copy = format!(
        "INSERT INTO {table} ({id}, {columns}) SELECT {new_id}, {columns} FROM {table} CROSS JOIN {numbers}"
    );
    execute(url, &copy).await;
}

async fn count(database: &Database, from: &str) -> usize {
    let count = format!("SELECT CAST(count(*) AS text) FROM {from}");
    query_column(database.url(), &count).await[0]
        .parse()
        .unwrap()
}

async fn withdraws_consent_for_many_leads(database: Database) {
    let store = store_many_leads(&database).await;
    withdraw(&store, ORIGINAL, true).await;
    let marked = "lead WHERE do_not_contact_at IS NOT NULL AND erasure_requested_at IS NOT NULL";
    assert_eq!(count(&database, marked).await, LEADS);
    let notices = "delivery WHERE recipient LIKE 'updated:%'";
    assert_eq!(count(&database, notices).await, POSTED_LEADS);
}

async fn marks_many_leads(database: Database) {
    let store = store_many_leads(&database).await;
    for do_not_contact in [true, false] {
        let change = Change {
            lead_id: Uuid::from_u128(ORIGINAL),
            do_not_contact: Some(do_not_contact),
            author: "tests".to_owned(),
            ..Change::default()
        };
        store.update_lead(&change).await.unwrap();
        let marked = count(&database, "lead WHERE do_not_contact_at IS NOT NULL").await;
        assert_eq!(marked, if do_not_contact { LEADS } else { 0 });
    }
}

async fn merges_and_splits_many_leads(database: Database) {
    let store = store_many_leads(&database).await;
    let other = lead_from(2, "other@example.com", "+65 8123 4567");
    store.record_leads(Source::Broker, &[other]).await.unwrap();
    let original = Uuid::from_u128(ORIGINAL);
    let other = Uuid::from_u128(2);
    let moved = store.merge_people(other, original, "tests").await.unwrap();
    assert_eq!(moved.len(), LEADS);
    let moved = store.split_person(&[other], "tests").await.unwrap();
    assert_eq!(moved.len(), LEADS);
    assert_eq!(
        count(
            &database,
            "timeline WHERE details ->> 'event' = 'person_changed'"
        )
        .await,
        2 * LEADS + 1
    );
}

async fn exports_and_erases_many_leads(database: Database) {
    let store = store_many_leads(&database).await;
    let email = String::from(submission(ORIGINAL).email);
    let request = ExportPersonRequest {
        person: email.clone(),
        ..ExportPersonRequest::default()
    };
    // The call reads all leads; its pages are small.
    let mut client = serve(&database).await;
    let mut pages = client
        .people
        .export_person(request)
        .await
        .unwrap()
        .into_inner();
    assert!(!pages.message().await.unwrap().unwrap().leads.is_empty());
    let audited = "SELECT CAST(sum(leads) AS text) FROM audit WHERE action = 'export-person'";
    let audited = query_column(database.url(), audited).await;
    assert_eq!(audited, [LEADS.to_string()]);
    let person = Person::parse(&email).unwrap();
    let erased = store.erase_people(&[person], &[], "tests").await.unwrap();
    assert_eq!(erased.len(), LEADS);
    assert_eq!(count(&database, "lead WHERE erased_at IS NULL").await, 0);
    let notices = format!(
        "delivery WHERE recipient = 'erased:{}'",
        &WEBHOOK["webhook:".len()..]
    );
    assert_eq!(count(&database, &notices).await, POSTED_LEADS);
}
