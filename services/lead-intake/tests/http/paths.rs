//! Tests the primary path and the fallback path.

use std::time::Duration;

use reqwest::Client;
use runtime::admin;
use serde_json::json;
use testkit::{
    broker::{Vhost, through},
    proxy::{Direction, Mode, Proxy},
    wait,
};
use tokio::time::Instant;

use crate::support::{
    IDEMPOTENCY_KEY, Intake, NO_BROKER, NO_CRM, RunningCrm, Setup, accepted, error, published,
    registration,
};

const BROKER_DEADLINE: Duration = messaging::Settings::PUBLISH_TIMEOUT;
/// Tolerance for a busy machine.
const SLACK: Duration = Duration::from_secs(1);

/// Returns the number of leads on the primary path and on the fallback path.
fn accepted_by(intake: &Intake) -> [u64; 2] {
    ["primary", "fallback"].map(|path| intake.accepted_by(path))
}

#[tokio::test]
async fn counters_of_alerts_start_at_zero_and_count_failures() {
    let intake = Intake::start(NO_BROKER).await;
    testkit::alerts::assert_start_at_zero(
        &intake.context.metrics,
        "lead-intake",
        &[
            "http_server_requests_rejected_total",
            "lead_submissions_total",
            "leads_accepted_total",
        ],
    );
    assert_eq!(intake.submit(&registration()).await.status(), 503);
    assert_eq!(intake.submit(&json!({})).await.status(), 422);
    let submissions = ["accepted", "rejected", "failed"]
        .map(|result| intake.metric("lead_submissions_total", "result", result));
    assert_eq!(submissions, [0, 1, 1]);
}

#[tokio::test]
async fn broker_outage_uses_the_fallback_until_it_recovers() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    let crm = RunningCrm::start(NO_BROKER).await;
    let broker = through(&vhost.url_of("lead-intake"), proxy.address());
    let replicas = format!("{NO_CRM},{}", crm.url());
    let intake = Intake::start_with(Setup {
        broker: &broker,
        crm: &replicas,
        ..Setup::default()
    })
    .await;
    accepted(intake.submit(&registration()).await).await;
    assert_eq!(accepted_by(&intake), [1, 0]);

    proxy.cut();
    let second = accepted(intake.submit(&registration()).await).await;
    let stored = crm.lead(&second).await.unwrap().submission.unwrap();
    assert_eq!(second["reference"], stored.reference.as_str());
    assert_eq!(
        (stored.name.as_str(), stored.questions.as_str()),
        ("陈伟", "有三房吗？🏙️")
    );
    assert_eq!(accepted_by(&intake), [1, 1]);

    proxy.restore();
    wait::until("the primary path to recover", async || {
        accepted(intake.submit(&registration()).await).await;
        accepted_by(&intake)[0] == 2
    })
    .await;
    published(&vhost, 2).await;
}

#[tokio::test]
async fn stalled_broker_delays_only_the_first_lead() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    let crm = RunningCrm::start(NO_BROKER).await;
    let broker = through(&vhost.url_of("lead-intake"), proxy.address());
    let intake = Intake::start_with(Setup {
        broker: &broker,
        crm: &crm.url(),
        ..Setup::default()
    })
    .await;
    accepted(intake.submit(&registration()).await).await;

    proxy.set(Mode::Stall(Direction::Both));
    let started = Instant::now();
    let first = accepted(intake.submit(&registration()).await).await;
    let took = started.elapsed();
    assert!(
        (BROKER_DEADLINE..BROKER_DEADLINE + SLACK).contains(&took),
        "{took:?}"
    );
    let started = Instant::now();
    let second = accepted(intake.submit(&registration()).await).await;
    assert!(started.elapsed() < SLACK, "{:?}", started.elapsed());
    assert!(crm.lead(&first).await.is_some() && crm.lead(&second).await.is_some());
    assert_eq!(accepted_by(&intake), [1, 2]);
}

#[tokio::test]
async fn unroutable_lead_uses_the_fallback() {
    let vhost = Vhost::create().await;
    let crm = RunningCrm::start(NO_BROKER).await;
    let intake = Intake::start_with(Setup {
        broker: &vhost.url_of("lead-intake"),
        crm: &crm.url(),
        ..Setup::default()
    })
    .await;
    accepted(intake.submit(&registration()).await).await;
    for queue in ["notifier.leads", "crm-sync.leads"] {
        vhost.delete_queue(queue).await;
    }
    let lead = accepted(intake.submit(&registration()).await).await;
    assert!(crm.lead(&lead).await.is_some());
    assert_eq!(accepted_by(&intake), [1, 1]);
}

#[tokio::test]
async fn outage_of_both_paths_accepts_the_same_key_later() {
    let vhost = Vhost::create().await;
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    proxy.cut();
    let intake = Intake::start(&through(&vhost.url_of("lead-intake"), proxy.address())).await;
    let answer = intake.submit_as(IDEMPOTENCY_KEY, &registration()).await;
    assert_eq!(answer.headers()["retry-after"], "2");
    assert_eq!(error(answer).await, (503, "unavailable".to_owned()));

    proxy.restore();
    wait::until("the connection to the broker", async || {
        intake
            .submit_as(IDEMPOTENCY_KEY, &registration())
            .await
            .status()
            == 202
    })
    .await;
    published(&vhost, 1).await;
}

#[tokio::test]
async fn rejected_crm_token_is_unavailable() {
    let crm = RunningCrm::start(NO_BROKER).await;
    let intake = Intake::start_with(Setup {
        crm: &crm.url(),
        crm_token: "another-0123456789abcdef0123456789abcd",
        ..Setup::default()
    })
    .await;
    let answer = intake.submit(&registration()).await;
    assert_eq!(answer.headers()["retry-after"], "2");
    assert_eq!(error(answer).await, (503, "unavailable".to_owned()));
    assert_eq!(crm.leads().await, 0);
}

#[tokio::test]
async fn lead_intake_is_ready_without_broker_and_crm_until_it_stops() {
    let intake = Intake::start_with(Setup::default()).await;
    let context = &intake.context;
    let admin = admin::serve(
        "127.0.0.1:0".parse().unwrap(),
        context.readiness.clone(),
        context.metrics.clone(),
    )
    .await
    .unwrap();
    let ready = async || {
        Client::new()
            .get(format!("http://{admin}/readyz"))
            .send()
            .await
            .unwrap()
            .status()
    };
    assert_eq!(ready().await, 200);
    context.lifecycle.stop();
    assert_eq!(ready().await, 503);
}
