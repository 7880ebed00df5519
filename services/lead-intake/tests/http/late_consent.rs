//! Tests the consent to calls and messages after the form.

use contracts::leads::v1::{ContactChannel, LeadConsented};
use lead::{Channel, Language, consent, privacy_policy};
use prost::Message;
use reqwest::{Client, Response, redirect::Policy};
use serde_json::{Value, json};
use testkit::broker::{Vhost, payload};
use testkit::crm::WITHDRAWAL_KEYS;
use tokens::{ConsentToken, WithdrawalToken};
use uuid::Uuid;

use crate::support::{Intake, NO_BROKER, RunningCrm, Setup, accepted, error, registration};

fn client() -> Client {
    Client::builder().redirect(Policy::none()).build().unwrap()
}

/// Posts a button of the page to which the response of a lead leads.
async fn agree(intake: &Intake, offer: &Value, channel: &str) -> Response {
    let address = offer["address"].as_str().unwrap();
    let (page, query) = address.split_once('?').unwrap();
    assert_eq!(page, "/agree");
    let action = format!("http://{}/functions/v1/agree?{query}", intake.address);
    let form = client()
        .post(action)
        .header("Content-Type", "application/x-www-form-urlencoded");
    form.body(format!("channel={channel}"))
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn visitor_agrees_after_the_form() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let form = intake.form().await.header("Content-Language", "zh");
    let lead = accepted(form.json(&registration()).send().await.unwrap()).await;
    let offer = &lead["consent"];
    assert_eq!(offer["question"], consent::question(Language::Chinese));
    let answer = agree(&intake, offer, "phone").await;
    assert_eq!(answer.status(), 303);
    assert_eq!(
        answer.headers()["location"],
        "/agreed?channel=phone&lang=zh"
    );
    let events = vhost.take_messages("crm-sync.leads", 2).await;
    let event = LeadConsented::decode(payload(&events[1]).as_slice()).unwrap();
    assert_eq!(json!(event.lead_id), lead["id"]);
    assert_eq!(event.channels, [ContactChannel::Phone as i32]);
    assert_eq!(event.privacy_policy_version, privacy_policy::current());
    let words = consent::wording(Channel::Phone, Language::Chinese);
    assert_eq!(event.wording, words);
}

#[tokio::test]
async fn visitor_who_chose_a_channel_gets_no_offer() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let form = intake.form().await.header("Contact-Channels", "message");
    let lead = accepted(form.json(&registration()).send().await.unwrap()).await;
    assert_eq!(lead["consent"], Value::Null);
}

#[tokio::test]
async fn broker_outage_uses_the_crm_call() {
    let crm = RunningCrm::start(NO_BROKER).await;
    let intake = Intake::start_with(Setup {
        crm: &crm.url(),
        ..Setup::default()
    })
    .await;
    let lead = accepted(intake.submit(&registration()).await).await;
    assert_eq!(
        agree(&intake, &lead["consent"], "message").await.status(),
        303
    );
    let stored = crm.lead(&lead).await.unwrap();
    let channels = stored.submission.unwrap().channels;
    assert_eq!(channels, [ContactChannel::Message as i32]);
}

/// A mail scanner opens links, and strangers have no token.
#[tokio::test]
async fn opened_link_and_other_tokens_change_nothing() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let keys = WITHDRAWAL_KEYS.parse().unwrap();
    let lead = Uuid::from_u128(7);
    let token = ConsentToken {
        lead,
        mailbox_hash: None,
    };
    let action =
        |token: &str| format!("http://{}/functions/v1/agree?token={token}", intake.address);
    let opened = client()
        .get(action(&token.sign(&keys)))
        .send()
        .await
        .unwrap();
    assert_eq!(error(opened).await, (405, "method_not_allowed".to_owned()));
    let withdrawal = WithdrawalToken {
        lead,
        mailbox_hash: None,
    };
    for (token, channel, status) in [
        (withdrawal.sign(&keys), "phone", 401),
        ("x".to_owned(), "phone", 401),
        (token.sign(&keys), "fax", 404),
        (token.sign(&keys), "", 404),
    ] {
        let form = client()
            .post(action(&token))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(format!("channel={channel}"));
        assert_eq!(form.send().await.unwrap().status(), status, "{channel}");
    }
    let from_elsewhere = client()
        .post(action(&token.sign(&keys)))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("Sec-Fetch-Site", "cross-site")
        .body("channel=phone");
    assert_eq!(from_elsewhere.send().await.unwrap().status(), 403);
    let events = vhost.take_messages("crm-sync.leads", 0).await;
    assert!(events.is_empty());
}
