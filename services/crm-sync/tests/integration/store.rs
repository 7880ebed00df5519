//! The store.

use ::lead::{Interest, Language};
use contracts::crm::v1::LeadFilter;
use crm_sync::{
    db::{Store, error::StoreError},
    leads::Source,
    search::filter::Filter,
};
use testkit::{database::Database, wait};
use uuid::Uuid;

use crate::support::{
    connect, delivered, end_connections, event_of, execute, lead, lead_from, migrated, number_of,
    on_both_databases, on_postgres, on_sqlite, owner, query_column, reference, refuse_name,
    submission, timestamp,
};

on_both_databases! {
    every_field_round_trips,
    pages_have_no_gap_or_repetition,
    migrating_twice_changes_nothing,
    concurrent_batches_store_each_lead_once,
}

on_sqlite! {
    reference_may_match_several_leads,
}

on_postgres! {
    batch_may_repeat_leads,
    batch_is_atomic,
    filter_conditions_are_combined,
}

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// The numbers of the matching leads, newest first.
async fn list_numbers(store: &Store, filter: LeadFilter) -> Vec<u128> {
    let filter = Filter::parse(filter).unwrap();
    let page = store.page(&filter, None, 500, &[]).await.unwrap();
    page.leads.iter().map(number_of).collect()
}

async fn every_field_round_trips(database: Database) {
    let store = migrated(&database).await;
    let mut alone = submission(2);
    alone.visit = None;
    assert_eq!(
        store
            .record_leads(Source::Broker, &[submission(1), alone.clone()])
            .await
            .unwrap()
            .created,
        2
    );
    let stored = store.lead(id(1)).await.unwrap();
    assert!(
        stored.submission == Some(lead(1)),
        "the stored lead differs"
    );
    assert!(stored.deliveries.is_empty());
    assert!(
        store.lead(id(2)).await.unwrap().submission == Some(alone.into()),
        "the stored lead differs"
    );
    assert!(store.lead(id(3)).await.is_err());
}

async fn batch_may_repeat_leads(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(1)])
        .await
        .unwrap();
    let batch = [2, 1, 3, 2, 3].map(submission);
    assert_eq!(
        store
            .record_leads(Source::Broker, &batch)
            .await
            .unwrap()
            .created,
        2
    );
    assert_eq!(list_numbers(&store, LeadFilter::default()).await, [3, 2, 1]);
}

async fn batch_is_atomic(database: Database) {
    let store = migrated(&database).await;
    refuse_name(database.url(), "poison").await;
    let mut poison = submission(2);
    poison.name = "poison".into();
    let error = store
        .record_leads(Source::Broker, &[submission(1), poison, submission(3)])
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Refused(_)), "{error}");
    assert!(!error.to_string().contains("poison"), "{error}");
    assert!(list_numbers(&store, LeadFilter::default()).await.is_empty());
}

async fn pages_have_no_gap_or_repetition(database: Database) {
    let store = migrated(&database).await;
    let mut leads: Vec<_> = (1..=7).map(submission).collect();
    // Three leads have the same microsecond, so the id decides.
    leads[3].submitted_at = leads[2].submitted_at;
    leads[4].submitted_at = leads[2].submitted_at;
    store.record_leads(Source::Broker, &leads).await.unwrap();

    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = store.page(&Filter::default(), after, 2, &[]).await.unwrap();
        seen.extend(page.leads.iter().map(number_of));
        if seen.len() == 2 {
            // Newer leads do not change later pages.
            store
                .record_leads(Source::Broker, &[submission(50)])
                .await
                .unwrap();
        }
        after = page.last;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, [7, 6, 5, 4, 3, 2, 1]);
    let whole = store.page(&Filter::default(), None, 8, &[]).await.unwrap();
    assert!(
        whole.leads.len() == 8 && whole.last.is_none(),
        "a full last page is the last"
    );
}

async fn filter_conditions_are_combined(database: Database) {
    let store = migrated(&database).await;
    let mut leads: Vec<_> = (1..=4).map(submission).collect();
    leads[0].interests = vec![Interest::Purchase];
    leads[1].interests = vec![Interest::Brochure, Interest::Purchase];
    leads[2].language = Language::English;
    store.record_leads(Source::Broker, &leads).await.unwrap();
    for number in [2, 3] {
        store
            .report(&event_of(number, "one", [delivered("a@x.example")]))
            .await
            .unwrap();
    }

    let all = LeadFilter::default;
    assert_eq!(
        list_numbers(
            &store,
            LeadFilter {
                interest: Interest::Purchase as i32,
                ..all()
            }
        )
        .await,
        [2, 1]
    );
    assert_eq!(
        list_numbers(
            &store,
            LeadFilter {
                interest: Interest::Brochure as i32,
                ..all()
            }
        )
        .await,
        [4, 3, 2]
    );
    assert_eq!(
        list_numbers(
            &store,
            LeadFilter {
                language: Language::English as i32,
                ..all()
            }
        )
        .await,
        [3]
    );
    assert_eq!(
        list_numbers(
            &store,
            LeadFilter {
                delivered: Some(true),
                ..all()
            }
        )
        .await,
        [3, 2]
    );
    assert_eq!(
        list_numbers(
            &store,
            LeadFilter {
                delivered: Some(false),
                ..all()
            }
        )
        .await,
        [4, 1]
    );
    let second = Some(timestamp(leads[1].submitted_at));
    assert_eq!(
        list_numbers(
            &store,
            LeadFilter {
                submitted_from: second,
                ..all()
            }
        )
        .await,
        [4, 3, 2]
    );
    assert_eq!(
        list_numbers(
            &store,
            LeadFilter {
                submitted_before: second,
                ..all()
            }
        )
        .await,
        [1]
    );
    let both = LeadFilter {
        interest: Interest::Purchase as i32,
        delivered: Some(true),
        ..all()
    };
    assert_eq!(list_numbers(&store, both).await, [2]);
}

async fn reference_may_match_several_leads(database: Database) {
    let store = migrated(&database).await;
    let mut twin = submission(2);
    twin.reference = reference(1).parse().unwrap();
    store
        .record_leads(Source::Broker, &[submission(1), twin, submission(3)])
        .await
        .unwrap();
    let called = async |number| {
        let ids = store
            .find_by_reference(&reference(number).parse().unwrap(), 10)
            .await
            .unwrap();
        ids.iter().map(|(id, _)| id.as_u128()).collect::<Vec<_>>()
    };
    assert_eq!(called(1).await, [1, 2]);
    assert_eq!(called(3).await, [3]);
    assert!(called(4).await.is_empty());
}

async fn migrating_twice_changes_nothing(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(1)])
        .await
        .unwrap();
    Store::migrate(&owner(database.url()), None).await.unwrap();
    assert_eq!(list_numbers(&store, LeadFilter::default()).await, [1]);
}

async fn concurrent_batches_store_each_lead_once(database: Database) {
    // Simulates two processes that store the same leads in different orders.
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    let writes = (0..20).map(|write| {
        let store = if write % 2 == 0 {
            one.clone()
        } else {
            two.clone()
        };
        let mut numbers: Vec<u128> = (1..=20).collect();
        numbers.rotate_left(write % 20);
        async move {
            let leads: Vec<_> = numbers.into_iter().map(submission).collect();
            // SQLite rejects a writer that has waited for a second. A consumer then stores the batch again.
            wait::for_some("the batch", async || {
                match store.record_leads(Source::Broker, &leads).await {
                    Err(StoreError::Contended(_)) => None,
                    recorded => Some(recorded.unwrap().created),
                }
            })
            .await
        }
    });
    let created: u64 = futures_util::future::join_all(writes)
        .await
        .into_iter()
        .sum();
    assert_eq!(created, 20);
}

#[tokio::test]
async fn serve_does_not_migrate_postgres() {
    let database = testkit::database::postgres();
    let error = connect(database.url()).await.err().unwrap();
    assert!(matches!(error, StoreError::SchemaOutdated), "{error}");
    assert!(error.to_string().contains("crm-sync migrate"), "{error}");
}

#[tokio::test]
async fn backlog_in_new_tables_uses_indexes() {
    let database = testkit::database::postgres();
    let store = migrated(&database).await;
    let lead = |number| {
        lead_from(
            number,
            &format!("{number}@example.com"),
            &format!("9{number:07}"),
        )
    };
    let store_batch = async |batch: u128| {
        let leads: Vec<_> = (batch * 200 + 1..=(batch + 1) * 200).map(lead).collect();
        store.record_leads(Source::Broker, &leads).await.unwrap();
    };
    // Often enough that PostgreSQL caches a plan that suits small tables.
    for batch in 0..10 {
        store_batch(batch).await;
    }
    execute(
        database.url(),
        "INSERT INTO contact_key SELECT kind || ' other ' || number, gen_random_uuid()
        FROM generate_series(1, 50000) AS number, unnest(ARRAY['email', 'phone']) AS kind",
    )
    .await;
    store_batch(10).await;
    // The statistics of a connection are complete when it closes.
    end_connections(database.url()).await;
    let tables = "FROM pg_stat_user_tables WHERE relname IN ('lead', 'contact_key')";
    let written = format!("SELECT sum(n_tup_ins)::text {tables}");
    wait::until("the count", async || {
        query_column(database.url(), &written).await == ["106600"]
    })
    .await;
    let read = format!("SELECT sum(seq_tup_read + idx_tup_fetch)::text {tables}");
    let read: u32 = query_column(database.url(), &read).await[0]
        .parse()
        .unwrap();
    assert!(read < 50_000, "{read} rows were read");
}

#[tokio::test]
async fn serve_migrates_sqlite() {
    let database = testkit::database::sqlite();
    let store = connect(database.url()).await.unwrap();
    assert_eq!(
        store
            .record_leads(Source::Broker, &[submission(1)])
            .await
            .unwrap()
            .created,
        1
    );
}
