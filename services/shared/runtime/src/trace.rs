//! Traces of a lead from the browser through all services. Spans under [`TARGET`] are collected if a collector is
//! configured; the trace id is propagated in any case.

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

/// A valid `traceparent` of version 00.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceParent(String);

impl TraceParent {
    /// `None` when the header is missing or invalid.
    pub fn in_headers(headers: &HeaderMap) -> Option<Self> {
        Self::parse(headers.get(HEADER)?.to_str().ok()?)
    }

    /// `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = |part: &str, length| {
            part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_set = |part: &str| part.bytes().any(|byte| byte != b'0');
        let ["00", trace, parent, flags] = *text.split('-').collect::<Vec<_>>() else { return None };
        let is_valid = hex(trace, 32) && hex(parent, 16) && hex(flags, 2) && is_set(trace) && is_set(parent);
        is_valid.then(|| Self(text.to_owned()))
    }

    /// The position of the current span; `None` when spans are not collected.
    pub fn current() -> Option<Self> {
        Self::from_context(&Context::current())
    }

    /// The position of `span`; `None` when spans are not collected.
    pub fn from_span(span: &Span) -> Option<Self> {
        Self::from_context(&span.context())
    }

    fn from_context(context: &Context) -> Option<Self> {
        let span = context.span();
        let place = span.span_context();
        let flags = place.trace_flags().to_u8();
        place.is_valid().then(|| Self(format!("00-{}-{}-{flags:02x}", place.trace_id(), place.span_id())))
    }

    /// Makes this the parent of a span that has not been entered yet.
    pub fn adopt(&self, span: &Span) {
        // Fails only when no spans are collected.
        let _ = span.set_parent(Context::new().with_remote_span_context(self.to_span_context()));
    }

    /// Adds a link from `span` to this position.
    pub fn link(&self, span: &Span) {
        span.add_link(self.to_span_context());
    }

    fn to_span_context(&self) -> SpanContext {
        let trace = TraceId::from_hex(self.trace_id()).unwrap_or(TraceId::INVALID);
        let span = SpanId::from_hex(&self.0[36..52]).unwrap_or(SpanId::INVALID);
        SpanContext::new(trace, span, TraceFlags::SAMPLED, true, TraceState::NONE)
    }

    /// 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        &self.0[3..35]
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
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
        assert_eq!(TraceParent::parse(good).unwrap().trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
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
            assert_eq!(TraceParent::parse(bad), None, "{bad}");
        }
    }
}
