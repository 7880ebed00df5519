//! Requested emails: assignments and login links.

use std::time::Duration;

use contracts::crm::v1::{
    GetLeadRequest, LeadState, ListLeadsRequest, MailLeadRequest, RecordLeadRequest,
    UpdateLeadRequest, get_lead_request::Key,
};
use crm_client::Replica;
use crm_sync::{
    db::Store,
    deliveries::{ClaimResult, Lease, Pending},
    leads::{Change, Source},
};
use testkit::{
    crm::{DESK, OPERATOR, SALES},
    database::Database,
};
use tokens::PersonToken;
use tonic::{Code, Request, service::interceptor::InterceptedService};

use crate::support::{
    ANNA, Bearer, GRANTED, NO_BROKER, as_person, channel, claim_for, claim_of, claim_results,
    client, contacted, deferred, delivered, execute, lead, lease_for, leased, migrated,
    on_postgres, query_column, report_of, start, submission,
};

on_postgres! {
    new_owner_is_emailed_unless_self_assigned,
    requested_emails_and_routes_do_not_wait_for_each_other,
    requested_email_leaves_other_recipients_alone,
    owner_names_are_not_patterns,
    desk_calls_are_audited_by_person,
    leadctl_calls_are_audited,
}

const MEI: &str = "person:Mei#1";

fn assigned(owner: &str, author: &str) -> Change {
    Change {
        owner: Some(owner.to_owned()),
        author: author.to_owned(),
        ..contacted(1)
    }
}

/// Leases the first lead. Returns its due requests, and whether emails of the routes are due.
async fn lease_requests(store: &Store) -> Option<(Vec<String>, bool)> {
    let young = Lease {
        pending_for: Duration::from_secs(30),
        ..lease_for("two")
    };
    let leased = store.lease(&young).await.unwrap();
    let by_routes = leased.leads.iter().any(|it| it.recipients.is_empty());
    let due = (
        leased
            .leads
            .into_iter()
            .flat_map(|it| it.recipients)
            .collect(),
        by_routes,
    );
    (due != (Vec::new(), false)).then_some(due)
}

async fn new_owner_is_emailed_unless_self_assigned(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_for(1, &[ANNA], "one")).await;
    store
        .report(&report_of(1, "one", [delivered(ANNA)]))
        .await
        .unwrap();
    store.update_lead(&assigned("Bert", "Bert")).await.unwrap();
    assert_eq!(lease_requests(&store).await, None);
    store.update_lead(&assigned("Mei", "Bert")).await.unwrap();
    assert_eq!(
        lease_requests(&store).await,
        Some((vec![MEI.to_owned()], false))
    );
    store.update_lead(&assigned("Mei", "Bert")).await.unwrap();
    assert_eq!(
        claim_results(&store, &claim_for(1, &[MEI], "two")).await,
        [GRANTED]
    );
    store
        .report(&report_of(1, "two", [delivered(MEI)]))
        .await
        .unwrap();
    assert_eq!(lease_requests(&store).await, None, "emailed once");

    store.update_lead(&assigned("Bert", "Mei")).await.unwrap();
    assert_eq!(
        lease_requests(&store).await,
        Some((vec!["person:Bert#1".to_owned()], false))
    );
    store.update_lead(&assigned("Mei", "Bert")).await.unwrap();
    let within_a_minute = query_column(
        database.url(),
        "SELECT recipient FROM delivery ORDER BY recipient",
    )
    .await;
    assert_eq!(within_a_minute, [ANNA, "person:Bert#1", MEI]);
    let earlier = match database.url().starts_with("sqlite") {
        true => "UPDATE delivery SET changed_at = '2020-01-01T00:00:00+00:00'",
        false => "UPDATE delivery SET changed_at = '2020-01-01Z'",
    };
    execute(database.url(), earlier).await;
    store.update_lead(&assigned("", "Bert")).await.unwrap();
    store.update_lead(&assigned("Mei", "Bert")).await.unwrap();
    let later = query_column(
        database.url(),
        "SELECT recipient FROM delivery ORDER BY recipient",
    )
    .await;
    assert_eq!(
        later,
        [ANNA, "person:Bert#1", MEI, "person:Mei#2"],
        "a second assignment is a new email"
    );
}

async fn requested_emails_and_routes_do_not_wait_for_each_other(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    store.update_lead(&assigned("Mei", "Bert")).await.unwrap();
    assert_eq!(
        lease_requests(&store).await,
        Some((vec![MEI.to_owned()], true))
    );
    assert_eq!(
        claim_results(&store, &claim_for(1, &[MEI], "two")).await,
        [GRANTED]
    );
    store
        .report(&report_of(1, "two", [delivered(MEI)]))
        .await
        .unwrap();
    // The report has ended the lease, and the lead is still open for its emails to sales.
    assert_eq!(lease_requests(&store).await, Some((vec![], true)));
    assert_eq!(store.pending().await.unwrap().leads, 1);
    assert_eq!(
        claim_results(&store, &claim_of(1, "one")).await,
        [GRANTED, GRANTED]
    );
}

async fn requested_email_leaves_other_recipients_alone(database: Database) {
    let store = migrated(&database).await;
    claim_results(&store, &claim_for(1, &[ANNA], "one")).await;
    store
        .report(&report_of(1, "one", [delivered(ANNA)]))
        .await
        .unwrap();
    store.update_lead(&assigned("Mei", "Bert")).await.unwrap();
    assert_eq!(store.pending().await.unwrap(), Pending::default());
    assert_eq!(
        claim_results(&store, &claim_for(1, &[MEI], "two")).await,
        [GRANTED]
    );
    store
        .report(&report_of(
            1,
            "two",
            [deferred(MEI, Duration::from_secs(3600))],
        ))
        .await
        .unwrap();
    // The message is redelivered: only recipients in the routes are claimed.
    let again = claim_results(&store, &claim_for(1, &[ANNA], "one")).await;
    assert_eq!(again, [ClaimResult::Delivered]);
    assert_eq!(
        claim_results(&store, &claim_for(1, &[MEI], "one")).await,
        [ClaimResult::Deferred]
    );
    assert!(leased(&store, &lease_for("two")).await.is_empty());
}

async fn owner_names_are_not_patterns(database: Database) {
    let store = migrated(&database).await;
    store
        .record_leads(Source::Grpc, &[submission(1)])
        .await
        .unwrap();
    for owner in ["AxB", "axb", "A_B", "A%"] {
        store.update_lead(&assigned(owner, "Bert")).await.unwrap();
    }
    let mut requested = query_column(database.url(), "SELECT recipient FROM delivery").await;
    requested.sort();
    assert_eq!(
        requested,
        [
            "person:A%#1",
            "person:A_B#1",
            "person:AxB#1",
            "person:axb#1"
        ]
    );
}

async fn leadctl_calls_are_audited(database: Database) {
    drop(migrated(&database).await);
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    client(app.grpc_addr)
        .await
        .leads
        .record_lead(RecordLeadRequest {
            lead: Some(lead(1)),
            ..RecordLeadRequest::default()
        })
        .await
        .unwrap();
    for token in [SALES, OPERATOR] {
        let bearer = Bearer(Some(token));
        let mut leadctl = Replica::new(InterceptedService::new(
            channel(app.grpc_addr).await,
            bearer,
        ));
        let key = Some(Key::LeadId(lead(1).lead_id));
        leadctl
            .leads
            .get_lead(GetLeadRequest { key })
            .await
            .unwrap();
        leadctl
            .leads
            .list_leads(ListLeadsRequest::default())
            .await
            .unwrap();
        let state = LeadState::Contacted.into();
        let change = UpdateLeadRequest {
            lead_id: lead(1).lead_id,
            state,
            ..UpdateLeadRequest::default()
        };
        leadctl.leads.update_lead(change).await.unwrap();
    }
    let audited =
        "SELECT client || ' ' || action || ' ' || CAST(leads AS text) FROM audit ORDER BY number";
    let expected = ["sales", "operator"]
        .map(|client| ["read", "list", "change"].map(|it| format!("{client} {it} 1")));
    assert_eq!(
        query_column(database.url(), audited).await,
        expected.concat()
    );
}

async fn desk_calls_are_audited_by_person(database: Database) {
    drop(migrated(&database).await);
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    let mut operator = client(app.grpc_addr).await;
    operator
        .leads
        .record_lead(RecordLeadRequest {
            lead: Some(lead(1)),
            ..RecordLeadRequest::default()
        })
        .await
        .unwrap();
    let channel = channel(app.grpc_addr).await;
    let bearer = Bearer(Some(DESK));
    let mut desk = Replica::new(InterceptedService::new(channel, bearer));
    let id = lead(1).lead_id;
    let get = || GetLeadRequest {
        key: Some(Key::LeadId(id.clone())),
    };
    assert_eq!(
        desk.leads.get_lead(get()).await.unwrap_err().code(),
        Code::Unauthenticated,
        "the call names no person"
    );
    let refused = async |request| {
        desk.clone()
            .leads
            .get_lead(request)
            .await
            .unwrap_err()
            .code()
    };
    assert_eq!(refused(as_person(" ", get())).await, Code::Unauthenticated);
    let mut forged = Request::new(get());
    let strange = "x".repeat(40).parse().unwrap();
    let token = PersonToken::sign("Mei", &strange, testkit::start_of_time());
    forged
        .metadata_mut()
        .insert("person-token", token.parse().unwrap());
    assert_eq!(
        refused(forged).await,
        Code::Unauthenticated,
        "the CRM token does not name a person"
    );
    desk.leads.get_lead(as_person("美", get())).await.unwrap();
    let note = UpdateLeadRequest {
        lead_id: id.clone(),
        state: LeadState::Contacted.into(),
        note: "Comes on Sunday".to_owned(),
        ..UpdateLeadRequest::default()
    };
    desk.leads
        .update_lead(as_person("美", note.clone()))
        .await
        .unwrap();
    let answer = desk
        .leads
        .update_lead(as_person("美", note))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(answer.progress.unwrap().changed_by, "美");
    let noted = query_column(
        database.url(),
        "SELECT details ->> 'client' FROM timeline WHERE details ->> 'event' IN ('noted', 'progressed')",
    )
    .await;
    assert_eq!(noted, ["美", "美"], "a repeated note counts once");
    let mail = |person: &str, lead_id: &str| {
        let (lead_id, person) = (lead_id.to_owned(), person.to_owned());
        as_person(
            "美",
            MailLeadRequest {
                lead_id,
                person,
                brochure: false,
            },
        )
    };
    desk.deliveries.mail_lead(mail("Mei", &id)).await.unwrap();
    let unknown = desk
        .deliveries
        .mail_lead(mail("Mei", &lead(2).lead_id))
        .await;
    assert_eq!(unknown.unwrap_err().code(), Code::NotFound);
    assert_eq!(
        desk.deliveries
            .mail_lead(mail(" ", &id))
            .await
            .unwrap_err()
            .code(),
        Code::InvalidArgument
    );
    let asked_for = query_column(database.url(), "SELECT recipient FROM delivery").await;
    assert_eq!(asked_for, ["login:Mei#1"]);
    desk.leads
        .list_leads(as_person("Wei", ListLeadsRequest::default()))
        .await
        .unwrap();
    let audited = "SELECT client || ' ' || action FROM audit ORDER BY number";
    let all = query_column(database.url(), audited).await;
    assert_eq!(
        all,
        ["美 read", "美 change", "美 change", "美 mail", "Wei list"]
    );
    let of_lead =
        "SELECT client || ' ' || action FROM audit JOIN lead ON id = ANY(lead_ids) ORDER BY number";
    assert_eq!(
        query_column(database.url(), of_lead).await,
        all,
        "the audit of one lead"
    );
}
