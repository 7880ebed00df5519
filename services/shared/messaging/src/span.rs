//! Spans of publishing and processing, following OpenTelemetry's conventions for messaging.

use opentelemetry::trace::TraceContextExt;
use runtime::trace::{self, TARGET};
use tracing::{Span, field::Empty, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::{confirm_channels::Outgoing, message::Message};

pub(crate) fn publishing(message: &Outgoing) -> Span {
    info_span!(
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
    )
}

/// The span of processing a message: child of the producer's span and linked to it.
pub(crate) fn processing(queue: &str, message: &Message) -> Span {
    let span = {
        let _within = message.context.clone().attach();
        process(queue)
    };
    span.record("messaging.message.id", &message.id);
    span.record("messaging.message.body.size", message.body.len());
    span.add_link(message.context.span().span_context().clone());
    span
}

/// Adds lead and trace id to each log line written within.
pub(crate) fn lead(message: &Message) -> Span {
    let trace_id = trace::trace_id(&message.context).map(tracing::field::display);
    info_span!("lead", lead_id = message.id, trace_id)
}

/// The span of processing a batch. Messages of different traces get a new trace with links to theirs; messages of one
/// trace stay in it.
pub(crate) fn batch(queue: &str, spans: &[Span]) -> Span {
    let contexts: Vec<_> = spans.iter().map(Span::context).collect();
    if let [first, ..] = spans
        && contexts.iter().all(|context| trace::trace_id(context) == trace::trace_id(&contexts[0]))
    {
        return first.clone();
    }
    let batch = process(queue);
    batch.record("messaging.batch.message_count", spans.len());
    for context in contexts {
        batch.add_link(context.span().span_context().clone());
    }
    batch
}

fn process(queue: &str) -> Span {
    info_span!(
        target: TARGET,
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
