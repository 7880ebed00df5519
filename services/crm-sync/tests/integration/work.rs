//! Progress of leads.

use contracts::crm::v1::{
    GetLeadRequest, LeadState as Named, RecordLeadRequest, UpdateLeadRequest,
    get_lead_request::Key, timeline_entry::Event,
};
use crm_sync::{
    db::error::StoreError,
    leads::{Change, Seen, Source},
};
use futures_util::future::join_all;
use lead::{ClosingReason, LeadState, field::optional_time};
use testkit::database::Database;
use tonic::Code;

use crate::support::{
    contacted, lead, migrated, on_both_databases, on_postgres, query_column, serve, submission,
};

on_both_databases! {
    first_of_two_recorded_contacts_assigns_the_lead,
}

on_postgres! {
    update_lead_changes_progress,
    stale_update_is_rejected,
    note_equal_to_another_field_is_kept,
}

async fn update_lead_changes_progress(database: Database) {
    drop(migrated(&database).await);
    let mut client = serve(&database).await;
    client
        .leads
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
        let answer = client.clone().leads.update_lead(request).await;
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
        .leads
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

/// The desk records a contact with an unassigned lead, and its owner, in one call.
async fn first_of_two_recorded_contacts_assigns_the_lead(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    let call = |author: &str| Change {
        owner: Some(author.to_owned()),
        note: format!("{author} talked"),
        author: author.to_owned(),
        seen: Some(Seen(None)),
        ..contacted(1)
    };
    let calls = [call("Mei"), call("Wei")];
    let answers = join_all(calls.iter().map(|call| store.update_lead(call))).await;
    let (taken, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    let [Ok(first)] = &taken[..] else {
        unreachable!("one of the calls takes the lead: {taken:?} {refused:?}")
    };
    assert!(
        matches!(refused[..], [Err(StoreError::Changed)]),
        "{refused:?}"
    );
    let owner = first.owner.as_str();
    assert_eq!(
        (first.state(), owner),
        (Named::Contacted, first.changed_by.as_str())
    );
    let of_calls = "SELECT client || ' ' || action FROM audit WHERE action = 'change'";
    assert_eq!(
        query_column(database.url(), of_calls).await,
        [format!("{owner} change")],
        "a refused change has no audit row"
    );
    let stored = store.lead(submission(1).id).await.unwrap();
    let told: Vec<_> = stored
        .timeline
        .iter()
        .filter_map(|entry| {
            let event = entry.event.as_ref().unwrap();
            if let Event::Noted(it) = event {
                Some(it.text.clone())
            } else if let Event::Progressed(it) = event {
                Some(format!("{} owns", it.owner))
            } else {
                None
            }
        })
        .collect();
    assert_eq!(told, [format!("{owner} talked"), format!("{owner} owns")]);
    assert!(
        stored.unfinished.is_empty(),
        "who records the contact gets no email about it"
    );

    let seen = optional_time("changed_at", first.changed_at).unwrap();
    let undone = Change {
        state: Some(LeadState::New),
        owner: Some(String::new()),
        seen: Some(Seen(seen)),
        ..contacted(1)
    };
    let progress = store.update_lead(&undone).await.unwrap();
    assert_eq!(
        (progress.state(), progress.owner.as_str()),
        (Named::New, "")
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
