//! A program dies between two steps, with the whole system around it: whatever dies where, the lead is answered, stored
//! once and mailed to everybody. The steps of lead-intake and notifier are in their own tests.

use reqwest::StatusCode;
use testkit::wait;

use crate::system::{Manner, RECIPIENTS, System, form};

const KEY: &str = "0c0f3c5a-5a56-4f5f-8f6e-0a8f6c1b2d3e";

const GREYLISTING: &str = "450 4.2.0 greylisted";

/// One row: the service dies at the place, comes back, and nothing is missing or twice.
async fn crash(service: &'static str, place: &'static str, manner: Manner) {
    let mut system = System::start(Manner { crash: Some((service, place)), ..manner }).await;
    // The crash may take the answer with it; the visitor presses again.
    let _ = system.press(KEY, &form()).await;
    system.crash_and_restart(service).await;
    wait::until("202", async || system.press(KEY, &form()).await == Some(StatusCode::ACCEPTED)).await;
    wait::until("the row", async || system.count("lead") == 1).await;
    wait::until("everybody to be told", async || system.count("notification") == RECIPIENTS.len()).await;
    system.queues_are_empty().await;
    wait::until("the ledger to be closed", async || system.count("lead WHERE open") == 0).await;
    assert_eq!(system.mailed(), RECIPIENTS);
}

#[tokio::test]
async fn crm_sync_between_the_record_and_its_answer() {
    crash("crm-sync", "crm-sync-recorded", Manner { second_road: true, ..Manner::default() }).await;
}

#[tokio::test]
async fn crm_sync_before_the_commit() {
    crash("crm-sync", "crm-sync-before-commit", Manner::default()).await;
}

#[tokio::test]
async fn crm_sync_between_the_commit_and_the_acknowledgement() {
    crash("crm-sync", "crm-sync-committed", Manner::default()).await;
}

#[tokio::test]
async fn crm_sync_between_a_claim_and_its_answer() {
    crash("crm-sync", "crm-sync-claimed", Manner::default()).await;
}

#[tokio::test]
async fn notifier_between_the_copy_for_later_and_the_acknowledgement() {
    crash("notifier", "messaging-copied", Manner { first_refused: Some(GREYLISTING), ..Manner::default() })
        .await;
}
