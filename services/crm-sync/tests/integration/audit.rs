//! The audit of the calls that people make.

use contracts::{
    crm::v1::{
        CountLeadsRequest, DiscardDeliveriesRequest, ErasePersonRequest, ExportLeadsRequest,
        ExportPersonRequest, GetLeadRequest, GetReportRequest, LeadState, ListDeliveriesRequest,
        ListLeadsRequest, MailLeadRequest, MergePeopleRequest, RecordLeadRequest,
        RetryDeliveriesRequest, SendBrochureRequest, SplitPersonRequest, UpdateLeadRequest,
        get_lead_request::Key,
    },
    leads::v1::Interest,
};
use crm_client::Replica;
use crm_sync::{db::Store, leads::Source};
use testkit::{
    crm::{DESK, OPERATOR},
    database::{Database, sqlite},
};
use tonic::{Status, Streaming, service::interceptor::InterceptedService, transport::Channel};

use crate::support::{
    BERT, Bearer, NO_BROKER, as_person, call_names, channel, claim_for, claim_results, everything,
    execute, failed, lead, lead_from, migrated, number_of_id, on_both_databases, query_column,
    report_of, start, submission,
};

on_both_databases! {
    call_without_an_audit_row_has_no_effect,
    audit_names_the_leads_of_each_page,
}

type Client = Replica<InterceptedService<Channel, Bearer>>;

/// The calls of services, and calls of people that show and change no lead.
const NOT_AUDITED: [&str; 9] = [
    "CheckToken",
    "ClaimDeliveries",
    "ClaimTask",
    "FinishTask",
    "LeasePending",
    "RecordConsent",
    "ReportDeliveries",
    "RequestReminders",
    "WithdrawLead",
];

/// The names of all other calls, from the contract.
fn calls_of_people() -> Vec<String> {
    let mut names = call_names();
    names.retain(|name| !NOT_AUDITED.contains(&name.as_str()));
    names
}

/// Leads 1 and 2 of one person and lead 3 of another. A delivery of lead 1 failed.
async fn stored(database: &Database) -> Store {
    let store = migrated(database).await;
    let leads = [
        lead_from(1, "mei@example.com", "+65 9123 4567"),
        lead_from(2, "mei@example.com", "+65 9123 4567"),
        lead_from(3, "wei@example.com", "+65 8123 4567"),
    ];
    store.record_leads(Source::Grpc, &leads).await.unwrap();
    claim_results(&store, &claim_for(1, &[BERT], "one")).await;
    store
        .report(&report_of(1, "one", [failed(BERT)]))
        .await
        .unwrap();
    store
}

/// Starts the service. Returns a function that connects a client with a token.
async fn serve(database: &Database) -> impl AsyncFn(&'static str) -> Client {
    let (context, _) = testkit::context("crm-sync");
    let app = start(NO_BROKER, database.url(), &context).await.unwrap();
    async move |token| {
        Replica::new(InterceptedService::new(
            channel(app.grpc_addr).await,
            Bearer(Some(token)),
        ))
    }
}

async fn drain<T>(pages: Result<tonic::Response<Streaming<T>>, Status>) -> Result<(), Status> {
    let mut pages = pages?.into_inner();
    while pages.message().await?.is_some() {}
    Ok(())
}

/// Makes a call that reads or changes one of the stored leads. A new call of people must be added here.
async fn call(connect: &impl AsyncFn(&'static str) -> Client, name: &str) -> Result<(), Status> {
    let mut leadctl = connect(OPERATOR).await;
    let mut desk = connect(DESK).await;
    let id = |number| lead(number).lead_id;
    match name {
        "RecordLead" => {
            let entered = RecordLeadRequest {
                lead: Some(lead(9)),
                ..RecordLeadRequest::default()
            };
            desk.leads
                .record_lead(as_person("Mei", entered))
                .await
                .map(drop)
        }
        "GetLead" => {
            let key = Some(Key::LeadId(id(1)));
            leadctl
                .leads
                .get_lead(GetLeadRequest { key })
                .await
                .map(drop)
        }
        "ListLeads" => leadctl
            .leads
            .list_leads(ListLeadsRequest::default())
            .await
            .map(drop),
        "CountLeads" => {
            let span = CountLeadsRequest {
                from: vec![lead(1).submitted_at.unwrap()],
                before: lead(9).submitted_at,
            };
            leadctl.leads.count_leads(span).await.map(drop)
        }
        "GetReport" => {
            let month = GetReportRequest {
                days: 30,
                time_zone: "Asia/Singapore".to_owned(),
            };
            leadctl.leads.get_report(month).await.map(drop)
        }
        "ExportLeads" => {
            drain(
                leadctl
                    .leads
                    .export_leads(ExportLeadsRequest::default())
                    .await,
            )
            .await
        }
        "UpdateLead" => {
            let change = UpdateLeadRequest {
                lead_id: id(1),
                state: LeadState::Contacted.into(),
                note: "Called".to_owned(),
                do_not_contact: Some(true),
                ..UpdateLeadRequest::default()
            };
            leadctl.leads.update_lead(change).await.map(drop)
        }
        "MailLead" => {
            let person = "Mei".to_owned();
            let mail = MailLeadRequest {
                lead_id: id(1),
                person,
                brochure: false,
            };
            desk.deliveries
                .mail_lead(as_person("Mei", mail))
                .await
                .map(drop)
        }
        "SendBrochure" => {
            let brochure = SendBrochureRequest {
                interest: Interest::Brochure.into(),
                limit: 10,
                ..SendBrochureRequest::default()
            };
            leadctl.deliveries.send_brochure(brochure).await.map(drop)
        }
        "ListDeliveries" => leadctl
            .deliveries
            .list_deliveries(ListDeliveriesRequest::default())
            .await
            .map(drop),
        "RetryDeliveries" => leadctl
            .deliveries
            .retry_deliveries(RetryDeliveriesRequest::default())
            .await
            .map(drop),
        "DiscardDeliveries" => {
            let discard = DiscardDeliveriesRequest {
                reason: "Left the team".to_owned(),
                ..DiscardDeliveriesRequest::default()
            };
            leadctl
                .deliveries
                .discard_deliveries(discard)
                .await
                .map(drop)
        }
        "ExportPerson" => {
            let person = "mei@example.com".to_owned();
            drain(
                leadctl
                    .people
                    .export_person(ExportPersonRequest {
                        person,
                        further_emails: Vec::new(),
                    })
                    .await,
            )
            .await
        }
        "ErasePerson" => {
            let erase = ErasePersonRequest {
                email: "mei@example.com".to_owned(),
                lead_ids: Vec::new(),
                further_emails: Vec::new(),
            };
            leadctl.people.erase_person(erase).await.map(drop)
        }
        "MergePeople" => {
            let merge = MergePeopleRequest {
                lead_id: id(1),
                other_lead_id: id(3),
            };
            leadctl.people.merge_people(merge).await.map(drop)
        }
        "SplitPerson" => {
            let lead_ids = vec![id(2)];
            leadctl
                .people
                .split_person(SplitPersonRequest { lead_ids })
                .await
                .map(drop)
        }
        _ => unreachable!("add {name} to the calls of people, or to those that are not audited"),
    }
}

/// The client, the action, and the numbers of the leads of each audit row.
async fn audited(database: &Database) -> Vec<(String, Vec<u128>)> {
    let rows = "SELECT client || ' ' || action || ' ' || CAST(leads AS text) || '|' || CAST(lead_ids AS text)
        FROM audit ORDER BY number";
    let rows = query_column(database.url(), rows).await;
    let parse = |row: &String| {
        let (action, ids) = row.split_once('|').unwrap();
        let ids = ids.split(|it: char| !it.is_ascii_hexdigit() && it != '-');
        let numbers = ids.filter(|id| !id.is_empty()).map(number_of_id);
        (action.to_owned(), numbers.collect())
    };
    rows.iter().map(parse).collect()
}

/// Makes the database reject rows of the audit.
async fn refuse_audit(database: &Database) {
    let statement = if database.url().starts_with("sqlite") {
        "CREATE TRIGGER refuse BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'refused'); END"
    } else {
        "ALTER TABLE audit ADD CONSTRAINT refuse CHECK (leads < 0)"
    };
    execute(database.url(), statement).await;
}

async fn call_without_an_audit_row_has_no_effect(database: Database) {
    drop(stored(&database).await);
    let connect = serve(&database).await;
    refuse_audit(&database).await;
    let before = everything(database.url()).await;
    for name in calls_of_people() {
        assert!(call(&connect, &name).await.is_err(), "{name}");
        let after = everything(database.url()).await;
        assert!(after == before, "{name} changed a row");
    }
}

#[tokio::test]
async fn audit_names_the_leads_of_each_call() {
    for name in calls_of_people() {
        let database = sqlite();
        drop(stored(&database).await);
        let connect = serve(&database).await;
        let outcome = call(&connect, &name).await;
        outcome.unwrap_or_else(|status| panic!("{name}: {status}"));
        let (expected, leads): (_, &[u128]) = match name.as_str() {
            "RecordLead" => ("Mei enter 1", &[9]),
            "GetLead" => ("operator read 1", &[1]),
            "ListLeads" => ("operator list 3", &[3, 2, 1]),
            "CountLeads" => ("operator count 0", &[]),
            "GetReport" => ("operator report 0", &[]),
            "ExportLeads" => ("operator export 3", &[3, 2, 1]),
            "UpdateLead" => ("operator change 1", &[1]),
            "MailLead" => ("Mei mail 1", &[1]),
            "SendBrochure" => ("operator send-brochure 2", &[2, 3]),
            "ListDeliveries" => ("operator list-deliveries 1", &[1]),
            "RetryDeliveries" => ("operator retry 1", &[1]),
            "DiscardDeliveries" => ("operator discard 1", &[1]),
            "ExportPerson" => ("operator export-person 2", &[1, 2]),
            "ErasePerson" => ("operator erase-person 2", &[1, 2]),
            "MergePeople" => ("operator merge 2", &[1, 3]),
            "SplitPerson" => ("operator split 1", &[2]),
            _ => panic!("{name} has no expected row"),
        };
        let expected = [(expected.to_owned(), leads.to_vec())];
        assert_eq!(audited(&database).await, expected, "{name}");
    }
}

async fn audit_names_the_leads_of_each_page(database: Database) {
    let store = migrated(&database).await;
    let leads: Vec<_> = (1..=620u128).map(submission).collect();
    for leads in leads.chunks(310) {
        store.record_leads(Source::Grpc, leads).await.unwrap();
    }
    let connect = serve(&database).await;
    let mut leadctl = connect(OPERATOR).await;
    let mut pages = leadctl
        .leads
        .export_leads(ExportLeadsRequest::default())
        .await
        .unwrap()
        .into_inner();
    while pages.message().await.unwrap().is_some() {}
    let list = ListLeadsRequest {
        page_size: 2,
        ..ListLeadsRequest::default()
    };
    let page = leadctl
        .leads
        .list_leads(list.clone())
        .await
        .unwrap()
        .into_inner();
    let page_token = page.next_page_token;
    leadctl
        .leads
        .list_leads(ListLeadsRequest { page_token, ..list })
        .await
        .unwrap();
    let newest_first = |from: u128, to: u128| (to..=from).rev().collect();
    let rows = [
        ("operator export 250", newest_first(620, 371)),
        ("operator export 250", newest_first(370, 121)),
        ("operator export 120", newest_first(120, 1)),
        ("operator list 2", vec![620, 619]),
        ("operator list 2", vec![618, 617]),
    ];
    let expected = rows.map(|(action, leads)| (action.to_owned(), leads));
    assert_eq!(audited(&database).await, expected);

    // All leads of the form belong to one person. A row has at most 500 leads.
    let person = submission(1).email.as_str().to_owned();
    drain(
        leadctl
            .people
            .export_person(ExportPersonRequest {
                person,
                further_emails: Vec::new(),
            })
            .await,
    )
    .await
    .unwrap();
    let rows = audited(&database).await.split_off(expected.len());
    let counts: Vec<&str> = rows.iter().map(|(action, _)| action.as_str()).collect();
    assert_eq!(
        counts,
        ["operator export-person 500", "operator export-person 120"]
    );
    assert!(rows[0].1 == (1..=500).collect::<Vec<_>>() && rows[1].1[119] == 620);
}
