//! Traces of a lead from the browser through all services. Spans under [`TARGET`] are collected if a collector is
//! configured. The OpenTelemetry context contains the current span or, without a collector, the caller's: what is sent
//! from within it continues the trace in any case.

use axum::http::HeaderMap;
use opentelemetry::{
    Context,
    context::FutureExt,
    trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState},
};
use tracing::{Instrument, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The target of collected spans.
pub const TARGET: &str = "trace";

/// W3C's header, also used as a message header.
pub const HEADER: &str = "traceparent";

/// The context of a request with these headers.
pub fn from_headers(headers: &HeaderMap) -> Context {
    from_traceparent(headers.get(HEADER).and_then(|value| value.to_str().ok()))
}

/// The context in which spans continue the caller's trace. An absent or invalid `traceparent`, or one of another version
/// than 00, begins a new trace.
pub fn from_traceparent(text: Option<&str>) -> Context {
    let caller = text.and_then(parse);
    caller.map_or_else(Context::new, |caller| Context::new().with_remote_span_context(caller))
}

fn parse(traceparent: &str) -> Option<SpanContext> {
    let is_hex = |part: &str, length| {
        part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let mut parts = traceparent.split('-');
    let (Some("00"), Some(trace), Some(span), Some(flags), None) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    if !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
        return None;
    }
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?);
    Some(SpanContext::new(trace, span, flags, true, TraceState::NONE)).filter(SpanContext::is_valid)
}

/// The `traceparent` of the current span or, where spans are not collected, of the caller.
pub fn current() -> Option<String> {
    let context = Context::current();
    let span = context.span();
    let position = span.span_context();
    let (trace, span, flags) = (position.trace_id(), position.span_id(), position.trace_flags().to_u8());
    position.is_valid().then(|| format!("00-{trace}-{span}-{flags:02x}"))
}

/// `None` outside of a trace.
pub fn trace_id(context: &Context) -> Option<TraceId> {
    Some(context.span().span_context().trace_id()).filter(|id| *id != TraceId::INVALID)
}

/// Renames a span: once it was entered, its `otel.name` field has no effect any more.
pub fn rename(span: &Span, name: String) {
    span.context().span().update_name(name);
}

/// Attaches the current spans to a task that will be spawned.
pub fn carried<F: Future>(task: F) -> impl Future<Output = F::Output> {
    task.with_current_context().in_current_span()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_malformed_contexts() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let _guard = from_traceparent(Some(good)).attach();
        assert_eq!(current().unwrap(), good);
        assert_eq!(trace_id(&Context::current()).unwrap().to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
        for bad in [
            "",
            "00",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        ] {
            assert_eq!(trace_id(&from_traceparent(Some(bad))), None, "{bad}");
        }
    }
}
