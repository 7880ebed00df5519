//! Crashes of crm-sync and notifier between two steps, in the whole system. Afterwards the lead is acknowledged, stored
//! once and emailed to every recipient. The tests of lead-intake and notifier cover their other steps.

use reqwest::StatusCode;
use serde_json::json;
use testkit::{broker::payload, wait};

use crate::system::{RECIPIENTS, Scenario, System, form};

const KEY: &str = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3e";

/// Submits a lead, crashes the service at the place and restarts it. The lead must be delivered exactly once.
async fn assert_delivered_once_after_crash(service: &'static str, place: &'static str, scenario: Scenario) {
    let mut system = System::start(Scenario { crash: Some((service, place)), ..scenario }).await;
    // The crash may prevent the response, so the visitor submits again.
    let _ = system.submit(KEY, &form()).await;
    system.crash_and_restart(service).await;
    wait::until("202", async || system.submit(KEY, &form()).await == Some(StatusCode::ACCEPTED)).await;
    wait_until_delivered_once(&system, 1).await;
}

/// Waits until `leads` leads are stored and closed, and checks that each was emailed once to every recipient.
async fn wait_until_delivered_once(system: &System, leads: usize) {
    wait::until("the rows", async || system.count("lead") == leads).await;
    let delivered = "delivery WHERE state = 'delivered'";
    wait::until("all emails", async || system.count(delivered) == leads * RECIPIENTS.len()).await;
    system.wait_for_empty_queues().await;
    wait::until("the leads to be closed", async || system.count("lead WHERE open") == 0).await;
    let mut mailed = RECIPIENTS.repeat(leads);
    mailed.sort_unstable();
    assert_eq!(system.mailed(), mailed);
}

#[tokio::test(flavor = "multi_thread")]
async fn crm_sync_crash_before_the_response() {
    assert_delivered_once_after_crash(
        "crm-sync",
        "crm-sync-recorded",
        Scenario { without_broker: true, ..Scenario::default() },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crm_sync_crash_before_the_commit() {
    assert_delivered_once_after_crash("crm-sync", "crm-sync-before-commit", Scenario::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crm_sync_crash_before_the_acknowledgement() {
    assert_delivered_once_after_crash("crm-sync", "crm-sync-committed", Scenario::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crm_sync_crash_before_the_claim_response() {
    assert_delivered_once_after_crash("crm-sync", "crm-sync-claimed", Scenario::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notifier_crash_after_a_dead_letter_copy() {
    let scenario = Scenario { crash: Some(("notifier", "messaging-copied")), ..Scenario::default() };
    let mut system = System::start(scenario).await;
    system.vhost.publish_raw("notifier.leads", json!({}), "poison").await;
    system.crash_and_restart("notifier").await;
    // The broker redelivers the message, so it is copied again.
    let dead_letters = system.vhost.wait_for_messages("notifier.dead-letters", 2).await;
    assert!(dead_letters.iter().all(|message| payload(message) == b"poison"));
    system.vhost.take_messages("notifier.dead-letters", 2).await;
    assert_eq!(system.submit(KEY, &form()).await, Some(StatusCode::ACCEPTED));
    wait_until_delivered_once(&system, 1).await;
}
