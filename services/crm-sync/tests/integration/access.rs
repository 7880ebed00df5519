//! Daily summaries that one replica sends, used links and sessions of the desk.

use std::time::Duration;

use chrono::TimeDelta;
use contracts::crm::v1::{ClaimTaskRequest, FinishTaskRequest};
use crm_client::Replica;
use crm_sync::{
    access::{LinkUse, SessionId, SummaryClaim},
    db::Store,
    deliveries::Lease,
    leads::Source,
};
use crm_sync_migration::{Migrator, MigratorTrait};
use futures_util::future::join_all;
use testkit::{database::Database, wait};
use tonic::{Code, service::interceptor::InterceptedService};
use uuid::Uuid;

use crate::support::{
    Bearer, NO_BROKER, as_person, channel, connect, execute, lease_for, leased, migrated,
    on_both_databases, query_column, serve, start, submission,
};

on_both_databases! {
    summary_has_one_holder_until_its_lease_ends_or_it_is_sent,
    one_of_many_replicas_claims_a_summary,
    first_browser_may_repeat_its_use_of_a_link_for_a_time,
    session_is_granted_until_it_ends,
    ended_tasks_are_deleted_after_thirty_days,
    upgrade_keeps_sessions_and_used_links,
    longest_durations_are_accepted,
}

const MINUTE: Duration = Duration::from_mins(1);
const MOMENT: Duration = Duration::from_millis(1);

fn summary(name: &str, holder: &str, lease: Duration) -> SummaryClaim {
    SummaryClaim {
        name: name.to_owned(),
        holder: holder.to_owned(),
        lease,
    }
}

fn link(email: u128, browser: &str, repeatable_for: Duration) -> LinkUse {
    LinkUse {
        email: Uuid::from_u128(email),
        browser: browser.to_owned(),
        kept_for: MINUTE,
        repeatable_for,
    }
}

fn session(person: u128, id: u128) -> SessionId {
    SessionId {
        person: Uuid::from_u128(person),
        id: Uuid::from_u128(id),
    }
}

async fn is_open(store: &Store, session: SessionId) -> bool {
    store.claim_session(session, MINUTE).await.unwrap()
}

async fn summary_has_one_holder_until_its_lease_ends_or_it_is_sent(database: Database) {
    let store = migrated(&database).await;
    let claim = async |name: &str, holder: &str, lease: Duration| {
        let claim = summary(name, holder, lease);
        store.claim_summary(&claim).await.unwrap()
    };
    assert!(claim("day/1", "one", MINUTE).await);
    assert!(!claim("day/1", "two", MINUTE).await);
    assert!(claim("day/2", "two", MINUTE).await, "another summary");
    assert!(claim("day/1", "one", MOMENT).await, "the holder again");
    wait::until("the lease's end", async || {
        claim("day/1", "two", MINUTE).await
    })
    .await;
    store.finish_summary("day/1", "one").await.unwrap();
    assert!(
        claim("day/1", "two", MOMENT).await,
        "a previous holder cannot finish"
    );
    store.finish_summary("day/1", "two").await.unwrap();
    for holder in ["one", "two"] {
        assert!(!claim("day/1", holder, MOMENT).await, "sent");
    }
    store.finish_summary("day/9", "two").await.unwrap();
}

async fn one_of_many_replicas_claims_a_summary(database: Database) {
    let one = migrated(&database).await;
    let two = connect(database.url()).await.unwrap();
    for round in 0..5 {
        let name = format!("day/{round}");
        let claims = join_all((0..12).map(|holder| {
            let store = if holder % 2 == 0 { &one } else { &two };
            let claim = summary(&name, &format!("holder-{holder}"), MINUTE);
            async move { store.claim_summary(&claim).await.unwrap() }
        }))
        .await;
        assert_eq!(claims.iter().filter(|granted| **granted).count(), 1);
    }
}

async fn first_browser_may_repeat_its_use_of_a_link_for_a_time(database: Database) {
    let store = migrated(&database).await;
    let use_link = async |email: u128, browser: &str, repeatable_for: Duration| {
        let link = link(email, browser, repeatable_for);
        store.use_link(&link).await.unwrap()
    };
    assert!(use_link(1, "one", MINUTE).await && use_link(1, "one", MINUTE).await);
    assert!(!use_link(1, "two", MINUTE).await);
    assert!(use_link(2, "two", MINUTE).await, "another link");
    wait::until("the end of the time", async || {
        !use_link(1, "one", MOMENT).await
    })
    .await;
    assert!(
        use_link(1, "one", MINUTE).await,
        "a repeated use does not move the first"
    );
    assert!(
        use_link(1, "one", Duration::MAX).await,
        "a time beyond the calendar"
    );
}

async fn session_is_granted_until_it_ends(database: Database) {
    let store = migrated(&database).await;
    for id in 1..=3 {
        assert!(is_open(&store, session(1, id)).await);
        assert!(is_open(&store, session(1, id)).await, "again");
    }
    assert!(is_open(&store, session(2, 1)).await);
    store.end_session(session(1, 1)).await.unwrap();
    assert!(!is_open(&store, session(1, 1)).await, "ended");
    assert!(is_open(&store, session(1, 2)).await, "another session");
    store.end_all_sessions(Uuid::from_u128(1)).await.unwrap();
    for id in 1..=3 {
        assert!(!is_open(&store, session(1, id)).await, "{id}");
    }
    assert!(is_open(&store, session(2, 1)).await, "another person");
    let until = "SELECT CAST(until AS text) FROM desk_session WHERE ended_at IS NULL";
    let before = query_column(database.url(), until).await;
    let month = Duration::from_hours(30 * 24);
    assert!(store.claim_session(session(2, 1), month).await.unwrap());
    assert_ne!(
        query_column(database.url(), until).await,
        before,
        "extended"
    );
}

async fn ended_tasks_are_deleted_after_thirty_days(database: Database) {
    let store = migrated(&database).await;
    for number in [1, 2] {
        let claim = summary(&format!("day/{number}"), "one", MINUTE);
        assert!(store.claim_summary(&claim).await.unwrap());
        assert!(store.use_link(&link(number, "one", MINUTE)).await.unwrap());
        assert!(is_open(&store, session(number, 1)).await);
    }
    let first = Uuid::from_u128(1);
    for row in [
        "task SET until = $ WHERE name = 'day/1'".to_owned(),
        format!("used_link SET until = $ WHERE email = '{first}'"),
        format!("desk_session SET until = $ WHERE person = '{first}'"),
    ] {
        let update = format!("UPDATE {row}").replace('$', "'2026-01-01T00:00:00+00:00'");
        execute(database.url(), &update).await;
    }
    store.delete_old_tasks().await.unwrap();
    for (column, kept) in [
        ("name FROM task", "day/2".to_owned()),
        ("email FROM used_link", Uuid::from_u128(2).to_string()),
        ("person FROM desk_session", Uuid::from_u128(2).to_string()),
    ] {
        let rows = query_column(database.url(), &format!("SELECT {column}")).await;
        assert_eq!(rows, [kept]);
    }
}

async fn longest_durations_are_accepted(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(1)])
        .await
        .unwrap();
    let longest = Duration::from_secs(i64::MAX.unsigned_abs());
    let link = LinkUse {
        kept_for: longest,
        ..link(1, "one", longest)
    };
    assert!(store.use_link(&link).await.unwrap() && store.use_link(&link).await.unwrap());
    let claim = summary("day/1", "one", longest);
    assert!(store.claim_summary(&claim).await.unwrap());
    for _ in 0..2 {
        let session = session(1, 1);
        assert!(store.claim_session(session, longest).await.unwrap());
    }
    // Of PENDING_GRACE_SECONDS.
    let waiting = Lease {
        pending_for: longest,
        ..lease_for("one")
    };
    assert_eq!(leased(&store, &waiting).await, [0; 0]);
    assert_eq!(store.erase_older_than(TimeDelta::MAX).await.unwrap(), 0);
}

async fn upgrade_keeps_sessions_and_used_links(database: Database) {
    let connection = sea_orm::Database::connect(database.url()).await.unwrap();
    Migrator::up(&connection, Some(2)).await.unwrap();
    let open = session(1, 1);
    let ended = session(1, 2);
    let name = |it: SessionId| format!("desk-session/{}/{}", it.person, it.id);
    let mail = Uuid::from_u128(7);
    let at = "'2999-01-01T00:00:00+00:00'";
    let insert = format!(
        "INSERT INTO task (name, holder, until, done_at) VALUES
         ('{}', 'desk', {at}, NULL), ('{}', 'desk', {at}, {at}),
         ('desk-link/{mail}', 'desk-one', {at}, NULL), ('daily-summary/2026-03-01/1', 'one', {at}, {at})",
        name(open),
        name(ended)
    );
    execute(database.url(), &insert).await;
    let store = migrated(&database).await;
    assert!(is_open(&store, open).await);
    assert!(!is_open(&store, ended).await);
    for browser in ["desk-one", "desk-two"] {
        assert!(!store.use_link(&link(7, browser, MINUTE)).await.unwrap());
    }
    let claim = summary("daily-summary/2026-03-01/1", "one", MINUTE);
    assert!(!store.claim_summary(&claim).await.unwrap());
}

/// Lease in days.
fn claim(task: &str, holder: &str, days: i64) -> ClaimTaskRequest {
    let duration = |seconds| prost_types::Duration { seconds, nanos: 0 };
    ClaimTaskRequest {
        task: task.to_owned(),
        holder: holder.to_owned(),
        lease: Some(duration(days * 24 * 60 * 60)),
        repeatable_for: Some(duration(60)),
    }
}

#[tokio::test]
async fn claims_and_finishes_a_summary() {
    let database = testkit::database::sqlite();
    let client = serve(&database).await;
    let name = "daily-summary/2026-03-01/1";
    let is_granted = async |holder: &str| {
        let claim = claim(name, holder, 1);
        let answer = client.clone().access.claim_task(claim).await;
        answer.unwrap().into_inner().granted
    };
    assert!(is_granted("one").await);
    assert!(!is_granted("two").await);
    let finish = FinishTaskRequest {
        task: name.to_owned(),
        holder: "one".to_owned(),
    };
    client.clone().access.finish_task(finish).await.unwrap();
    assert!(!is_granted("one").await);
    for wrong in [
        claim(name, "", 1),
        claim(name, "one", 0),
        claim(&"x".repeat(201), "one", 1),
        claim("desk-link/1", "one", 1),
        claim("desk-session/1/2", "one", 1),
        ClaimTaskRequest {
            repeatable_for: None,
            ..claim(&format!("desk-link/{}", Uuid::nil()), "one", 1)
        },
    ] {
        let answer = client.clone().access.claim_task(wrong).await;
        assert_eq!(answer.unwrap_err().code(), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn desk_claims_only_links_and_sessions() {
    let database = testkit::database::sqlite();
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    let bearer = Bearer(Some(testkit::crm::DESK));
    let desk = Replica::new(InterceptedService::new(
        channel(app.grpc_addr).await,
        bearer,
    ));
    let person = Uuid::from_u128(1);
    let link = format!("desk-link/{person}");
    let session = format!("desk-session/{person}/{person}");
    let claim = async |task: &str, days: i64| {
        let claim = as_person("Mei", claim(task, "desk", days));
        let answer = desk.clone().access.claim_task(claim).await;
        answer
            .map(|answer| answer.into_inner().granted)
            .map_err(|status| status.code())
    };
    let finish = async |task: &str| {
        let finish = FinishTaskRequest {
            task: task.to_owned(),
            holder: "desk".to_owned(),
        };
        let answer = desk
            .clone()
            .access
            .finish_task(as_person("Mei", finish))
            .await;
        answer.map(drop).map_err(|status| status.code())
    };
    assert_eq!(claim(&link, 15).await, Ok(true));
    assert_eq!(claim(&session, 30).await, Ok(true));
    let summary = "daily-summary/2026-03-01/1";
    assert_eq!(finish(summary).await, Err(Code::PermissionDenied));
    assert_eq!(finish(&link).await, Err(Code::InvalidArgument));
    assert_eq!(finish(&format!("desk-session/{person}/")).await, Ok(()));
    assert_eq!(claim(&session, 7).await, Ok(false));
    for (task, days) in [(session.as_str(), 31), (&link, 31), (summary, 1)] {
        assert_eq!(
            claim(task, days).await,
            Err(Code::PermissionDenied),
            "{task} for {days} days"
        );
    }
}
