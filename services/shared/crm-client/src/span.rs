//! The span of a call, following OpenTelemetry's conventions for gRPC.

use runtime::trace::{self, TARGET};
use tonic::{Code, GrpcMethod, Response, Status};
use tracing::{Span, field::Empty, info_span};

/// A span whose service and method are not known yet.
pub(crate) fn calling() -> Span {
    info_span!(
        target: TARGET,
        "call",
        otel.kind = "client",
        otel.status_code = Empty,
        rpc.system = "grpc",
        rpc.service = Empty,
        rpc.method = Empty,
        rpc.grpc.status_code = Empty,
    )
}

/// Names the current span after the method.
pub(crate) fn name(method: &GrpcMethod<'_>) {
    let (service, method) = (method.service(), method.method());
    let span = Span::current();
    span.record("rpc.service", service).record("rpc.method", method);
    trace::rename(&span, format!("{service}/{method}"));
}

/// Records the status.
pub(crate) fn end<T>(span: &Span, outcome: &Result<Response<T>, Status>) {
    let code = outcome.as_ref().err().map_or(Code::Ok, Status::code);
    span.record("rpc.grpc.status_code", i64::from(i32::from(code)));
    if code != Code::Ok {
        span.record("otel.status_code", "ERROR");
    }
}
