//! Spans of what is published and of what is dealt with, by OpenTelemetry's conventions for messaging.

use runtime::trace::{TARGET, TraceParent};
use tracing::{Span, field::Empty, info_span};

use crate::{error::PublishError, lane::Outgoing, message::Message};

/// Publishing a message. It goes on from where it is called, or else from `trace`.
pub(crate) fn publishing(message: &Outgoing, trace: Option<&TraceParent>) -> Span {
    // The default exchange has no name: a message for it goes to the queue of its key.
    let destination =
        if message.exchange.is_empty() { message.routing_key.as_str() } else { message.exchange };
    let span = info_span!(
        target: TARGET,
        "publish",
        otel.name = format!("publish {destination}"),
        otel.kind = "producer",
        otel.status_code = Empty,
        error.type = Empty,
        messaging.system = "rabbitmq",
        messaging.operation.type = "send",
        messaging.operation.name = "publish",
        messaging.destination.name = destination,
        messaging.rabbitmq.destination.routing_key = message.routing_key,
        messaging.message.id = message.message_id,
        messaging.message.body.size = message.body.len(),
    );
    if let Some(trace) = trace.filter(|_| TraceParent::current().is_none()) {
        trace.adopt(&span);
    }
    span
}

/// Notes on its span that a message was not published.
pub(crate) fn fail(span: &Span, error: PublishError) {
    span.record("otel.status_code", "ERROR").record("error.type", error.label());
}

/// Dealing with a message: a part of the trace that brought it, which it also points to.
pub(crate) fn processing(queue: &str, message: &Message) -> Span {
    let span = info_span!(
        target: TARGET,
        parent: None,
        "process",
        otel.name = format!("process {queue}"),
        otel.kind = "consumer",
        messaging.system = "rabbitmq",
        messaging.operation.type = "process",
        messaging.operation.name = "process",
        messaging.destination.name = queue,
        messaging.message.id = message.id,
        messaging.message.body.size = message.body.len(),
        verdict = Empty,
    );
    if let Some(trace) = message.trace() {
        trace.adopt(&span);
        trace.link(&span);
    }
    span
}

/// What each line of the log has that is written meanwhile.
pub(crate) fn lead(message: &Message) -> Span {
    let trace = message.trace();
    info_span!("lead", lead_id = message.id, trace_id = trace.as_ref().map(TraceParent::trace_id))
}

/// Dealing with several messages at once: a trace of its own, which points to each of theirs. Those of one trace stay
/// in it.
pub(crate) fn together(queue: &str, spans: &[Span]) -> Span {
    let traces: Vec<_> = spans.iter().map(TraceParent::of).collect();
    let trace_id = |trace: &Option<TraceParent>| trace.as_ref().map(|it| it.trace_id().to_owned());
    if let [first, ..] = spans
        && traces.iter().all(|trace| trace_id(trace) == trace_id(&traces[0]))
    {
        return first.clone();
    }
    let batch = info_span!(
        target: TARGET,
        parent: None,
        "process",
        otel.name = format!("process {queue}"),
        otel.kind = "consumer",
        messaging.system = "rabbitmq",
        messaging.operation.type = "process",
        messaging.operation.name = "process",
        messaging.destination.name = queue,
        messaging.batch.message_count = spans.len(),
    );
    for trace in traces.iter().flatten() {
        trace.link(&batch);
    }
    batch
}
