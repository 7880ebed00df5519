//! Traces of a lead from the browser through all services. A configured collector receives the spans with the target
//! [`TARGET`]. The OpenTelemetry context contains the current span or, without a collector, the caller's span, so requests
//! and messages continue the trace in both cases.

use std::collections::HashMap;

use axum::http::HeaderMap;
use futures_util::TryFutureExt;
use opentelemetry::{
    Context,
    context::FutureExt,
    propagation::TextMapPropagator,
    trace::{TraceContextExt, TraceId},
};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::{Instrument, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

pub const TARGET: &str = "trace";

/// The W3C header, for HTTP requests and broker messages.
pub const HEADER: &str = "traceparent";

pub fn from_headers(headers: &HeaderMap) -> Context {
    from_traceparent(headers.get(HEADER).and_then(|value| value.to_str().ok()))
}

/// The context in which spans continue the caller's trace. An absent or invalid `traceparent` begins a new trace.
pub fn from_traceparent(text: Option<&str>) -> Context {
    let carrier: HashMap<_, _> = text
        .map(|text| (HEADER.to_owned(), text.to_owned()))
        .into_iter()
        .collect();
    TraceContextPropagator::new().extract_with_context(&Context::new(), &carrier)
}

/// The `traceparent` of the current span or, without a collector, of the caller.
pub fn current_traceparent() -> Option<String> {
    let mut carrier = HashMap::new();
    TraceContextPropagator::new().inject_context(&Context::current(), &mut carrier);
    carrier.remove(HEADER)
}

/// `None` outside of a trace.
pub fn trace_id(context: &Context) -> Option<TraceId> {
    Some(context.span().span_context().trace_id()).filter(|id| *id != TraceId::INVALID)
}

/// Renames a span that was entered before. Its `otel.name` field would have no effect.
pub fn rename_span(span: &Span, name: String) {
    span.context().span().update_name(name);
}

/// Runs a call within a span, and sets the span's error status if the call fails. Not an async function, because its future
/// would reserve space for the call twice.
pub fn traced<T, E>(
    span: Span,
    call: impl Future<Output = Result<T, E>>,
) -> impl Future<Output = Result<T, E>> {
    call.instrument(span.clone()).inspect_err(move |_| {
        span.record("otel.status_code", "ERROR");
    })
}

/// Runs a spawned task within the current span and trace.
pub fn in_current_trace<F: Future>(task: F) -> impl Future<Output = F::Output> {
    task.with_current_context().in_current_span()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_malformed_contexts() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let _guard = from_traceparent(Some(good)).attach();
        assert_eq!(current_traceparent().unwrap(), good);
        assert_eq!(
            trace_id(&Context::current()).unwrap().to_string(),
            "4bf92f3577b34da6a3ce929d0e0e4736"
        );
        for bad in [
            "",
            "00",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        ] {
            assert_eq!(trace_id(&from_traceparent(Some(bad))), None, "{bad}");
        }
    }
}
