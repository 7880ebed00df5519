//! Metrics of messages and consumers per queue, as of the last declaration or check.

use opentelemetry::{
    KeyValue,
    metrics::{Gauge, Meter},
};

/// A queue's counts at the time of its declaration or check.
pub(crate) struct Level {
    pub(crate) queue: String,
    pub(crate) messages: u32,
    pub(crate) consumers: u32,
}

pub(crate) struct Depth {
    messages: Gauge<u64>,
    consumers: Gauge<u64>,
}

impl Depth {
    pub(crate) fn new(meter: &Meter) -> Self {
        Self {
            messages: meter
                .u64_gauge("messaging_queue_messages")
                .with_description("Messages ready in a queue at the last topology check, by queue.")
                .build(),
            consumers: meter
                .u64_gauge("messaging_queue_consumers")
                .with_description("Consumers of a queue at the last topology check, by queue.")
                .build(),
        }
    }

    pub(crate) fn note(&self, levels: &[Level]) {
        for Level { queue, messages, consumers } in levels {
            let queue = [KeyValue::new("queue", queue.clone())];
            self.messages.record(u64::from(*messages), &queue);
            self.consumers.record(u64::from(*consumers), &queue);
        }
    }
}
