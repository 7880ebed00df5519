//! Leads from programs of an earlier and a later version, whose messages lack the newest fields or have unknown ones.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use contracts::{
    crm::v1::RecordLeadResponse,
    leads::v1::{Interest, Language, LeadSubmitted},
};
use http::uri::PathAndQuery;
use lead::{Reference, id_of};
use prost::{Message, encoding::string};
use prost_types::Timestamp;
use serde_json::json;
use testkit::wait;
use tonic::{Request, client::Grpc, transport::Endpoint};
use tonic_prost::ProstCodec;
use uuid::Uuid;

use crate::system::{RECIPIENTS, System};

/// A field number and an enum's number that no version defines.
const LATER: u32 = 1_000;

/// RecordLeadRequest of a later version.
#[derive(Clone, PartialEq, Message)]
struct RecordLeadRequest {
    /// LeadSubmitted of another version: an encoded message has the wire type of bytes.
    #[prost(bytes = "vec", tag = "1")]
    lead: Vec<u8>,
    #[prost(string, tag = "1000")]
    later: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn leads_of_other_versions_are_stored_and_emailed() {
    let system = System::start(&[]).await;
    for lead in [earlier_lead(1), later_lead(2)] {
        for queue in ["crm-sync.leads", "notifier.leads"] {
            let properties = json!({ "type": "lead.submitted.v1", "delivery_mode": 2 });
            let message = json!({ "properties": properties, "payload": BASE64.encode(&lead) });
            system.vhost.publish_copy(queue, &message).await;
        }
    }
    for lead in [earlier_lead(3), later_lead(4)] {
        assert!(record_lead(&system, lead).await.created);
    }
    wait::until("the deliveries", async || {
        system.count("delivery WHERE state = 'delivered'") == 4 * RECIPIENTS.len()
    })
    .await;
    assert_eq!(system.count("lead"), 4);
    system.wait_for_empty_queues().await;
    let mut mailed = RECIPIENTS.repeat(4);
    mailed.sort_unstable();
    assert_eq!(system.mailed(), mailed);
}

/// Only the fields of the first version.
fn lead(number: u128) -> LeadSubmitted {
    let id = id_of(Uuid::from_u128(number));
    LeadSubmitted {
        lead_id: id.to_string(),
        reference: Reference::from_id(id).to_string(),
        submitted_at: Some(Timestamp {
            seconds: 1_763_654_400,
            nanos: 0,
        }),
        interests: vec![Interest::Showflat.into()],
        name: "Mary-Ann O'Neil".to_owned(),
        mobile: "+65 9123 4567".to_owned(),
        email: format!("visitor.{number}@example.com"),
        language: Language::En.into(),
        ..LeadSubmitted::default()
    }
}

fn earlier_lead(number: u128) -> Vec<u8> {
    lead(number).encode_to_vec()
}

/// A lead with a field and with values of enums that only a later version defines.
fn later_lead(number: u128) -> Vec<u8> {
    let later = LATER.cast_signed();
    let lead = LeadSubmitted {
        channels: vec![later],
        signals: vec![later],
        ..lead(number)
    };
    let mut message = lead.encode_to_vec();
    string::encode(LATER, &"later".to_owned(), &mut message);
    message
}

/// Calls crm-sync as lead-intake of a later version.
async fn record_lead(system: &System, lead: Vec<u8>) -> RecordLeadResponse {
    let mut request = Request::new(RecordLeadRequest {
        lead,
        later: "later".to_owned(),
    });
    let token = std::fs::read_to_string(system.file("secrets/lead-intake/crm-token")).unwrap();
    let bearer = format!("Bearer {}", token.trim()).parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    let endpoint = Endpoint::from_shared(system.crm.clone()).unwrap();
    let mut client = Grpc::new(endpoint.connect().await.unwrap());
    client.ready().await.unwrap();
    let path = PathAndQuery::from_static("/crm.v1.LeadService/RecordLead");
    client
        .unary(request, path, ProstCodec::default())
        .await
        .unwrap()
        .into_inner()
}
