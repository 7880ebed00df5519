//! Tests the limits on concurrent requests and on their duration.

use std::time::Duration;

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::{Instant, timeout},
};

use crate::support::{Intake, NO_BROKER, Setup, Silent, error, registration};

/// Maximum duration of a request.
const WORST: Duration = Duration::from_secs(5);

#[tokio::test]
async fn rejects_requests_above_the_limit() {
    let intake = Intake::start_with(Setup {
        max_in_flight: 0,
        ..Setup::default()
    })
    .await;
    let answer = intake
        .post("/auth/v1/session")
        .json(&json!({}))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.headers()["retry-after"], "2");
    assert_eq!(error(answer).await, (503, "unavailable".to_owned()));
}

#[tokio::test]
async fn stalled_paths_reject_excess_requests_immediately() {
    const BOUND: usize = 8;
    const ALL: usize = 40;
    let (broker, crm) = (Silent::start().await, Silent::start().await);
    let intake = Intake::start_with(Setup {
        broker: &broker.as_broker(),
        crm: &crm.as_crm(),
        max_in_flight: BOUND,
        ..Setup::default()
    })
    .await;
    let form = intake.form().await.json(&registration());

    let started = Instant::now();
    let mut requests = JoinSet::new();
    for _ in 0..ALL {
        let request = form.try_clone().unwrap();
        requests.spawn(async move {
            let answer = request.send().await.unwrap();
            assert_eq!(answer.headers()["retry-after"], "2");
            (error(answer).await, started.elapsed())
        });
    }
    let answers = requests.join_all().await;
    assert!(
        answers
            .iter()
            .all(|(error, _)| *error == (503, "unavailable".to_owned())),
        "{answers:?}"
    );
    let waited: Vec<_> = answers
        .iter()
        .map(|(_, took)| *took)
        .filter(|took| *took > Duration::from_secs(1))
        .collect();
    assert_eq!(waited.len(), BOUND, "{answers:?}");
    assert!(waited.iter().all(|took| *took < WORST), "{waited:?}");

    // A finished request frees its slot.
    intake.session(json!({})).await;
}

#[tokio::test]
async fn unfinished_request_ends_within_five_seconds() {
    let intake = Intake::start(NO_BROKER).await;
    let mut stream = TcpStream::connect(intake.address).await.unwrap();
    let head = "POST /auth/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Content-Length: 100\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 64];
    let read = timeout(WORST, stream.read(&mut answer)).await;
    let read = read.expect("an answer within five seconds").unwrap();
    let status = String::from_utf8_lossy(&answer[..read]).into_owned();
    assert!(status.starts_with("HTTP/1.1 503 "), "{status}");
}
