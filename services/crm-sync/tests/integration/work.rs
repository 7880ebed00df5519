//! Progress of leads, and tasks that one replica runs.

use std::time::Duration;

use contracts::crm::v1::{
    ClaimTaskRequest, FinishTaskRequest, GetLeadRequest, LeadState as Named, RecordLeadRequest,
    UpdateLeadRequest, crm_service_client::CrmServiceClient, get_lead_request::Key,
    timeline_entry::Event,
};
use crm_sync::{
    db::error::StoreError,
    leads::{Change, Seen, Source},
    tasks::TaskClaim,
};
use futures_util::future::join_all;
use lead::{ClosingReason, LeadState, field::optional_time};
use testkit::{database::Database, wait};
use tonic::Code;

use crate::support::{
    Bearer, NO_BROKER, as_person, channel, connect, contacted, execute, lead, migrated,
    on_both_databases, on_postgres, query_column, serve, start, submission,
};

on_both_databases! {
    one_of_many_replicas_claims_a_task,
}

on_postgres! {
    update_lead_changes_progress,
    stale_update_is_rejected,
    note_equal_to_another_field_is_kept,
    task_has_one_holder_until_its_lease_ends_or_it_is_done,
    holder_may_repeat_a_task_claim_for_a_time,
    tasks_are_deleted_thirty_days_after_their_end,
}

async fn update_lead_changes_progress(database: Database) {
    drop(migrated(&database).await);
    let mut client = serve(&database).await;
    client
        .record_lead(RecordLeadRequest {
            lead: Some(lead(1)),
            ..RecordLeadRequest::default()
        })
        .await
        .unwrap();
    let set = async |number: u128, state: Named, owner: Option<&str>| {
        let owner = owner.map(str::to_owned);
        let lead_id = lead(number).lead_id;
        let request = UpdateLeadRequest {
            lead_id,
            state: state.into(),
            owner,
            ..UpdateLeadRequest::default()
        };
        let answer = client.clone().update_lead(request).await;
        answer.map(|answer| answer.into_inner().progress.unwrap())
    };
    let taken = set(1, Named::Unspecified, Some(" Mei ")).await.unwrap();
    assert_eq!(
        (
            taken.state(),
            taken.owner.as_str(),
            taken.changed_by.as_str()
        ),
        (Named::New, "Mei", "operator")
    );
    assert!(taken.changed_at.is_some() && taken.contacted_at.is_none());
    let visiting = set(1, Named::VisitBooked, None).await.unwrap();
    assert_eq!(
        (visiting.state(), visiting.owner.as_str()),
        (Named::VisitBooked, "Mei")
    );
    assert!(visiting.contacted_at.is_some() && visiting.contacted_at == visiting.changed_at);
    let closed = set(1, Named::Closed, Some("")).await.unwrap();
    assert_eq!(
        (closed.owner.as_str(), closed.contacted_at),
        ("", visiting.contacted_at)
    );
    assert_eq!(
        set(1, Named::Closed, None).await.unwrap(),
        closed,
        "a repeated change counts once"
    );
    assert_eq!(
        set(2, Named::Closed, None).await.unwrap_err().code(),
        Code::NotFound
    );
    let long = "x".repeat(101);
    assert_eq!(
        set(1, Named::New, Some(&long)).await.unwrap_err().code(),
        Code::InvalidArgument
    );

    let key = Some(Key::LeadId(lead(1).lead_id));
    let shown = client
        .get_lead(GetLeadRequest { key })
        .await
        .unwrap()
        .into_inner()
        .lead
        .unwrap();
    assert_eq!(shown.progress, Some(closed));
    let steps: Vec<_> = shown
        .timeline
        .iter()
        .filter_map(|entry| {
            let Event::Progressed(it) = entry.event.as_ref().unwrap() else {
                return None;
            };
            Some((it.state(), it.owner.clone(), it.client.as_str()))
        })
        .collect();
    let mei = || "Mei".to_owned();
    assert_eq!(
        steps,
        [
            (Named::New, mei(), "operator"),
            (Named::VisitBooked, mei(), "operator"),
            (Named::Closed, String::new(), "operator"),
        ]
    );
}

async fn stale_update_is_rejected(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    let called_by = |author: &str, state, seen| Change {
        state: Some(state),
        note: format!("{author} called"),
        author: author.to_owned(),
        seen: Some(Seen(seen)),
        ..contacted(1)
    };
    let first = store
        .update_lead(&called_by("Mei", LeadState::VisitBooked, None))
        .await
        .unwrap();
    let refused = store
        .update_lead(&called_by("Wei", LeadState::Closed, None))
        .await
        .err();
    assert!(matches!(refused, Some(StoreError::Changed)), "{refused:?}");
    let again = store
        .update_lead(&called_by("Mei", LeadState::VisitBooked, None))
        .await
        .unwrap();
    assert!(again == first, "a repeat after a lost response counts once");
    let told = "SELECT (details ->> 'event') || ' ' || (details ->> 'client') FROM timeline ORDER BY number";
    assert_eq!(
        query_column(database.url(), told).await,
        ["noted Mei", "progressed Mei"]
    );
    let seen = optional_time("changed_at", first.changed_at).unwrap();
    let closed = store
        .update_lead(&called_by("Wei", LeadState::Closed, seen))
        .await
        .unwrap();
    assert_eq!(
        closed.state(),
        Named::Closed,
        "after reading the lead again"
    );
    let unconditional = Change {
        author: "Ada".to_owned(),
        ..contacted(1)
    };
    assert!(store.update_lead(&unconditional).await.is_ok());
    let unknown = Change {
        seen: Some(Seen(None)),
        ..contacted(2)
    };
    let refused = store.update_lead(&unknown).await.err();
    assert!(
        matches!(refused, Some(StoreError::NoSuchLead(_))),
        "{refused:?}"
    );
}

async fn note_equal_to_another_field_is_kept(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    let closed = Change {
        state: Some(LeadState::Closed),
        closing_reason: Some(ClosingReason::Bought),
        ..contacted(1)
    };
    store.update_lead(&closed).await.unwrap();
    let noted = Change {
        state: None,
        note: "bought".to_owned(),
        ..contacted(1)
    };
    for _ in 0..2 {
        store.update_lead(&noted).await.unwrap();
    }
    store.update_lead(&contacted(1)).await.unwrap();
    store.update_lead(&noted).await.unwrap();
    let told = "SELECT (details ->> 'event') || ' ' || COALESCE(details ->> 'text', details ->> 'closing_reason', '')
        FROM timeline ORDER BY number";
    let expected = [
        "progressed bought",
        "noted bought",
        "progressed ",
        "noted bought",
    ];
    assert_eq!(
        query_column(database.url(), told).await,
        expected,
        "a repeated note counts once until another event"
    );
}

fn task(name: &str, holder: &str, lease: Duration) -> TaskClaim {
    TaskClaim {
        name: name.to_owned(),
        holder: holder.to_owned(),
        lease,
        repeatable_for: None,
    }
}

async fn task_has_one_holder_until_its_lease_ends_or_it_is_done(database: Database) {
    let store = migrated(&database).await;
    let (minute, moment) = (Duration::from_secs(60), Duration::from_millis(1));
    let claim = async |task: TaskClaim| store.claim_task(&task).await.unwrap();
    assert!(claim(task("mail/1", "one", minute)).await);
    assert!(!claim(task("mail/1", "two", minute)).await);
    assert!(claim(task("mail/2", "two", minute)).await, "another task");
    assert!(
        claim(task("mail/1", "one", moment)).await,
        "the holder may claim again"
    );
    wait::until("the lease's end", async || {
        claim(task("mail/1", "two", minute)).await
    })
    .await;
    store.finish_task("mail/1", "one").await.unwrap();
    assert!(
        claim(task("mail/1", "two", moment)).await,
        "a previous holder cannot finish the task"
    );
    store.finish_task("mail/1", "two").await.unwrap();
    for holder in ["one", "two"] {
        assert!(
            !claim(task("mail/1", holder, moment)).await,
            "a finished task is not granted again"
        );
    }
    store.finish_task("mail/1", "two").await.unwrap();
    store.finish_task("mail/9", "two").await.unwrap();
    // A name that ends in a slash finishes all tasks that begin with it.
    for name in ["link/1_2/a", "link/1_2/b", "link/1x2/a"] {
        assert!(claim(task(name, "one", minute)).await);
    }
    store.finish_task("link/1_2/", "one").await.unwrap();
    assert!(
        !claim(task("link/1_2/a", "one", minute)).await
            && !claim(task("link/1_2/b", "one", minute)).await
    );
    assert!(claim(task("link/1x2/a", "one", minute)).await);
}

async fn holder_may_repeat_a_task_claim_for_a_time(database: Database) {
    let store = migrated(&database).await;
    let claim = async |holder: &str, repeatable_for: Duration| {
        let claim = task("link/1", holder, Duration::from_secs(60));
        store
            .claim_task(&TaskClaim {
                repeatable_for: Some(repeatable_for),
                ..claim
            })
            .await
            .unwrap()
    };
    let (minute, moment) = (Duration::from_secs(60), Duration::from_millis(1));
    assert!(claim("one", minute).await && claim("one", minute).await);
    assert!(!claim("two", minute).await);
    wait::until("the end of the time", async || !claim("one", moment).await).await;
    assert!(
        claim("one", minute).await,
        "a repeated claim does not change the lease"
    );
}

async fn one_of_many_replicas_claims_a_task(database: Database) {
    let (one, two) = (
        migrated(&database).await,
        connect(database.url()).await.unwrap(),
    );
    for round in 0..5 {
        let claims = join_all((0..12).map(|holder| {
            let store = if holder % 2 == 0 {
                one.clone()
            } else {
                two.clone()
            };
            let claim = task(
                &format!("mail/{round}"),
                &format!("holder-{holder}"),
                Duration::from_secs(60),
            );
            async move { store.claim_task(&claim).await.unwrap() }
        }))
        .await;
        assert_eq!(claims.iter().filter(|granted| **granted).count(), 1);
    }
}

async fn tasks_are_deleted_thirty_days_after_their_end(database: Database) {
    let store = migrated(&database).await;
    for name in ["mail/1", "mail/2"] {
        assert!(
            store
                .claim_task(&task(name, "one", Duration::from_secs(60)))
                .await
                .unwrap()
        );
        store.finish_task(name, "one").await.unwrap();
    }
    let long_ago = "UPDATE task SET until = '2026-01-01T00:00:00+00:00' WHERE name = 'mail/1'";
    execute(database.url(), long_ago).await;
    store.delete_old_tasks().await.unwrap();
    assert_eq!(
        query_column(database.url(), "SELECT name FROM task").await,
        ["mail/2"]
    );
}

#[tokio::test]
async fn claims_and_finishes_a_task() {
    let database = testkit::database::sqlite();
    let mut client = serve(&database).await;
    let claim = |holder: &str, seconds| ClaimTaskRequest {
        task: "daily-summary/2026-03-01".to_owned(),
        holder: holder.to_owned(),
        lease: Some(prost_types::Duration { seconds, nanos: 0 }),
        repeatable_for: None,
    };
    assert!(
        client
            .claim_task(claim("one", 60))
            .await
            .unwrap()
            .into_inner()
            .granted
    );
    assert!(
        !client
            .claim_task(claim("two", 60))
            .await
            .unwrap()
            .into_inner()
            .granted
    );
    let finish = FinishTaskRequest {
        task: claim("one", 60).task,
        holder: "one".to_owned(),
    };
    client.finish_task(finish).await.unwrap();
    assert!(
        !client
            .claim_task(claim("one", 60))
            .await
            .unwrap()
            .into_inner()
            .granted
    );
    for wrong in [
        claim("", 60),
        claim("one", 0),
        ClaimTaskRequest {
            task: "x".repeat(201),
            ..claim("one", 1)
        },
    ] {
        assert_eq!(
            client.claim_task(wrong).await.unwrap_err().code(),
            Code::InvalidArgument
        );
    }
}

#[tokio::test]
async fn desk_claims_only_its_own_tasks() {
    let database = testkit::database::sqlite();
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    let bearer = Bearer(Some(testkit::crm::DESK));
    let desk = CrmServiceClient::with_interceptor(channel(app.grpc_addr).await, bearer);
    let claim = async |task: &str, days: i64| {
        let claim = ClaimTaskRequest {
            task: task.to_owned(),
            holder: "desk-1".to_owned(),
            lease: Some(prost_types::Duration {
                seconds: days * 24 * 60 * 60,
                nanos: 0,
            }),
            repeatable_for: None,
        };
        let answer = desk.clone().claim_task(as_person("Mei", claim)).await;
        answer
            .map(|answer| answer.into_inner().granted)
            .map_err(|status| status.code())
    };
    assert_eq!(claim("desk-link/1", 15).await, Ok(true));
    assert_eq!(claim("desk-session/1/2", 30).await, Ok(true));
    let finish = async |task: &str| {
        let finish = FinishTaskRequest {
            task: task.to_owned(),
            holder: "desk-1".to_owned(),
        };
        desk.clone()
            .finish_task(as_person("Mei", finish))
            .await
            .map(drop)
            .map_err(|status| status.code())
    };
    assert_eq!(
        finish("daily-summary/2026-03-01").await,
        Err(Code::PermissionDenied)
    );
    assert_eq!(finish("desk-session/1/").await, Ok(()));
    assert_eq!(claim("desk-session/1/2", 7).await, Ok(false));
    for (task, days) in [
        ("desk-session/2/1", 31),
        ("daily-summary/2026-03-01", 1),
        ("x/desk-link/2", 1),
    ] {
        assert_eq!(
            claim(task, days).await,
            Err(Code::PermissionDenied),
            "{task} for {days} days"
        );
    }
}

#[tokio::test]
async fn repeated_lead_keeps_progress() {
    let database = testkit::database::sqlite();
    let store = migrated(&database).await;
    store
        .record_leads(Source::Broker, &[submission(1)])
        .await
        .unwrap();
    let progress = store.update_lead(&contacted(1)).await.unwrap();
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    assert!(store.lead(submission(1).id).await.unwrap().progress == Some(progress));
}
