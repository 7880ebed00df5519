//! The instruments of publishing and consuming.

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram},
};
use runtime::telemetry::{self, SECONDS};

/// In seconds, up to the backlog of a consumer that was paused for hours.
const AGES: [f64; 13] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0, 21_600.0];

#[derive(Clone)]
pub(crate) struct Metrics {
    connected: Gauge<u64>,
    pub(crate) blocked: Gauge<u64>,
    pub(crate) paused: Gauge<u64>,
    pub(crate) published: Counter<u64>,
    pub(crate) publish_seconds: Histogram<f64>,
    pub(crate) consumed: Counter<u64>,
    pub(crate) ages: Histogram<f64>,
}

impl Metrics {
    pub(crate) fn new(metrics: &telemetry::Metrics) -> Self {
        Self {
            connected: metrics.gauge(
                "messaging_connected",
                "1 while connected to the broker, by role (publish or consume).",
            ),
            blocked: metrics
                .gauge("messaging_blocked", "1 while the broker blocks publishing (memory or disk alarm)."),
            paused: metrics.gauge(
                "messaging_paused",
                "1 while consuming is paused because a dependency is unavailable, by queue.",
            ),
            published: metrics
                .counter("messaging_published", "Messages published, by destination and result."),
            publish_seconds: metrics.seconds(
                "messaging_publish_duration",
                "Time to publish a message, until the broker's confirm or the failure.",
                &SECONDS,
            ),
            consumed: metrics.counter("messaging_consumed", "Messages consumed, by queue and verdict."),
            ages: metrics.seconds(
                "messaging_queue_age",
                "Age of events when they are consumed, by queue.",
                &AGES,
            ),
        }
    }

    pub(crate) fn record_connected(&self, role: &'static str, connected: bool) {
        self.connected.record(u64::from(connected), &[KeyValue::new("role", role)]);
    }
}
