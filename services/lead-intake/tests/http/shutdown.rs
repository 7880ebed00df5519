//! Tests that a shutdown completes requests in flight and closes idle connections.

use std::{process::ExitCode, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::timeout,
};

use crate::support::{Intake, NO_BROKER, RunningCrm, Setup, Silent, registration};

/// Longer than any request.
const GRACE: Duration = Duration::from_secs(10);

/// Reads the head of a response.
async fn head(stream: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(
            stream.read_line(&mut head).await.unwrap(),
            0,
            "closed after {head:?}"
        );
    }
    head
}

/// Starts a request that waits for its body.
async fn start_request(intake: &Intake, body: &str) -> BufReader<TcpStream> {
    let request = format!(
        "POST /functions/v1/send-contact-email HTTP/1.1\r\nHost: x\r\napikey: anon\r\nAuthorization: Bearer {}\r\n\
         Privacy-Policy-Version: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        intake.token().await,
        lead::privacy_policy::current(),
        body.len()
    );
    let mut stream = BufReader::new(TcpStream::connect(intake.address).await.unwrap());
    stream.write_all(request.as_bytes()).await.unwrap();
    assert!(head(&mut stream).await.starts_with("HTTP/1.1 100 "));
    stream
}

#[tokio::test]
async fn shutdown_answers_waiting_requests() {
    let (broker, crm) = (Silent::start().await, RunningCrm::start(NO_BROKER).await);
    let intake = Intake::start_with(Setup {
        broker: &broker.as_broker(),
        crm: &crm.url(),
        ..Setup::default()
    })
    .await;
    let body = registration().to_string();
    let mut waiting = [
        start_request(&intake, &body).await,
        start_request(&intake, &body).await,
    ];

    intake.context.lifecycle.stop();
    for stream in &mut waiting {
        stream.write_all(body.as_bytes()).await.unwrap();
    }
    for mut stream in waiting {
        let head = head(&mut stream).await.to_ascii_lowercase();
        assert!(
            head.starts_with("http/1.1 202 ") && head.contains("connection: close"),
            "{head}"
        );
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let accepted: Value = serde_json::from_str(&answer).unwrap();
        assert!(crm.lead(&accepted).await.is_some());
    }
    assert_eq!(
        intake.context.lifecycle.run(GRACE).await.unwrap(),
        ExitCode::SUCCESS
    );
    assert!(TcpStream::connect(intake.address).await.is_err());
}

#[tokio::test]
async fn shutdown_closes_idle_connections() {
    let intake = Intake::start_with(Setup::default()).await;
    let mut idle = BufReader::new(TcpStream::connect(intake.address).await.unwrap());
    idle.write_all(b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    let head = head(&mut idle).await.to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .unwrap();
    idle.read_exact(&mut vec![0; length.parse().unwrap()])
        .await
        .unwrap();
    let unused = TcpStream::connect(intake.address).await.unwrap();

    intake.context.lifecycle.stop();
    for mut stream in [idle, BufReader::new(unused)] {
        let end = timeout(GRACE, stream.read(&mut [0]))
            .await
            .expect("the end of the connection");
        // The system resets a connection that was not accepted yet.
        assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
    }
    assert_eq!(
        intake.context.lifecycle.run(GRACE).await.unwrap(),
        ExitCode::SUCCESS
    );
}
