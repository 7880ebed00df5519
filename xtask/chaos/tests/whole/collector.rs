//! A collector that accepts connections and never answers.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use reqwest::StatusCode;
use testkit::wait;
use uuid::Uuid;

use crate::system::{RECIPIENTS, SERVICES, System, form};

/// The time limit of the services for sending a batch of spans. Whatever waits for the collector takes at least as long.
const BATCH_TIMEOUT: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn silent_collector_delays_no_lead_and_no_stop() {
    // The kernel accepts connections, and no program reads from them.
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", collector.local_addr().unwrap());
    let settings = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_METRICS_EXPORTER", "otlp"),
    ];
    let system = System::start(&settings).await;
    submit_without_delay(&system, 1).await;
    for service in SERVICES {
        wait::until(&format!("{service} to log dropped spans"), async || {
            system
                .log(service)
                .contains("BatchSpanProcessor.ExportError")
        })
        .await;
    }
    // The spans of this lead are waiting for the collector when the services stop.
    submit_without_delay(&system, 2).await;
    for service in SERVICES {
        let started = Instant::now();
        assert!(system.stop_service(service), "{service} had to be killed");
        let took = started.elapsed();
        assert!(took < BATCH_TIMEOUT, "{service} stopped after {took:?}");
    }
}

/// Submits lead number `leads`, and waits until it is stored and emailed.
async fn submit_without_delay(system: &System, leads: usize) {
    let key = Uuid::from_u128(leads as u128).to_string();
    let started = Instant::now();
    assert_eq!(
        system.submit(&key, &form()).await,
        Some(StatusCode::ACCEPTED)
    );
    wait::until("the row and the emails", async || {
        system.count("lead") == leads && system.mailed().len() == leads * RECIPIENTS.len()
    })
    .await;
    let took = started.elapsed();
    assert!(took < BATCH_TIMEOUT, "lead {leads} took {took:?}");
}
