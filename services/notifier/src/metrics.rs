//! How mailing goes.

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Histogram, Meter},
};

use crate::smtp::SendError;

pub(crate) struct Metrics {
    mails: Counter<u64>,
    seconds: Histogram<f64>,
}

impl Metrics {
    pub(crate) fn new(meter: &Meter) -> Self {
        Self {
            mails: meter
                .u64_counter("notifier_mails")
                .with_description("Mails handed to the mail server, by what came of it.")
                .build(),
            seconds: meter
                .f64_histogram("notifier_mail")
                .with_unit("s")
                .with_description("From the wish to send a mail to the mail server's reply.")
                .build(),
        }
    }

    pub(crate) fn record<T>(&self, result: &Result<T, SendError>, seconds: f64) {
        let label = match result {
            Ok(_) => "accepted",
            Err(SendError::Refused { .. }) => "refused",
            Err(SendError::Failed { .. }) => "failed",
        };
        self.mails.add(1, &[KeyValue::new("result", label)]);
        self.seconds.record(seconds, &[]);
    }
}
