//! The admin port: `/livez` (the process runs), `/readyz` (it accepts work) and `/metrics`.

use parking_lot::Mutex;
use std::{
    collections::BTreeSet,
    future::IntoFuture,
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{lifecycle::Lifecycle, network::listen, telemetry::Metrics};

/// Time limit of the readiness check.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Ready once all latches are released, until the process is asked to stop.
#[derive(Clone, Debug)]
pub struct Readiness(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    waiting_for: Mutex<BTreeSet<&'static str>>,
    warning: OnceLock<&'static str>,
    started: Instant,
    stopping: CancellationToken,
}

/// Holds readiness back until released; when dropped without release, the process never becomes ready.
#[derive(Debug)]
#[must_use]
pub struct Latch {
    name: &'static str,
    readiness: Readiness,
}

impl Readiness {
    /// Ready at once unless latches are taken.
    #[must_use]
    pub fn new(lifecycle: &Lifecycle) -> Self {
        Self(Arc::new(Inner {
            waiting_for: Mutex::default(),
            warning: OnceLock::new(),
            started: Instant::now(),
            stopping: lifecycle.soft_stop(),
        }))
    }

    /// Holds readiness back until the latch is released. `name` appears in the answer of `/readyz`.
    pub fn latch(&self, name: &'static str) -> Latch {
        self.0.waiting_for.lock().insert(name);
        Latch { name, readiness: self.clone() }
    }

    /// Logs a warning about the configuration and repeats it in the answer of `/readyz`. Only the first is kept.
    pub fn warn(&self, warning: &'static str) {
        warn!(warning, "configuration warning");
        let _ = self.0.warning.set(warning);
    }

    fn status(&self) -> (StatusCode, String) {
        let waiting_for: Vec<_> = self.0.waiting_for.lock().iter().copied().collect();
        if self.0.stopping.is_cancelled() {
            (StatusCode::SERVICE_UNAVAILABLE, "stopping\n".to_owned())
        } else if waiting_for.is_empty() {
            let warning = self.0.warning.get().map(|warning| format!("warning: {warning}\n"));
            (StatusCode::OK, format!("ready\n{}", warning.unwrap_or_default()))
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, format!("waiting for: {}\n", waiting_for.join(", ")))
        }
    }
}

impl Latch {
    /// Records that the dependency is available.
    pub fn release(self) {
        let mut waiting_for = self.readiness.0.waiting_for.lock();
        waiting_for.remove(self.name);
        if waiting_for.is_empty() {
            info!(milliseconds = self.readiness.0.started.elapsed().as_millis(), "ready");
        }
    }
}

/// Serves the admin port until the process ends, so that `/readyz` can report that it is stopping. Returns the bound
/// address, for port 0.
///
/// # Errors
/// When the address cannot be bound.
pub async fn serve(address: SocketAddr, readiness: Readiness, metrics: Metrics) -> io::Result<SocketAddr> {
    let listener = listen(address).await.map_err(|error| {
        io::Error::new(error.kind(), format!("cannot bind ADMIN_ADDR={address}: {error}"))
    })?;
    let bound = listener.local_addr()?;
    let app = Router::new()
        .route("/livez", get(|| async { "alive\n" }))
        .route("/readyz", get(|State(readiness): State<Readiness>| async move { readiness.status() }))
        .with_state(readiness)
        .route("/metrics", get(move || async move { scrape(&metrics) }));
    #[expect(
        clippy::disallowed_methods,
        reason = "answers to the very end of the process, so nothing waits for it"
    )]
    tokio::spawn(axum::serve(listener, app).into_future());
    Ok(bound)
}

/// Whether the process with this admin port reports ready.
///
/// # Errors
/// When it does not answer in time.
pub fn is_ready(mut address: SocketAddr) -> io::Result<bool> {
    if address.ip().is_unspecified() {
        // The loopback address that every machine has.
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
        Ok(text) => {
            ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn get(address: SocketAddr, path: &str) -> (u16, String) {
        let answer = reqwest::get(format!("http://{address}{path}")).await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    #[tokio::test]
    async fn ready_once_every_latch_was_released_and_until_the_stop() {
        let lifecycle = Lifecycle::new();
        let readiness = Readiness::new(&lifecycle);
        let (broker, database) = (readiness.latch("broker"), readiness.latch("database"));
        let warned = readiness.clone();
        let metrics = Metrics::new("test");
        let address = serve("127.0.0.1:0".parse().unwrap(), readiness, metrics).await.unwrap();

        assert_eq!(get(address, "/readyz").await, (503, "waiting for: broker, database\n".to_owned()));
        assert_eq!(get(address, "/livez").await, (200, "alive\n".to_owned()));
        let healthy = async || tokio::task::spawn_blocking(move || is_ready(address)).await.unwrap().unwrap();
        broker.release();
        assert_eq!(get(address, "/readyz").await, (503, "waiting for: database\n".to_owned()));
        assert!(!healthy().await);
        database.release();
        assert_eq!(get(address, "/readyz").await, (200, "ready\n".to_owned()));
        assert!(healthy().await);
        warned.warn("emails are not delivered");
        assert_eq!(
            get(address, "/readyz").await,
            (200, "ready\nwarning: emails are not delivered\n".to_owned())
        );
        assert!(healthy().await);
        lifecycle.stop();
        assert_eq!(get(address, "/readyz").await, (503, "stopping\n".to_owned()));
        assert_eq!(get(address, "/livez").await.0, 200);
    }

    #[tokio::test]
    async fn metrics_are_in_prometheus_words() {
        let lifecycle = Lifecycle::new();
        let metrics = Metrics::new("test");
        metrics.meter().u64_counter("leads_accepted").with_description("Leads accepted.").build().add(3, &[]);
        let address =
            serve("127.0.0.1:0".parse().unwrap(), Readiness::new(&lifecycle), metrics).await.unwrap();
        let (status, text) = get(address, "/metrics").await;
        assert_eq!(status, 200);
        assert!(text.contains("# HELP leads_accepted_total Leads accepted."), "{text}");
        assert!(text.lines().any(|line| line == "leads_accepted_total 3"), "{text}");
    }
}
