//! Metrics, in Prometheus' words on the admin port and, where there is a collector, sent to it.

use std::{
    fmt,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use opentelemetry::metrics::{Histogram, Meter, MeterProvider};
use opentelemetry_otlp::MetricExporter;
use opentelemetry_sdk::{Resource, metrics::SdkMeterProvider};
use prometheus::{Encoder, Registry, TextEncoder};

/// Limits of histograms of seconds in which one answer comes.
pub const SECONDS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// From a lead that finds everything at rest to the last try of the schedule.
const STAGES: [f64; 14] =
    [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 3600.0, 21_600.0];

/// How long after its submission a lead has come so far, by stage: what every service has a part in.
#[must_use]
pub fn end_to_end(meter: &Meter) -> Histogram<f64> {
    meter
        .f64_histogram("lead_e2e")
        .with_unit("s")
        .with_description("From a lead's submission to its being stored, or mailed.")
        .with_boundaries(STAGES.to_vec())
        .build()
}

/// The process's metrics. Clones share them.
#[derive(Clone)]
pub struct Metrics(Arc<Inner>);

struct Inner {
    registry: Registry,
    meter: Meter,
    // Without it nothing is collected.
    provider: SdkMeterProvider,
}

impl Metrics {
    /// No metrics yet, for the service of this name.
    #[must_use]
    pub fn new(service: &'static str) -> Self {
        let resource = Resource::builder().with_service_name(service).build();
        Self::sent(service, resource, None)
    }

    /// No metrics yet; they are sent by `exporter` from time to time.
    pub(super) fn sent(service: &'static str, resource: Resource, exporter: Option<MetricExporter>) -> Self {
        let registry = Registry::new();
        let scraped = opentelemetry_prometheus::exporter()
            .with_registry(registry.clone())
            .scope_info_enabled(false)
            .build()
            .expect("a registry that holds nothing yet takes any collector");
        let builder = SdkMeterProvider::builder().with_resource(resource).with_reader(scraped);
        let provider = match exporter {
            Some(exporter) => builder.with_periodic_exporter(exporter).build(),
            None => builder.build(),
        };
        let meter = provider.meter(service);
        Self(Arc::new(Inner { registry, meter, provider }))
    }

    /// Makes instruments.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.0.meter
    }

    /// Sends what was not sent yet, where it is sent at all.
    pub(super) fn end(&self, within: Duration) {
        let provider = self.0.provider.clone();
        let (ended, waiting) = mpsc::channel();
        // The provider itself waits for as long as it likes.
        thread::spawn(move || {
            // Who collects nothing any more misses nothing.
            let _ = provider.shutdown();
            let _ = ended.send(());
        });
        let _ = waiting.recv_timeout(within);
    }

    /// All metrics in Prometheus' text format.
    ///
    /// # Errors
    /// When a metric cannot be written in that format.
    pub fn encode(&self) -> Result<Vec<u8>, prometheus::Error> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.0.registry.gather(), &mut text)?;
        Ok(text)
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}
