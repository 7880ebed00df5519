//! Measures the age of events when they are taken from their queue.

use chrono::DateTime;
use opentelemetry::{KeyValue, metrics::Histogram};
use prost_types::Timestamp;
use runtime::{clock::SharedClock, service::Context};

use crate::{event::Event, topology::Subscription};

/// In seconds, up to the backlog of a consumer that was paused for hours.
const AGES: [f64; 13] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0, 21_600.0];

pub(crate) struct Arrivals {
    queue: [KeyValue; 1],
    clock: SharedClock,
    ages: Histogram<f64>,
}

impl Arrivals {
    pub(crate) fn new(subscription: Subscription, context: &Context) -> Self {
        let meter = context.metrics.meter();
        Self {
            queue: [KeyValue::new("queue", subscription.queue())],
            clock: context.clock.clone(),
            ages: meter
                .f64_histogram("messaging_queue_age")
                .with_unit("s")
                .with_description("Age of events when they are consumed, by queue.")
                .with_boundaries(AGES.to_vec())
                .build(),
        }
    }

    pub(crate) fn note(&self, event: &Event) {
        if let Some(age) = event.happened_at().and_then(|at| self.age(at)) {
            self.ages.record(age, &self.queue);
        }
    }

    fn age(&self, at: &Timestamp) -> Option<f64> {
        let at = DateTime::from_timestamp(at.seconds, at.nanos.try_into().ok()?)?;
        Some((self.clock.now() - at).as_seconds_f64().max(0.0))
    }
}
