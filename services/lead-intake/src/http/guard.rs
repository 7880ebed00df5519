//! Wraps every handler: limits in number and time, metrics and traces, and answers for unknown routes.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use opentelemetry::{KeyValue, metrics::UpDownCounter};
use runtime::trace::{TARGET, TraceParent};
use tokio::time::{Instant, timeout};
use tracing::{Instrument, field::Empty, info_span};

use super::{
    Intake,
    error::{ApiError, Refusal},
};

/// Limit of every request.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(4500);

/// Limits the number of concurrent requests and the time of each; answers 503 to the others, at once.
pub(super) async fn bounded(State(intake): State<Arc<Intake>>, request: Request, next: Next) -> Response {
    let response = match intake.in_flight.try_acquire() {
        Ok(_permit) => timeout(REQUEST_TIMEOUT, next.run(request))
            .await
            .unwrap_or_else(|_| ApiError::Unavailable.into_response()),
        Err(_) => ApiError::Unavailable.into_response(),
    };
    if let Some(Refusal(code)) = response.extensions().get() {
        intake.metrics.refused.add(1, &[KeyValue::new("code", *code)]);
    }
    response
}

/// Counts, times and traces every request, as one span of the trace that the visitor's browser began.
pub(super) async fn watched(State(intake): State<Arc<Intake>>, request: Request, next: Next) -> Response {
    let method = known(request.method().as_str());
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let span = info_span!(
        target: TARGET,
        parent: None,
        "request",
        otel.name = format!("{method} {}", route.as_deref().unwrap_or_default()).trim_end(),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        url.scheme = "http",
    );
    if let Some(trace) = TraceParent::in_headers(request.headers()) {
        trace.adopt(&span);
    }
    let started = Instant::now();
    let _in_hand = InHand::new(intake.metrics.active.clone());
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
    intake.metrics.seconds.record(started.elapsed().as_secs_f64(), &labels);
    response
}

/// Counts a request as active until dropped: a visitor may disconnect before the answer.
struct InHand(UpDownCounter<i64>);

impl InHand {
    fn new(active: UpDownCounter<i64>) -> Self {
        active.add(1, &[]);
        Self(active)
    }
}

impl Drop for InHand {
    fn drop(&mut self) {
        self.0.add(-1, &[]);
    }
}

/// The method's name if it is one of HTTP's own; strangers may invent any number of others.
fn known(method: &str) -> &'static str {
    const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
    METHODS.into_iter().find(|known| *known == method).unwrap_or("_OTHER")
}

pub(super) async fn not_found() -> ApiError {
    ApiError::NotFound
}

pub(super) async fn method_not_allowed() -> ApiError {
    ApiError::MethodNotAllowed
}
