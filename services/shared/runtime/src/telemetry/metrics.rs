//! Metrics, which Prometheus scrapes from the admin port and a collector can receive.

use std::{sync::mpsc, thread, time::Duration};

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram, Meter, MeterProvider},
};
use opentelemetry_otlp::MetricExporter;
use opentelemetry_sdk::{Resource, metrics::SdkMeterProvider};
use prometheus::{Encoder, Registry, TextEncoder};

/// Histogram boundaries in seconds for a single request.
pub const SECONDS: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];

/// In seconds, from a lead that is processed immediately to the last retry of the schedule.
const LEAD_AGE_BUCKETS: [f64; 14] = [
    0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 3600.0, 21_600.0,
];

/// The metrics registry of the process, shared by all clones.
#[derive(Clone)]
pub struct Metrics {
    registry: Registry,
    meter: Meter,
    // Collects until it is dropped.
    provider: SdkMeterProvider,
}

impl Metrics {
    pub fn new(service: &'static str) -> Self {
        let resource = Resource::builder().with_service_name(service).build();
        Self::with_exporter(service, resource, None)
    }

    /// `exporter` also sends the metrics to a collector at intervals.
    pub(super) fn with_exporter(
        service: &'static str,
        resource: Resource,
        exporter: Option<MetricExporter>,
    ) -> Self {
        let registry = Registry::new();
        let scraped = opentelemetry_prometheus::exporter()
            .with_registry(registry.clone())
            .scope_info_enabled(false)
            .build()
            .expect("an empty registry accepts every collector");
        let builder = SdkMeterProvider::builder()
            .with_resource(resource)
            .with_reader(scraped);
        let provider = match exporter {
            Some(exporter) => builder.with_periodic_exporter(exporter).build(),
            None => builder.build(),
        };
        Self {
            registry,
            meter: provider.meter(service),
            provider,
        }
    }

    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    pub fn counter(&self, name: &'static str, description: &'static str) -> Counter<u64> {
        self.meter
            .u64_counter(name)
            .with_description(description)
            .build()
    }

    /// A counter that exports 0 for each of these values of `label`. Prometheus does not see the first event of a series
    /// that begins with it, so a counter that an alert reads needs its series from the start.
    pub fn counter_from_zero(
        &self,
        name: &'static str,
        description: &'static str,
        label: &'static str,
        values: &[&'static str],
    ) -> Counter<u64> {
        let counter = self.counter(name, description);
        for value in values {
            counter.add(0, &[KeyValue::new(label, *value)]);
        }
        counter
    }

    pub fn gauge(&self, name: &'static str, description: &'static str) -> Gauge<u64> {
        self.meter
            .u64_gauge(name)
            .with_description(description)
            .build()
    }

    /// A histogram of durations in seconds.
    pub fn seconds(
        &self,
        name: &'static str,
        description: &'static str,
        boundaries: &[f64],
    ) -> Histogram<f64> {
        let histogram = self
            .meter
            .f64_histogram(name)
            .with_unit("s")
            .with_description(description);
        histogram.with_boundaries(boundaries.to_vec()).build()
    }

    /// The histogram of a lead's age at each stage, shared by all services.
    pub fn lead_age(&self) -> Histogram<f64> {
        const DESCRIPTION: &str =
            "Time from a lead's submission until it is stored or emailed, by stage.";
        self.seconds("lead_e2e_duration", DESCRIPTION, &LEAD_AGE_BUCKETS)
    }

    /// Sends the remaining metrics to the collector, if any, and waits at most `within`.
    pub(super) fn shut_down(self, within: Duration) {
        let (ended, waiting) = mpsc::channel();
        // In a thread, because `shutdown` has no time limit.
        thread::spawn(move || {
            // Errors are harmless: metrics are not needed after shutdown.
            let _ = self.provider.shutdown();
            let _ = ended.send(());
        });
        let _ = waiting.recv_timeout(within);
    }

    /// All metrics in Prometheus' text format.
    ///
    /// # Errors
    /// When a metric cannot be encoded in that format.
    pub fn encode(&self) -> Result<Vec<u8>, prometheus::Error> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(text)
    }
}
