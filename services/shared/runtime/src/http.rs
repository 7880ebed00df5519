//! Serves HTTP to browsers. Metrics and traces follow OpenTelemetry's conventions.

use std::{future::IntoFuture, io, net::SocketAddr};

use axum::{
    Router,
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use opentelemetry::{
    KeyValue,
    context::FutureExt,
    metrics::{Counter, Histogram, UpDownCounter},
};
use tokio::time::Instant;
use tracing::{Instrument, field::Empty, info, info_span};

use crate::{
    network::listen,
    service::Context,
    telemetry::{Metrics, SECONDS},
    trace::{self, TARGET},
};

/// Serves until the process stops. Returns the bound address, for port 0.
///
/// # Errors
/// When the address cannot be bound.
pub async fn serve(
    address: SocketAddr,
    router: Router,
    context: &Context,
) -> io::Result<SocketAddr> {
    let listener = listen("HTTP_ADDR", address).await?;
    let address = listener.local_addr()?;
    let stop = context.lifecycle.soft_stop().cancelled_owned();
    let server = axum::serve(listener, router).with_graceful_shutdown(stop);
    context.lifecycle.spawn("http", server.into_future());
    info!(%address, "serving HTTP");
    Ok(address)
}

/// Marks a response as an API error. The code is a metric label, so it must come from a fixed set.
#[derive(Clone, Copy)]
pub struct ErrorCode(pub &'static str);

#[derive(Clone)]
pub struct HttpMetrics {
    active: UpDownCounter<i64>,
    duration: Histogram<f64>,
    rejected: Counter<u64>,
}

impl HttpMetrics {
    /// `codes` are the [`ErrorCode`]s of the service, which are exported as 0 from the start.
    pub fn new(metrics: &Metrics, codes: &[&'static str]) -> Self {
        let active = metrics
            .meter()
            .i64_up_down_counter("http.server.active_requests");
        Self {
            active: active
                .with_description("HTTP requests in progress.")
                .build(),
            rejected: metrics.counter_from_zero(
                "http_server_requests_rejected",
                "HTTP requests rejected, by error code.",
                "code",
                codes,
            ),
            duration: metrics.seconds(
                "http.server.request.duration",
                "Duration of HTTP requests, by method, route and status.",
                &SECONDS,
            ),
        }
    }
}

/// Counts, times and traces a request. The span continues the caller's trace.
pub async fn record_request(
    State(metrics): State<HttpMetrics>,
    request: Request,
    next: Next,
) -> Response {
    let caller = trace::from_headers(request.headers());
    record(metrics, request, next).with_context(caller).await
}

async fn record(metrics: HttpMetrics, request: Request, next: Next) -> Response {
    let method = known_method(request.method().as_str());
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let span = info_span!(
        target: TARGET,
        "request",
        otel.name = format!("{method} {}", route.as_deref().unwrap_or_default()).trim_end(),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        url.scheme = "http",
    );
    let started = Instant::now();
    metrics.active.add(1, &[]);
    // Also if the browser disconnects before the response.
    scopeguard::defer! { metrics.active.add(-1, &[]) }
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status();
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    let labels = [
        KeyValue::new("http.request.method", method),
        KeyValue::new("http.route", route.unwrap_or_default()),
        KeyValue::new("http.response.status_code", i64::from(status.as_u16())),
    ];
    if let Some(ErrorCode(code)) = response.extensions().get() {
        metrics.rejected.add(1, &[KeyValue::new("code", *code)]);
    }
    metrics
        .duration
        .record(started.elapsed().as_secs_f64(), &labels);
    response
}

/// The method's name, or `_OTHER` for a non-standard method.
fn known_method(method: &str) -> &'static str {
    const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
    METHODS
        .into_iter()
        .find(|known| *known == method)
        .unwrap_or("_OTHER")
}
