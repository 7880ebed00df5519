//! Metrics and spans of publishing and processing, following OpenTelemetry's conventions for messaging.

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram},
    trace::TraceContextExt,
};
use runtime::{
    telemetry::{self, SECONDS},
    trace::{self, TARGET},
};
use strum::{VariantArray, VariantNames};
use tracing::{Span, field::Empty, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use crate::{
    confirm_channels::OutgoingMessage, error::PublishError, event::Route, handler::Verdict,
    message::ReceivedMessage,
};

/// The result of a publish that the broker confirmed.
const CONFIRMED: &str = "confirmed";

/// In seconds, up to the age of events after a pause of hours.
const QUEUE_AGE_BUCKETS: [f64; 13] = [
    0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0, 21_600.0,
];

#[derive(Clone)]
pub(crate) struct Metrics {
    connected: Gauge<u64>,
    pub(crate) blocked: Gauge<u64>,
    pub(crate) paused: Gauge<u64>,
    published: Counter<u64>,
    pub(crate) publish_duration: Histogram<f64>,
    consumed: Counter<u64>,
    pub(crate) ages: Histogram<f64>,
}

impl Metrics {
    pub(crate) fn new(metrics: &telemetry::Metrics) -> Self {
        Self {
            connected: metrics.gauge(
                "messaging_connected",
                "1 while connected to the broker, by role (publish or consume).",
            ),
            blocked: metrics.gauge(
                "messaging_blocked",
                "1 while the broker blocks publishing (memory or disk alarm).",
            ),
            paused: metrics.gauge(
                "messaging_paused",
                "1 while consuming is paused because a dependency is unavailable, by queue.",
            ),
            published: metrics.counter(
                "messaging_published",
                "Messages published, by destination and result.",
            ),
            publish_duration: metrics.seconds(
                "messaging_publish_duration",
                "Time to publish a message, until the broker's confirm or the failure.",
                &SECONDS,
            ),
            consumed: metrics.counter(
                "messaging_consumed",
                "Messages consumed, by queue and verdict.",
            ),
            ages: metrics.seconds(
                "messaging_queue_age",
                "Age of events when they are consumed, by queue.",
                &QUEUE_AGE_BUCKETS,
            ),
        }
    }

    /// Exports 0 for each route and result, because Prometheus does not see the first event of a series that begins with it.
    pub(crate) fn begin_publishing(&self) {
        let results = [CONFIRMED]
            .into_iter()
            .chain(PublishError::VARIANTS.iter().copied());
        for result in results {
            for route in Route::VARIANTS {
                self.count_published(route.key(), result, 0);
            }
        }
    }

    pub(crate) fn add_published(&self, to: &'static str, result: Result<(), PublishError>) {
        let label = result.err().map_or(CONFIRMED, PublishError::label);
        self.count_published(to, label, 1);
    }

    fn count_published(&self, to: &'static str, result: &'static str, count: u64) {
        let labels = [KeyValue::new("to", to), KeyValue::new("result", result)];
        self.published.add(count, &labels);
    }

    /// Exports 0 for each verdict of the queue, as [`Self::begin_publishing`] does for results.
    pub(crate) fn begin_consuming(&self, queue: &'static str) {
        for verdict in Verdict::NAMES {
            self.count_consumed(queue, verdict, 0);
        }
    }

    pub(crate) fn add_consumed(&self, queue: &'static str, verdict: &Verdict) {
        self.count_consumed(queue, verdict.name(), 1);
    }

    fn count_consumed(&self, queue: &'static str, verdict: &'static str, count: u64) {
        let labels = [
            KeyValue::new("queue", queue),
            KeyValue::new("verdict", verdict),
        ];
        self.consumed.add(count, &labels);
    }

    pub(crate) fn record_connected(&self, role: &'static str, connected: bool) {
        self.connected
            .record(u64::from(connected), &[KeyValue::new("role", role)]);
    }
}

pub(crate) fn publish_span(message: &OutgoingMessage) -> Span {
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

/// The span of processing a message, as a child of the producer's span and with a link to it.
pub(crate) fn process_span(queue: &str, message: &ReceivedMessage) -> Span {
    let span = {
        let _within = message.context.clone().attach();
        new_process_span(queue)
    };
    span.record("messaging.message.id", &message.id);
    span.record("messaging.message.body.size", message.body.len());
    span.add_link(message.context.span().span_context().clone());
    span
}

/// Adds the lead's id and the trace id to log lines.
pub(crate) fn lead_span(message: &ReceivedMessage) -> Span {
    let trace_id = trace::trace_id(&message.context).map(tracing::field::display);
    info_span!("lead", lead_id = message.id, trace_id)
}

/// The span of processing a batch. Messages of one trace stay in it. Messages of several traces get a new trace with links
/// to theirs.
pub(crate) fn batch_span(queue: &str, spans: &[Span]) -> Span {
    let contexts: Vec<_> = spans.iter().map(Span::context).collect();
    if let [first, ..] = spans
        && contexts
            .iter()
            .all(|context| trace::trace_id(context) == trace::trace_id(&contexts[0]))
    {
        return first.clone();
    }
    let batch = new_process_span(queue);
    batch.record("messaging.batch.message_count", spans.len());
    for context in contexts {
        batch.add_link(context.span().span_context().clone());
    }
    batch
}

fn new_process_span(queue: &str) -> Span {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_alerts_start_at_zero() {
        let (context, _) = testkit::context("notifier");
        let metrics = Metrics::new(&context.metrics);
        metrics.begin_publishing();
        metrics.begin_consuming("notifier.leads");
        testkit::alerts::assert_start_at_zero(
            &context.metrics,
            "notifier",
            &["messaging_published_total", "messaging_consumed_total"],
        );
    }
}
