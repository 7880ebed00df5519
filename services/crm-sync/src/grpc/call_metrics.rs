//! Measures and traces every call according to the OpenTelemetry conventions for gRPC.

use axum::{extract::Request, middleware::Next, response::Response};
use opentelemetry::{KeyValue, context::FutureExt, metrics::Histogram};
use runtime::{
    telemetry::{Metrics, SECONDS},
    trace::{self, TARGET},
};
use tokio::time::Instant;
use tonic::Code;
use tracing::{Instrument, field::Empty, info_span};

/// Status header of a response without a body. Other responses send their status in the trailers and count as OK here.
const STATUS: &str = "grpc-status";

pub(crate) fn seconds(metrics: &Metrics) -> Histogram<f64> {
    const DESCRIPTION: &str = "Time until the response begins, by method and status.";
    metrics.seconds("rpc.server.duration", DESCRIPTION, &SECONDS)
}

pub(crate) async fn record_call(seconds: Histogram<f64>, request: Request, next: Next) -> Response {
    let caller = trace::from_headers(request.headers());
    record(seconds, request, next).with_context(caller).await
}

async fn record(seconds: Histogram<f64>, request: Request, next: Next) -> Response {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    let Some((service, method)) = path.split_once('/') else {
        return next.run(request).await;
    };
    let span = info_span!(
        target: TARGET,
        "call",
        otel.name = path,
        otel.kind = "server",
        otel.status_code = Empty,
        rpc.system = "grpc",
        rpc.service = service,
        rpc.method = method,
        rpc.grpc.status_code = Empty,
    );
    let started = Instant::now();
    let response = next.run(request).instrument(span.clone()).await;
    let code = response
        .headers()
        .get(STATUS)
        .map_or(Code::Ok, |code| Code::from_bytes(code.as_bytes()));
    let number = i64::from(i32::from(code));
    span.record("rpc.grpc.status_code", number);
    if is_server_error(code) {
        span.record("otel.status_code", "ERROR");
    }
    // Unauthenticated clients can send any method name, so only known methods of authenticated clients become labels.
    let is_a_strangers = code == Code::Unimplemented || code == Code::Unauthenticated;
    let method = if is_a_strangers { "" } else { method };
    let labels = [
        KeyValue::new("rpc.method", method.to_owned()),
        KeyValue::new("rpc.grpc.status_code", number),
    ];
    seconds.record(started.elapsed().as_secs_f64(), &labels);
    response
}

fn is_server_error(code: Code) -> bool {
    matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    )
}
