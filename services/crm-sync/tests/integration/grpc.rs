//! The gRPC service.

use contracts::{
    crm::v1::{
        CheckTokenRequest, ErasePersonRequest, ExportLeadsRequest, GetLeadRequest, LeadFilter,
        ListLeadsRequest, RecordLeadRequest, get_lead_request::Key,
    },
    leads::v1::{Interest, LeadSubmitted},
};
use crm_client::Replica;
use runtime::service::Context;
use testkit::{
    crm::{CANARY, DESK, INTAKE, NOTIFIER, OPERATOR, SALES},
    database::{Database, sqlite},
};
use tonic::{Code, service::interceptor::InterceptedService};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

use crate::support::{
    Bearer, Client, NO_BROKER, all, as_person, by_reference, call_names, channel, client, lead,
    leads_beyond_the_contract, number_of, reference, start,
};

/// A running service without a broker, because gRPC must work without one.
struct Crm {
    _database: Database,
    context: Context,
    address: std::net::SocketAddr,
    client: Client,
}

impl Crm {
    async fn start() -> Self {
        let database = sqlite();
        let (context, _) = testkit::context("crm-sync");
        let address = start(NO_BROKER, database.url(), &context)
            .await
            .unwrap()
            .grpc_addr;
        Self {
            client: client(address).await,
            _database: database,
            context,
            address,
        }
    }

    /// Sends an empty message. Returns `None` if the call succeeds.
    async fn call(&self, token: &str, path: &str) -> Option<Code> {
        let mut grpc = tonic::client::Grpc::new(channel(self.address).await);
        grpc.ready().await.unwrap();
        let mut request = as_person("Mei", ());
        request
            .metadata_mut()
            .insert("authorization", format!("Bearer {token}").parse().unwrap());
        let codec = ProstCodec::<(), ()>::default();
        let answer = grpc
            .server_streaming(request, path.parse().unwrap(), codec)
            .await;
        answer.err().map(|status| status.code())
    }

    async fn record(&mut self, lead: LeadSubmitted) -> bool {
        let request = RecordLeadRequest {
            lead: Some(lead),
            ..RecordLeadRequest::default()
        };
        self.client
            .leads
            .record_lead(request)
            .await
            .unwrap()
            .into_inner()
            .created
    }
}

#[tokio::test]
async fn call_with_a_wrong_token_is_unauthenticated_and_stores_nothing() {
    let crm = Crm::start().await;
    for token in [None, Some(""), Some("operator"), Some(&OPERATOR[1..])] {
        let mut stranger = Replica::new(InterceptedService::new(
            channel(crm.address).await,
            Bearer(token),
        ));
        let list = stranger
            .leads
            .list_leads(ListLeadsRequest::default())
            .await
            .unwrap_err();
        assert_eq!(list.code(), Code::Unauthenticated, "{token:?}");
        let record = stranger
            .leads
            .record_lead(RecordLeadRequest {
                lead: Some(lead(1)),
                ..RecordLeadRequest::default()
            })
            .await
            .unwrap_err();
        assert_eq!(record.code(), Code::Unauthenticated, "{token:?}");
    }
    assert!(all(&mut client(crm.address).await).await.is_empty());
}

#[tokio::test]
async fn every_client_may_check_its_token() {
    let crm = Crm::start().await;
    let check = async |token| {
        let channel = channel(crm.address).await;
        let mut client = Replica::new(InterceptedService::new(channel, Bearer(Some(token))));
        client
            .access
            .check_token(CheckTokenRequest {})
            .await
            .map(drop)
            .map_err(|status| status.code())
    };
    for token in [INTAKE, NOTIFIER, CANARY, DESK, SALES, OPERATOR] {
        assert_eq!(check(token).await, Ok(()), "{token}");
    }
    assert_eq!(check(&OPERATOR[1..]).await, Err(Code::Unauthenticated));
}

#[tokio::test]
async fn finds_lead_by_id_and_typed_reference() {
    let mut crm = Crm::start().await;
    assert!(crm.record(lead(1)).await);
    assert!(!crm.record(lead(1)).await, "a duplicate is not stored");
    let key = Some(Key::LeadId(lead(1).lead_id));
    let by_id = crm
        .client
        .leads
        .get_lead(GetLeadRequest { key })
        .await
        .unwrap()
        .into_inner()
        .lead
        .unwrap();
    assert!(
        by_id.submission.as_ref() == Some(&lead(1)),
        "the stored lead differs"
    );
    for typed in ["ZG-0000-01", "zg-0000-01", "oooo oi", "00000l"] {
        let found = crm
            .client
            .leads
            .get_lead(by_reference(typed))
            .await
            .unwrap()
            .into_inner()
            .lead
            .unwrap();
        assert!(found == by_id, "{typed}");
    }
}

#[tokio::test]
async fn errors_explain_the_cause() {
    let mut crm = Crm::start().await;
    let mut twin = lead(2);
    twin.reference = lead(1).reference;
    crm.record(lead(1)).await;
    crm.record(twin).await;

    let ambiguous = crm
        .client
        .leads
        .get_lead(by_reference("ZG-0000-01"))
        .await
        .unwrap_err();
    assert_eq!(ambiguous.code(), Code::FailedPrecondition);
    assert!(
        ambiguous.message().contains(&lead(1).lead_id),
        "{}",
        ambiguous.message()
    );
    assert!(
        ambiguous.message().contains(&lead(2).lead_id),
        "{}",
        ambiguous.message()
    );

    let get = async |key| {
        crm.client
            .clone()
            .leads
            .get_lead(GetLeadRequest { key })
            .await
            .unwrap_err()
            .code()
    };
    assert_eq!(
        get(Some(Key::Reference("ZG-9999-99".to_owned()))).await,
        Code::NotFound
    );
    assert_eq!(
        get(Some(Key::LeadId(lead(9).lead_id))).await,
        Code::NotFound
    );
    assert_eq!(
        get(Some(Key::Reference("nonsense".to_owned()))).await,
        Code::InvalidArgument
    );
    assert_eq!(
        get(Some(Key::LeadId("nonsense".to_owned()))).await,
        Code::InvalidArgument
    );
    assert_eq!(get(None).await, Code::InvalidArgument);

    let mut nameless = lead(3);
    nameless.name.clear();
    let refused = crm
        .client
        .leads
        .record_lead(RecordLeadRequest {
            lead: Some(nameless),
            ..RecordLeadRequest::default()
        })
        .await
        .unwrap_err();
    assert_eq!(
        (refused.code(), refused.message()),
        (Code::InvalidArgument, "name is empty")
    );
    let none = crm
        .client
        .leads
        .record_lead(RecordLeadRequest {
            lead: None,
            ..RecordLeadRequest::default()
        })
        .await
        .unwrap_err();
    assert_eq!(none.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn lists_are_paged_and_filtered() {
    let mut crm = Crm::start().await;
    for number in 1..=5 {
        let mut lead = lead(number);
        if number > 3 {
            lead.interests = vec![Interest::Purchase.into()];
        }
        crm.record(lead).await;
    }
    let mut request = ListLeadsRequest {
        page_size: 2,
        ..ListLeadsRequest::default()
    };
    let mut pages = Vec::new();
    loop {
        let page = crm
            .client
            .leads
            .list_leads(request.clone())
            .await
            .unwrap()
            .into_inner();
        pages.push(page.leads.iter().map(number_of).collect::<Vec<_>>());
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    assert_eq!(pages, [vec![5, 4], vec![3, 2], vec![1]]);

    let interest = Interest::Purchase.into();
    let filter = Some(LeadFilter {
        interest,
        submitted_before: lead(5).submitted_at,
        ..LeadFilter::default()
    });
    let request = ListLeadsRequest {
        filter,
        ..ListLeadsRequest::default()
    };
    let page = crm
        .client
        .leads
        .list_leads(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(page.leads.iter().map(number_of).collect::<Vec<_>>(), [4]);

    let page_token = "not ours".to_owned();
    let bad = crm
        .client
        .leads
        .list_leads(ListLeadsRequest {
            page_token,
            ..ListLeadsRequest::default()
        })
        .await;
    assert_eq!(bad.unwrap_err().code(), Code::InvalidArgument);
    let filter = Some(LeadFilter {
        interest: 99,
        ..LeadFilter::default()
    });
    let bad = crm
        .client
        .leads
        .list_leads(ListLeadsRequest {
            filter,
            ..ListLeadsRequest::default()
        })
        .await;
    assert_eq!(bad.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn health_needs_no_token() {
    let crm = Crm::start().await;
    let mut health = HealthClient::new(channel(crm.address).await);
    for service in [
        "",
        "crm.v1.LeadService",
        "crm.v1.DeliveryService",
        "crm.v1.PersonService",
        "crm.v1.AccessService",
    ] {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let status = health.check(request).await.unwrap().into_inner().status();
        assert_eq!(status, ServingStatus::Serving, "{service}");
    }
}

#[tokio::test]
async fn service_tokens_cannot_read_or_erase() {
    let crm = Crm::start().await;
    let mut any = client(crm.address).await;
    any.leads
        .record_lead(RecordLeadRequest {
            lead: Some(lead(1)),
            ..RecordLeadRequest::default()
        })
        .await
        .unwrap();
    for token in [INTAKE, NOTIFIER, CANARY] {
        let mut thief = Replica::new(InterceptedService::new(
            channel(crm.address).await,
            Bearer(Some(token)),
        ));
        let export = thief
            .leads
            .export_leads(ExportLeadsRequest::default())
            .await
            .unwrap_err();
        assert_eq!(export.code(), Code::PermissionDenied, "{token}");
        let erase = thief
            .people
            .erase_person(ErasePersonRequest::default())
            .await
            .unwrap_err();
        assert_eq!(erase.code(), Code::PermissionDenied, "{token}");
        let get = thief
            .leads
            .get_lead(by_reference(&reference(1)))
            .await
            .unwrap_err();
        let not_seen = if token == CANARY {
            Code::NotFound
        } else {
            Code::PermissionDenied
        };
        assert_eq!(get.code(), not_seen, "{token}");
    }
    assert_eq!(all(&mut any).await.len(), 1);
    let denied = r#"rpc_grpc_status_code="7",rpc_method="ErasePerson""#;
    let metrics = String::from_utf8(crm.context.metrics.encode().unwrap()).unwrap();
    assert!(metrics.contains(denied), "{metrics}");
}

#[tokio::test]
async fn role_allows_only_its_calls() {
    let crm = Crm::start().await;
    let mut names = call_names();
    names.sort_unstable();
    let call = async |token: &str, path: String| crm.call(token, &path).await;
    let calls = async |token| {
        let mut calls = Vec::new();
        for name in &names {
            let of_the_previous_version = format!("/crm.v1.CrmService/{name}");
            if call(token, of_the_previous_version).await != Some(Code::PermissionDenied) {
                calls.push(name.as_str());
            }
        }
        calls.join(" ")
    };
    assert_eq!(
        calls(INTAKE).await,
        "CheckToken RecordConsent RecordLead WithdrawLead"
    );
    assert_eq!(
        calls(NOTIFIER).await,
        "CheckToken ClaimDeliveries ClaimTask CountLeads FinishTask GetReport LeasePending ListLeads RecordLead \
         ReportDeliveries RequestReminders"
    );
    assert_eq!(calls(CANARY).await, "CheckToken GetLead");
    let desk = "CheckToken ClaimTask FinishTask GetLead GetReport ListLeads MailLead RecordLead SendBrochure UpdateLead";
    assert_eq!(calls(DESK).await, desk);
    let sales = "CheckToken CountLeads ExportLeads GetLead GetReport ListLeads MergePeople SendBrochure SplitPerson \
                 UpdateLead";
    assert_eq!(calls(SALES).await, sales);
    assert_eq!(
        calls(OPERATOR).await,
        "CheckToken CountLeads DiscardDeliveries ErasePerson ExportLeads ExportPerson GetLead GetReport ListDeliveries ListLeads \
         MergePeople RetryDeliveries SendBrochure SplitPerson UpdateLead"
    );
    for path in [
        "/crm.v1.LeadService/ClaimTask",
        "/crm.v1.LeadService/NoCall",
        "/crm.v1.CrmService/NoCall",
        "/crm.v1.CrmService/",
        "/other.v1.Service/RecordLead",
        "/",
    ] {
        assert_eq!(
            call(INTAKE, path.to_owned()).await,
            Some(Code::Unimplemented),
            "{path}"
        );
        assert_eq!(
            call("unknown", path.to_owned()).await,
            Some(Code::Unauthenticated),
            "{path}"
        );
    }
}

#[tokio::test]
async fn reflection_requires_a_token() {
    let crm = Crm::start().await;
    let ask = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let call = async |token| {
        let reflection =
            ServerReflectionClient::with_interceptor(channel(crm.address).await, Bearer(token));
        let asked = futures_util::stream::iter([ask.clone()]);
        let mut reflection = reflection;
        reflection.server_reflection_info(asked).await
    };
    assert_eq!(call(None).await.unwrap_err().code(), Code::Unauthenticated);
    let answer = call(Some(INTAKE))
        .await
        .unwrap()
        .into_inner()
        .message()
        .await
        .unwrap()
        .unwrap();
    let Some(MessageResponse::ListServicesResponse(services)) = answer.message_response else {
        panic!("not a list of services");
    };
    let names: Vec<_> = services
        .service
        .into_iter()
        .map(|service| service.name)
        .collect();
    assert!(
        names.contains(&"crm.v1.LeadService".to_owned()),
        "{names:?}"
    );
}

#[tokio::test]
async fn leads_beyond_the_contract_are_invalid_arguments() {
    let mut crm = Crm::start().await;
    let fields = ["mobile", "email", "submitted_at", "privacy_policy_version"];
    for (lead, field) in leads_beyond_the_contract().into_iter().zip(fields) {
        let refused = crm
            .client
            .leads
            .record_lead(RecordLeadRequest {
                lead: Some(lead),
                ..RecordLeadRequest::default()
            })
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{field}");
        assert!(refused.message().contains(field), "{}", refused.message());
    }
    assert!(all(&mut crm.client).await.is_empty());
}
