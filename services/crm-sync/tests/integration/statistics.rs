//! Statistics.

use ::lead::{Interest, Language, SpamSignal};
use chrono::TimeDelta;
use contracts::{
    crm::v1::{CountLeadsRequest, CountLeadsResponse, LeadState},
    leads::v1::{Interest as SentInterest, Language as SentLanguage},
};
use crm_sync::{
    db::Store,
    leads::{Change, Source},
    statistics::Spans,
};
use prost_types::{Duration, Timestamp};
use sea_orm::{ConnectionTrait, Statement};
use testkit::database::Database;
use tonic::Code;

use crate::support::{
    contacted, execute, migrated, on_both_databases, on_postgres, serve, submission, timestamp,
};

on_both_databases! {
    counts_leads_by_period_and_kind,
    ranks_times_to_contact,
}

on_postgres! {
    owner_count_ignores_spelling,
    value_of_a_newer_version_counts_in_the_total,
}

async fn value_of_a_newer_version_counts_in_the_total(database: Database) {
    let store = migrated(&database).await;
    let leads = [submission(1), submission(2)];
    store.record_leads(Source::Broker, &leads).await.unwrap();
    let newer =
        "UPDATE lead SET state = 'reserved', language = 'ms' WHERE reference = 'ZG-0000-01'";
    execute(database.url(), newer).await;
    let from = vec![leads[0].submitted_at];
    let before = leads[1].submitted_at + TimeDelta::seconds(1);
    let counted = store.count_leads(&Spans::new(from, before).unwrap()).await;
    let total = counted.unwrap().total.unwrap();
    assert_eq!(total.leads, 2);
    assert_eq!(total.states.iter().map(|it| it.leads).sum::<u64>(), 1);
}

async fn counts_leads_by_period_and_kind(database: Database) {
    let store = migrated(&database).await;
    let mut leads: Vec<_> = (1..=6).map(submission).collect();
    leads[0].interests = vec![Interest::Purchase];
    leads[1].language = Language::English;
    leads[1].signals = vec![SpamSignal::Links];
    store.record_leads(Source::Broker, &leads).await.unwrap();
    for (reference, contacted_at) in [
        ("ZG-0000-01", "04:05:17"),
        ("ZG-0000-02", "04:06:08"),
        ("ZG-0000-03", "05:05:09"),
    ] {
        let contact = format!(
            "UPDATE lead SET state = 'contacted', contacted_at = '2026-03-01T{contacted_at}.250001+00:00'
             WHERE reference = '{reference}'"
        );
        execute(database.url(), &contact).await;
    }
    execute(
        database.url(),
        "UPDATE lead SET erased_at = recorded_at WHERE reference = 'ZG-0000-05'",
    )
    .await;

    let mut client = serve(&database).await;
    let from = [1, 3, 9]
        .map(|number| timestamp(submission(number).submitted_at))
        .to_vec();
    let before = Some(timestamp(submission(20).submitted_at));
    let counted = client
        .leads
        .count_leads(CountLeadsRequest { from, before })
        .await
        .unwrap()
        .into_inner();

    assert_eq!(
        counted.spans.iter().map(|it| it.leads).collect::<Vec<_>>(),
        [2, 3, 0]
    );
    let total = counted.total.unwrap();
    assert_eq!((total.leads, total.spam), (5, 1));
    let interests: Vec<_> = total
        .interests
        .iter()
        .map(|it| (it.interest(), it.leads))
        .collect();
    let wanted = [
        (SentInterest::Brochure, 4),
        (SentInterest::Purchase, 1),
        (SentInterest::Showflat, 4),
    ];
    assert_eq!(interests, wanted);
    let languages: Vec<_> = total
        .languages
        .iter()
        .map(|it| (it.language(), it.leads))
        .collect();
    assert_eq!(languages, [(SentLanguage::En, 1), (SentLanguage::Zh, 4)]);
    let states: Vec<_> = total
        .states
        .iter()
        .map(|it| (it.state(), it.leads))
        .filter(|it| it.1 > 0)
        .collect();
    assert_eq!(states, [(LeadState::New, 2), (LeadState::Contacted, 3)]);
    assert_eq!(
        counted.median_to_contact,
        Some(Duration {
            seconds: 60,
            nanos: 0
        })
    );
    assert_eq!(
        counted.p90_to_contact,
        Some(Duration {
            seconds: 3600,
            nanos: 0
        })
    );

    let no_spans = CountLeadsRequest {
        from: vec![],
        before,
    };
    let backwards = CountLeadsRequest {
        from: vec![
            Timestamp {
                seconds: 9,
                nanos: 0,
            },
            Timestamp::default(),
        ],
        before,
    };
    for request in [no_spans, backwards] {
        assert_eq!(
            client.leads.count_leads(request).await.unwrap_err().code(),
            Code::InvalidArgument
        );
    }
}

/// The statistics of these leads.
async fn statistics_of(store: &Store, numbers: [u128; 2]) -> CountLeadsResponse {
    let [from, before] = numbers.map(|number| submission(number).submitted_at);
    store
        .count_leads(&Spans::new(vec![from], before).unwrap())
        .await
        .unwrap()
}

async fn owner_count_ignores_spelling(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[1, 2, 3, 4].map(submission))
        .await
        .unwrap();
    for (number, owner) in [(2, "Mei"), (3, "Mei"), (4, "mei ")] {
        let change = Change {
            state: None,
            owner: Some(owner.to_owned()),
            ..contacted(number)
        };
        store.update_lead(&change).await.unwrap();
    }
    let owners = statistics_of(&store, [1, 5]).await.total.unwrap().owners;
    let states: Vec<_> = owners
        .iter()
        .map(|it| {
            (
                it.owner.trim().to_lowercase(),
                it.states.iter().map(|it| it.leads).collect::<Vec<_>>(),
            )
        })
        .collect();
    let expected = [
        ("mei".to_owned(), vec![3, 0, 0, 0, 0]),
        (String::new(), vec![1, 0, 0, 0, 0]),
    ];
    assert_eq!(states, expected, "the largest count first");
}

async fn ranks_times_to_contact(database: Database) {
    let store = migrated(&database).await;
    let leads: Vec<_> = (1..=10).map(submission).collect();
    store.record_leads(Source::Broker, &leads).await.unwrap();
    let none = statistics_of(&store, [1, 11]).await;
    assert_eq!((none.median_to_contact, none.p90_to_contact), (None, None));
    for (times, expected) in [
        (&[7][..], [7, 7]),
        (&[30, 10, 20], [20, 30]),
        (&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [5, 9]),
        (&[-3, 100_000], [0, 100_000]),
    ] {
        let connection = sea_orm::Database::connect(database.url()).await.unwrap();
        for (lead, seconds) in leads.iter().zip(times) {
            let contacted_at = lead.submitted_at + chrono::TimeDelta::seconds(*seconds);
            let update = "UPDATE lead SET contacted_at = $1 WHERE id = $2";
            let (backend, values) = (
                connection.get_database_backend(),
                [contacted_at.into(), lead.id.into()],
            );
            connection
                .execute_raw(Statement::from_sql_and_values(backend, update, values))
                .await
                .unwrap();
        }
        let statistics = statistics_of(&store, [1, 1 + times.len() as u128]).await;
        let ranked =
            [statistics.median_to_contact, statistics.p90_to_contact].map(|it| it.unwrap().seconds);
        assert_eq!(ranked, expected, "{times:?}");
    }
}
