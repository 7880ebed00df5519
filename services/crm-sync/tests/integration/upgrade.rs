//! The upgrade from the first schema, and programs of that version beside this version.

use contracts::crm::v1::LeadFilter;
use crm_sync::{
    db::Store,
    leads::{Change, Source},
    search::filter::Filter,
};
use crm_sync_migration::{Migrator, MigratorTrait};
use testkit::database::Database;
use uuid::Uuid;

use crate::support::{
    contacted, execute, get_lead, lead_from, migrated, number_of, on_both_databases, query_column,
    withdraw,
};

on_both_databases! {
    leads_of_the_first_schema_are_complete_after_the_upgrade,
    first_schema_suppresses_until_contact_is_allowed,
    previous_version_stores_leads_in_the_new_schema,
    search_finds_old_numbers_in_digits_of_another_script,
    question_of_the_second_schema_keeps_its_sentences,
}

const WEI: &str = "w.ei@gmail.com";
const MAILBOX: &str = "wei@gmail.com";

async fn start_with_first_schema(database: &Database) {
    start_with_schema(database, 1).await;
}

async fn start_with_schema(database: &Database, migrations: u32) {
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    Migrator::up(&connection, Some(migrations)).await.unwrap();
}

/// A lead's id in SQL. SQLite stores ids as blobs.
fn id_in(database: &Database, number: u128) -> String {
    let id = Uuid::from_u128(number);
    if database.url().starts_with("sqlite") {
        format!("X'{}'", id.simple())
    } else {
        format!("'{id}'")
    }
}

/// Stores a lead as a program of the first schema does.
async fn store_with_previous_version(database: &Database, number: u128) {
    let id = id_in(database, number);
    let insert = format!(
        "INSERT INTO lead (id, reference, submitted_at, interests, signals, name, mobile, submitted_mobile, email,
            questions, language, privacy_policy_version, channels, email_key, mailbox, digits, number_key, searched,
            source, contact_id, state, owner, owner_key, changed_by, closing_reason, open, leases, brochure)
         VALUES ({id}, 'ZG-0000-0{number}', '2026-01-0{number}T00:00:00+00:00', '[\"showflat\"]', '[]', 'Wei',
            '8123 4567', '9123 4567', '{WEI}', '', 'en', '2025-07', '[]', '{WEI}', '{MAILBOX}', '6581234567',
            '+6581234567 wei', 'wei', 'broker', {id}, 'new', '', '', '', '', FALSE, 0, FALSE);
         INSERT INTO timeline (lead_id, at, recipient, details)
         VALUES ({id}, '2026-01-05T00:00:00+00:00', '', '{{\"event\": \"erasure_requested\"}}');
         INSERT INTO audit (client, action, leads, lead_id) VALUES ('mei', 'show', 1, {id})"
    );
    execute(database.url(), &insert).await;
}

async fn is_marked(store: &Store, number: u128) -> bool {
    let progress = get_lead(store, number).await.progress.unwrap();
    progress.do_not_contact_at.is_some()
}

async fn leads_of_the_first_schema_are_complete_after_the_upgrade(database: Database) {
    start_with_first_schema(&database).await;
    store_with_previous_version(&database, 1).await;
    let conflict = serde_json::to_string(&lead_from(1, WEI, "9123 4567")).unwrap();
    let conflict = conflict.replace('\'', "''");
    let insert = format!(
        "INSERT INTO conflict (lead_id, source, email_key, digits, contents)
         VALUES ({}, 'broker', '{WEI}', '6591234567', '{conflict}'), ({}, 'broker', '', '', '{{}}')",
        id_in(&database, 1),
        id_in(&database, 9)
    );
    execute(database.url(), &insert).await;

    // Lead 9's conflict is unreadable, and stops nothing.
    let store = migrated(&database).await;
    assert_eq!(
        store.complete_rows().await.unwrap(),
        2,
        "a lead and a conflict"
    );
    assert_eq!(store.complete_rows().await.unwrap(), 0);
    let lead = get_lead(&store, 1).await;
    assert!(lead.erasure_requested_at.is_some());
    assert_eq!(lead.conflicts.len(), 1);
    let mailboxes = "SELECT mailbox FROM conflict WHERE mailbox <> ''";
    let mailboxes = query_column(database.url(), mailboxes).await;
    assert_eq!(mailboxes, [MAILBOX]);
    let audited = "SELECT CAST(lead_ids AS text) FROM audit WHERE client = 'mei'";
    let audited = query_column(database.url(), audited).await;
    assert!(
        audited[0].contains(&Uuid::from_u128(1).to_string()),
        "{audited:?}"
    );
    // The message has the submitted number, and may be delivered again.
    let redelivered = lead_from(1, WEI, "9123 4567");
    let redelivered = lead::Lead {
        name: "Wei".into(),
        ..redelivered
    };
    store
        .record_leads(Source::Broker, &[redelivered])
        .await
        .unwrap();
    withdraw(&store, 1, false).await;
    assert!(is_marked(&store, 1).await);
}

async fn first_schema_suppresses_until_contact_is_allowed(database: Database) {
    start_with_first_schema(&database).await;
    store_with_previous_version(&database, 1).await;
    let store = migrated(&database).await;
    store.complete_rows().await.unwrap();
    let hash = "SELECT mailbox_hash FROM lead";
    let hash = query_column(database.url(), hash).await.remove(0);
    let insert = format!(
        "UPDATE lead SET do_not_contact_at = '2026-01-06T00:00:00+00:00';
         INSERT INTO suppression (hash, since, reason) VALUES ('{hash}', '2026-01-06T00:00:00+00:00', 'withdrawal')"
    );
    execute(database.url(), &insert).await;

    let record = async |number| {
        let lead = lead_from(number, MAILBOX, "no number");
        store.record_leads(Source::Broker, &[lead]).await.unwrap();
        is_marked(&store, number).await
    };
    assert!(record(2).await, "another spelling of the mailbox");
    let allow = Change {
        do_not_contact: Some(false),
        state: None,
        ..contacted(1)
    };
    store.update_lead(&allow).await.unwrap();
    assert!(!record(3).await);
}

/// During an upgrade, replicas of both versions store leads. After a rollback, only the previous version does.
async fn previous_version_stores_leads_in_the_new_schema(database: Database) {
    let store = migrated(&database).await;
    store_with_previous_version(&database, 1).await;
    assert_eq!(store.complete_rows().await.unwrap(), 1);
    withdraw(&store, 1, false).await;
    assert!(is_marked(&store, 1).await);
}

/// Earlier versions knew only ASCII and full-width digits.
async fn search_finds_old_numbers_in_digits_of_another_script(database: Database) {
    let store = migrated(&database).await;
    for number in 1..=3 {
        store_with_previous_version(&database, number).await;
    }
    let old = "UPDATE lead SET digits = '', number_key = '', searched = 'wei ' WHERE reference <> 'ZG-0000-03';
         UPDATE lead SET mobile = '+٦٥ ٩١٢٣ ٤٥٦٧' WHERE reference = 'ZG-0000-01';
         UPDATE lead SET mobile = 'no number' WHERE reference = 'ZG-0000-02'";
    execute(database.url(), old).await;
    for _ in 0..2 {
        store.fold_digits().await.unwrap();
        let digits = "SELECT digits FROM lead ORDER BY reference";
        assert_eq!(
            query_column(database.url(), digits).await,
            ["6591234567", "", "6581234567"]
        );
    }
    let search = LeadFilter {
        search: "9123 4567".to_owned(),
        ..LeadFilter::default()
    };
    let found = store
        .page(&Filter::parse(search).unwrap(), None, 9, &[])
        .await;
    let found: Vec<_> = found.unwrap().leads.iter().map(number_of).collect();
    assert_eq!(found, [1]);
}

/// Earlier versions stored plan and times as sentences. A redelivered event of such a lead has the same contents.
async fn question_of_the_second_schema_keeps_its_sentences(database: Database) {
    const QUESTION: &str = "I would like to know more about 2 Bedroom Deluxe B2.";
    start_with_schema(&database, 2).await;
    store_with_previous_version(&database, 1).await;
    let ask = format!("UPDATE lead SET questions = '{QUESTION}', earlier = NULL");
    execute(database.url(), &ask).await;

    let store = migrated(&database).await;
    let stored = get_lead(&store, 1).await.submission.unwrap();
    assert_eq!(stored.questions, QUESTION);
    assert_eq!((stored.plan.as_str(), stored.visit_times.len()), ("", 0));
    assert_eq!(stored.home_preferences.len(), 0);

    let event = lead::Lead::try_from(stored).unwrap();
    let recorded = store.record_leads(Source::Broker, &[event]).await.unwrap();
    assert_eq!((recorded.created, recorded.conflicts), (0, 0));
}
