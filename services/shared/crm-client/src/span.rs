//! The span of a call, by OpenTelemetry's conventions for gRPC.

use runtime::trace::{self, TARGET};
use tonic::{Code, GrpcMethod, Response, Status};
use tracing::{Span, field::Empty, info_span};

/// A call that is about to be made.
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

/// Says what is called, once that is known.
pub(crate) fn name(method: &GrpcMethod<'_>) {
    let (service, method) = (method.service(), method.method());
    let span = Span::current();
    span.record("rpc.service", service).record("rpc.method", method);
    trace::rename(&span, format!("{service}/{method}"));
}

/// Says what came of it.
pub(crate) fn end<T>(span: &Span, outcome: &Result<Response<T>, Status>) {
    let code = outcome.as_ref().err().map_or(Code::Ok, Status::code);
    span.record("rpc.grpc.status_code", i64::from(i32::from(code)));
    if code != Code::Ok {
        span.record("otel.status_code", "ERROR");
    }
}
