//! Crashes of crm-sync and notifier between two steps. Afterwards each lead is acknowledged, stored once and emailed once to
//! every recipient. The tests of lead-intake and notifier cover their other steps.

use reqwest::StatusCode;
use serde_json::json;
use testkit::{broker::payload, wait};
use uuid::Uuid;

use crate::system::{RECIPIENTS, System, form};

const CRM_SYNC_RECORDED: &str = "crm-sync-recorded";

#[tokio::test(flavor = "multi_thread")]
async fn crashes_between_steps_deliver_each_lead_once() {
    let system = System::start(&[]).await;
    let points = [
        "crm-sync-before-commit",
        "crm-sync-committed",
        "crm-sync-claimed",
        CRM_SYNC_RECORDED,
    ];
    for (leads, point) in (1_u8..).zip(points) {
        if point == CRM_SYNC_RECORDED {
            // lead-intake calls crm-sync only on the fallback path.
            system.to_broker.cut();
        }
        system.crash_at("crm-sync", point).await;
        let (key, leads) = (
            Uuid::from_u128(leads.into()).to_string(),
            usize::from(leads),
        );
        // The crash may prevent the response, so the visitor submits again.
        let _ = system.submit(&key, &form()).await;
        system.wait_for_crash("crm-sync", leads).await;
        wait::until("202", async || {
            system.submit(&key, &form()).await == Some(StatusCode::ACCEPTED)
        })
        .await;
        wait_until_delivered_once(&system, leads).await;
    }

    system.crash_at("notifier", "messaging-copied").await;
    system
        .vhost
        .publish_raw("notifier.leads", json!({}), "poison")
        .await;
    system.wait_for_crash("notifier", 1).await;
    // The broker redelivers the message, so it is copied again.
    let dead_letters = system
        .vhost
        .wait_for_messages("notifier.dead-letters", 2)
        .await;
    assert!(
        dead_letters
            .iter()
            .all(|message| payload(message) == b"poison")
    );
    system.vhost.take_messages("notifier.dead-letters", 2).await;
    let (key, leads) = (Uuid::nil().to_string(), points.len() + 1);
    assert_eq!(
        system.submit(&key, &form()).await,
        Some(StatusCode::ACCEPTED)
    );
    wait_until_delivered_once(&system, leads).await;
}

/// Waits until all leads are stored and closed, and checks that each was emailed once to every recipient.
async fn wait_until_delivered_once(system: &System, leads: usize) {
    wait::until("the rows", async || system.count("lead") == leads).await;
    let delivered = "delivery WHERE state = 'delivered'";
    wait::until("all emails", async || {
        system.count(delivered) == leads * RECIPIENTS.len()
    })
    .await;
    system.wait_for_empty_queues().await;
    wait::until("the leads to be closed", async || {
        system.count("lead WHERE open") == 0
    })
    .await;
    let mut mailed = RECIPIENTS.repeat(leads);
    mailed.sort_unstable();
    assert_eq!(system.mailed(), mailed);
}
