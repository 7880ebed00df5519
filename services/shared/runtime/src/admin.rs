//! The admin port: `/livez` (the process runs), `/readyz` (it accepts work) and `/metrics`.

use std::{
    collections::BTreeMap,
    future::IntoFuture,
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{lifecycle::Lifecycle, network::listen, telemetry::Metrics};

/// Time limit of the readiness check.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Whether the process accepts work: from [`Readiness::set_ready`] until the soft stop, unless a credential is wrong.
#[derive(Clone, Debug)]
pub struct Readiness {
    started: Instant,
    ready: CancellationToken,
    stopping: CancellationToken,
    /// The keys are the texts that `/readyz` returns.
    findings: Arc<Mutex<BTreeMap<&'static str, Finding>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    Error,
    Warning,
    /// Not reported. A later rejection becomes a warning.
    Accepted,
}

impl Readiness {
    pub fn new(lifecycle: &Lifecycle) -> Self {
        Self {
            started: Instant::now(),
            ready: CancellationToken::new(),
            stopping: lifecycle.soft_stop(),
            findings: Arc::default(),
        }
    }

    pub fn set_ready(&self) {
        info!(milliseconds = self.started.elapsed().as_millis(), "ready");
        self.ready.cancel();
    }

    /// Logs a warning about the configuration, and adds the warning to the response of `/readyz`.
    pub fn warn(&self, warning: &'static str) {
        warn!(warning, "configuration warning");
        self.findings.lock().insert(warning, Finding::Warning);
    }

    /// Records whether another service accepts a credential. `/readyz` returns the text `rejection` if not. A process whose
    /// credential was never accepted is not ready, because its own configuration is wrong. A later rejection is a warning,
    /// because it affects all replicas, and leads still take the other path.
    pub fn record_credential(&self, rejection: &'static str, is_accepted: bool) {
        let mut findings = self.findings.lock();
        let finding = findings.entry(rejection).or_insert(Finding::Error);
        *finding = match *finding {
            _ if is_accepted => Finding::Accepted,
            Finding::Error => Finding::Error,
            Finding::Warning | Finding::Accepted => Finding::Warning,
        };
    }

    pub fn status(&self) -> (StatusCode, String) {
        let findings = self.findings.lock();
        let list = |kind: Finding, prefix: &str| -> String {
            let found = findings.iter().filter(|(_, finding)| **finding == kind);
            found.map(|(text, _)| format!("{prefix}{text}\n")).collect()
        };
        let errors = list(Finding::Error, "");
        if self.stopping.is_cancelled() {
            (StatusCode::SERVICE_UNAVAILABLE, "stopping\n".to_owned())
        } else if !errors.is_empty() {
            (StatusCode::SERVICE_UNAVAILABLE, errors)
        } else if self.ready.is_cancelled() {
            (
                StatusCode::OK,
                format!("ready\n{}", list(Finding::Warning, "warning: ")),
            )
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, "starting\n".to_owned())
        }
    }
}

/// Serves the admin port until the process exits, because `/readyz` also reports the stop. Returns the bound address, for
/// port 0.
///
/// # Errors
/// When the address cannot be bound.
pub async fn serve(
    address: SocketAddr,
    readiness: Readiness,
    metrics: Metrics,
) -> io::Result<SocketAddr> {
    let listener = listen("ADMIN_ADDR", address).await?;
    let bound = listener.local_addr()?;
    let app = Router::new()
        .route("/livez", get(|| async { "alive\n" }))
        .route(
            "/readyz",
            get(|State(readiness): State<Readiness>| async move { readiness.status() }),
        )
        .with_state(readiness)
        .route("/metrics", get(move || async move { scrape(&metrics) }));
    #[expect(
        clippy::disallowed_methods,
        reason = "serves until the process exits, so nothing waits for the task"
    )]
    tokio::spawn(axum::serve(listener, app).into_future());
    Ok(bound)
}

/// Whether the process with this admin port reports ready.
///
/// # Errors
/// If the process does not respond in time.
pub fn is_ready(mut address: SocketAddr) -> io::Result<bool> {
    if address.ip().is_unspecified() {
        address.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    let mut connection = TcpStream::connect_timeout(&address, TIMEOUT)?;
    connection.set_read_timeout(Some(TIMEOUT))?;
    connection.write_all(b"GET /readyz HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    Ok(answer.split(' ').nth(1) == Some("200"))
}

fn scrape(metrics: &Metrics) -> Response {
    match metrics.encode() {
        Ok(text) => (
            [(
                header::CONTENT_TYPE,
                "text/plain; version=0.0.4; charset=utf-8",
            )],
            text,
        )
            .into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn get(address: SocketAddr, path: &str) -> (u16, String) {
        let answer = reqwest::get(format!("http://{address}{path}"))
            .await
            .unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    #[tokio::test]
    async fn service_is_ready_from_the_end_of_its_start_until_its_stop() {
        let lifecycle = Lifecycle::new();
        let readiness = Readiness::new(&lifecycle);
        let metrics = Metrics::new("test");
        let address = serve("127.0.0.1:0".parse().unwrap(), readiness.clone(), metrics)
            .await
            .unwrap();
        let healthy = async || {
            tokio::task::spawn_blocking(move || is_ready(address))
                .await
                .unwrap()
                .unwrap()
        };

        assert_eq!(
            get(address, "/readyz").await,
            (503, "starting\n".to_owned())
        );
        assert_eq!(get(address, "/livez").await, (200, "alive\n".to_owned()));
        assert!(!healthy().await);
        readiness.set_ready();
        assert_eq!(get(address, "/readyz").await, (200, "ready\n".to_owned()));
        assert!(healthy().await);
        readiness.warn("emails are not delivered");
        assert_eq!(
            get(address, "/readyz").await,
            (200, "ready\nwarning: emails are not delivered\n".to_owned())
        );
        assert!(healthy().await);
        lifecycle.stop();
        assert_eq!(
            get(address, "/readyz").await,
            (503, "stopping\n".to_owned())
        );
        assert_eq!(get(address, "/livez").await.0, 200);
    }

    #[test]
    fn wrong_credential_is_not_ready_and_a_later_rejection_warns() {
        const REJECTION: &str = "the broker rejects AMQP_URL";
        let readiness = Readiness::new(&Lifecycle::new());
        readiness.set_ready();
        let status = || {
            let (status, body) = readiness.status();
            (status.as_u16(), body)
        };
        readiness.record_credential(REJECTION, false);
        assert_eq!(status(), (503, "the broker rejects AMQP_URL\n".to_owned()));
        readiness.record_credential(REJECTION, true);
        assert_eq!(status(), (200, "ready\n".to_owned()));
        readiness.record_credential(REJECTION, false);
        assert_eq!(
            status(),
            (
                200,
                "ready\nwarning: the broker rejects AMQP_URL\n".to_owned()
            )
        );
    }

    #[tokio::test]
    async fn metrics_are_in_prometheus_format() {
        let lifecycle = Lifecycle::new();
        let metrics = Metrics::new("test");
        metrics
            .counter("leads_accepted", "Leads accepted.")
            .add(3, &[]);
        let address = serve(
            "127.0.0.1:0".parse().unwrap(),
            Readiness::new(&lifecycle),
            metrics,
        )
        .await
        .unwrap();
        let (status, text) = get(address, "/metrics").await;
        assert_eq!(status, 200);
        assert!(
            text.contains("# HELP leads_accepted_total Leads accepted."),
            "{text}"
        );
        assert!(
            text.lines().any(|line| line == "leads_accepted_total 3"),
            "{text}"
        );
    }
}
