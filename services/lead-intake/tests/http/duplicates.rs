//! Tests that retries store one lead, on every path.

use std::time::Duration;

use serde_json::json;
use testkit::{
    broker::{Vhost, through},
    proxy::Proxy,
    wait,
};

use crate::support::{IDEMPOTENCY_KEY, Intake, RunningCrm, Setup, accepted, registration};

/// Submits another lead, waits until it and therefore the whole queue is stored, and returns the number of leads.
async fn count_after_another_lead(vhost: &Vhost, crm: &RunningCrm) -> usize {
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let last = accepted(intake.submit(&registration()).await).await;
    wait::until("the last lead of the queue", async || {
        crm.lead(&last).await.is_some()
    })
    .await;
    crm.leads().await
}

#[tokio::test]
async fn same_key_on_both_paths_is_one_lead() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    let crm = RunningCrm::start(&vhost.url_of("crm-sync")).await;
    let broker = through(&vhost.url_of("lead-intake"), proxy.address());
    let intake = Intake::start_with(Setup {
        broker: &broker,
        crm: &crm.url(),
        ..Setup::default()
    })
    .await;
    let by_broker = accepted(intake.submit_as(IDEMPOTENCY_KEY, &registration()).await).await;
    proxy.cut();
    let by_crm = accepted(intake.submit_as(IDEMPOTENCY_KEY, &registration()).await).await;
    assert_eq!(by_broker, by_crm);
    assert_eq!(count_after_another_lead(&vhost, &crm).await, 2);
}

#[tokio::test]
async fn same_key_a_day_later_keeps_the_first_contents() {
    let vhost = Vhost::create().await;
    let crm = RunningCrm::start(&vhost.url_of("crm-sync")).await;
    let intake = Intake::start_with(Setup {
        broker: &vhost.url_of("lead-intake"),
        crm: &crm.url(),
        ..Setup::default()
    })
    .await;
    let first = accepted(intake.submit_as(IDEMPOTENCY_KEY, &registration()).await).await;
    wait::until("the first lead", async || crm.lead(&first).await.is_some()).await;

    intake.clock.advance(Duration::from_secs(24 * 3600));
    let mut other = registration();
    other["mobile"] = json!("+65 8000 0000");
    assert_eq!(
        accepted(intake.submit_as(IDEMPOTENCY_KEY, &other).await).await,
        first
    );
    wait::until("the conflict", async || {
        crm.lead(&first).await.unwrap().conflicts.len() == 1
    })
    .await;
    let lead = crm.lead(&first).await.unwrap();
    assert_eq!(lead.submission.unwrap().mobile, "+65 9123 4567");
    assert_eq!(lead.conflicts[0].mobile, "+65 8000 0000");
}
