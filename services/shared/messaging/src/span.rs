//! Spans of publishing and processing, following OpenTelemetry's conventions for messaging.

use runtime::trace::{TARGET, TraceParent};
use tracing::{Span, field::Empty, info_span};

use crate::{confirm_channels::Outgoing, message::Message};

/// The span of publishing a message. Its parent is the current span, otherwise `trace`.
pub(crate) fn publishing(message: &Outgoing, trace: Option<&TraceParent>) -> Span {
    let span = info_span!(
        target: TARGET,
        "publish",
        otel.name = format!("publish {}", message.exchange),
        otel.kind = "producer",
        otel.status_code = Empty,
        error.type = Empty,
        messaging.system = "rabbitmq",
        messaging.operation.type = "send",
        messaging.operation.name = "publish",
        messaging.destination.name = message.exchange,
        messaging.rabbitmq.destination.routing_key = message.routing_key,
        messaging.message.id = message.message_id,
        messaging.message.body.size = message.body.len(),
    );
    if let Some(trace) = trace.filter(|_| TraceParent::current().is_none()) {
        trace.adopt(&span);
    }
    span
}

/// The span of processing a message: child of the producer's span and linked to it.
pub(crate) fn processing(queue: &str, message: &Message) -> Span {
    let span = process(queue);
    span.record("messaging.message.id", &message.id);
    span.record("messaging.message.body.size", message.body.len());
    if let Some(trace) = message.trace() {
        trace.adopt(&span);
        trace.link(&span);
    }
    span
}

/// Adds lead and trace id to each log line written within.
pub(crate) fn lead(message: &Message) -> Span {
    let trace = message.trace();
    info_span!("lead", lead_id = message.id, trace_id = trace.as_ref().map(TraceParent::trace_id))
}

/// The span of processing a batch. Messages of different traces get a new trace with links to theirs; messages of one
/// trace stay in it.
pub(crate) fn batch(queue: &str, spans: &[Span]) -> Span {
    let traces: Vec<_> = spans.iter().map(TraceParent::from_span).collect();
    let trace_id = |trace: &Option<TraceParent>| trace.as_ref().map(|it| it.trace_id().to_owned());
    if let [first, ..] = spans
        && traces.iter().all(|trace| trace_id(trace) == trace_id(&traces[0]))
    {
        return first.clone();
    }
    let batch = process(queue);
    batch.record("messaging.batch.message_count", spans.len());
    for trace in traces.iter().flatten() {
        trace.link(&batch);
    }
    batch
}

fn process(queue: &str) -> Span {
    info_span!(
        target: TARGET,
        parent: None,
        "process",
        otel.name = format!("process {queue}"),
        otel.kind = "consumer",
        messaging.system = "rabbitmq",
        messaging.operation.type = "process",
        messaging.operation.name = "process",
        messaging.destination.name = queue,
        messaging.message.id = Empty,
        messaging.message.body.size = Empty,
        messaging.batch.message_count = Empty,
        verdict = Empty,
    )
}
