//! Tests the withdrawal of consent with the link in an email.

use contracts::{crm::v1::Lead, leads::v1::LeadWithdrawn};
use prost::Message;
use reqwest::{Client, Response, redirect::Policy};
use serde_json::Value;
use testkit::{
    broker::{Vhost, payload},
    crm::WITHDRAWAL_KEYS,
    wait,
};
use tokens::WithdrawalToken;
use uuid::Uuid;

use crate::support::{Intake, NO_BROKER, RunningCrm, Setup, accepted, error, registration};

const ONE_CLICK: &str = "List-Unsubscribe=One-Click";

/// Returns the withdrawal URL in the email about a lead.
fn link(intake: &Intake, accepted: &Value) -> String {
    let lead = accepted["id"].as_str().unwrap().parse().unwrap();
    let token = WithdrawalToken {
        lead,
        mailbox_hash: None,
    }
    .sign(&WITHDRAWAL_KEYS.parse().unwrap());
    format!(
        "http://{}/functions/v1/withdraw?token={token}",
        intake.address
    )
}

/// Posts a form without following redirects.
async fn post(address: &str, body: &str) -> Response {
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let form = client
        .post(address)
        .header("Content-Type", "application/x-www-form-urlencoded");
    form.body(body.to_owned()).send().await.unwrap()
}

fn location(answer: &Response) -> &str {
    answer.headers()["location"].to_str().unwrap()
}

fn is_withdrawn(lead: &Lead) -> bool {
    lead.progress
        .as_ref()
        .is_some_and(|progress| progress.do_not_contact_at.is_some())
}

async fn wait_for_withdrawal(crm: &RunningCrm, accepted: &Value) {
    wait::until("the withdrawal", async || {
        crm.lead(accepted)
            .await
            .is_some_and(|lead| is_withdrawn(&lead))
    })
    .await;
}

#[tokio::test]
async fn one_click_unsubscribe_withdraws() {
    let vhost = Vhost::create().await;
    let crm = RunningCrm::start(&vhost.url_of("crm-sync")).await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let lead = accepted(intake.submit(&registration()).await).await;
    wait::until("the lead", async || crm.lead(&lead).await.is_some()).await;
    let answer = post(&link(&intake, &lead), ONE_CLICK).await;
    assert_eq!(answer.status(), 200);
    wait_for_withdrawal(&crm, &lead).await;
}

#[tokio::test]
async fn mailbox_of_the_token_reaches_the_crm() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let token = WithdrawalToken {
        lead: Uuid::from_u128(7),
        mailbox_hash: Some("0a".repeat(32)),
    }
    .sign(&WITHDRAWAL_KEYS.parse().unwrap());
    let address = intake.address;
    let link = format!("http://{address}/functions/v1/withdraw?token={token}");
    assert_eq!(post(&link, ONE_CLICK).await.status(), 200);
    let events = vhost.take_messages("crm-sync.leads", 1).await;
    let withdrawn = LeadWithdrawn::decode(payload(&events[0]).as_slice()).unwrap();
    assert_eq!(withdrawn.lead_id, Uuid::from_u128(7).to_string());
    assert_eq!(withdrawn.mailbox_hash, "0a".repeat(32));
}

#[tokio::test]
async fn opening_the_link_changes_nothing() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let lead = accepted(intake.submit(&registration()).await).await;
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let answer = client
        .get(format!("{}&lang=zh", link(&intake, &lead)))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 303);
    assert!(
        location(&answer).starts_with("/withdraw?token=ey")
            && location(&answer).ends_with("&lang=zh")
    );
    let events = vhost.take_messages("crm-sync.leads", 1).await;
    assert_eq!(
        events[0]["properties"]["type"], "lead.submitted.v1",
        "there is no other event"
    );
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
    let answer = post(
        &format!("{}&lang=zh", link(&intake, &lead)),
        "request=erasure",
    )
    .await;
    assert_eq!(
        (answer.status().as_u16(), location(&answer)),
        (303, "/withdrawn?request=erasure&lang=zh")
    );
    assert!(is_withdrawn(&crm.lead(&lead).await.unwrap()));
}

#[tokio::test]
async fn outage_of_broker_and_crm_is_an_error() {
    let crm = RunningCrm::start(NO_BROKER).await;
    let intake = Intake::start_with(Setup {
        crm: &crm.url(),
        ..Setup::default()
    })
    .await;
    let lead = accepted(intake.submit(&registration()).await).await;
    let alone = Intake::start_with(Setup::default()).await;
    let answer = post(&link(&alone, &lead), "request=withdrawal").await;
    assert_eq!(error(answer).await, (503, "unavailable".to_owned()));
    assert!(!is_withdrawn(&crm.lead(&lead).await.unwrap()));
}

#[tokio::test]
async fn forged_token_is_rejected() {
    let intake = Intake::start_with(Setup::default()).await;
    for token in ["", "x", &intake.token().await] {
        let address = format!(
            "http://{}/functions/v1/withdraw?token={token}",
            intake.address
        );
        assert_eq!(
            error(post(&address, ONE_CLICK).await).await,
            (401, "token_invalid".to_owned()),
            "{token}"
        );
    }
}
