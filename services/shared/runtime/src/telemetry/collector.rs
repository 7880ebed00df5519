//! Where spans and metrics are sent: a collector that speaks OTLP over gRPC. What it does not take in time is dropped;
//! nobody waits for it.

use std::{str::FromStr, time::Duration};

use opentelemetry_otlp::{ExporterBuildError, MetricExporter, SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider},
};

/// How long spans are collected before they are sent.
const GATHERING: Duration = Duration::from_secs(1);
/// How long the collector may take to accept a batch.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A collector, and how many traces it gets.
#[derive(Clone, Debug)]
pub struct Collector {
    /// Where it is.
    pub address: Address,
    /// Which part of all traces it gets. Each trace's id decides, so that all services decide alike and a stranger's
    /// wish to be traced counts for nothing.
    pub ratio: Ratio,
    /// Whether it gets metrics, which Prometheus may read as well.
    pub metrics: MetricsExporter,
}

/// Who sends metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricsExporter {
    /// Nobody.
    None,
    /// The process, by OTLP.
    Otlp,
}

/// `http://host:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

/// Between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio(f64);

/// A collector's setting that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCollector {
    /// No address.
    #[error("must be http://HOST:PORT")]
    Address,
    /// No ratio.
    #[error("must be a number between 0 and 1")]
    Ratio,
    /// No way to send metrics.
    #[error("must be `otlp` or `none`")]
    MetricsExporter,
}

impl FromStr for Address {
    type Err = InvalidCollector;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let uri: axum::http::Uri = text.parse().map_err(|_| InvalidCollector::Address)?;
        match (uri.scheme_str(), uri.port()) {
            (Some("http"), Some(_)) => Ok(Self(text.to_owned())),
            (Some(_) | None, Some(_) | None) => Err(InvalidCollector::Address),
        }
    }
}

impl FromStr for Ratio {
    type Err = InvalidCollector;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ratio: f64 = text.parse().map_err(|_| InvalidCollector::Ratio)?;
        if (0.0..=1.0).contains(&ratio) { Ok(Self(ratio)) } else { Err(InvalidCollector::Ratio) }
    }
}

impl FromStr for MetricsExporter {
    type Err = InvalidCollector;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self::None),
            "otlp" => Ok(Self::Otlp),
            _ => Err(InvalidCollector::MetricsExporter),
        }
    }
}

impl Collector {
    /// Gathers spans and sends them.
    pub(super) fn traces(&self, resource: Resource) -> Result<SdkTracerProvider, ExporterBuildError> {
        let exporter = SpanExporter::builder()
            .with_tonic()
            .with_endpoint(&self.address.0)
            .with_timeout(TIMEOUT)
            .build()?;
        let batches = BatchConfigBuilder::default().with_scheduled_delay(GATHERING).build();
        let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        Ok(SdkTracerProvider::builder()
            .with_resource(resource)
            .with_sampler(self.sampler())
            .with_span_processor(processor)
            .build())
    }

    fn sampler(&self) -> Sampler {
        // Whatever flags a trace came with.
        Sampler::TraceIdRatioBased(self.ratio.0)
    }

    /// Sends metrics, where they are to be sent.
    pub(super) fn metrics(&self) -> Result<Option<MetricExporter>, ExporterBuildError> {
        match self.metrics {
            MetricsExporter::None => Ok(None),
            MetricsExporter::Otlp => {
                let builder = MetricExporter::builder().with_tonic();
                builder.with_endpoint(&self.address.0).with_timeout(TIMEOUT).build().map(Some)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::{
        Context,
        trace::{SpanContext, SpanId, SpanKind, TraceContextExt, TraceFlags, TraceId, TraceState},
    };
    use opentelemetry_sdk::trace::{SamplingDecision, ShouldSample};

    use super::*;

    fn decision(ratio: &str, flags: TraceFlags) -> SamplingDecision {
        let collector = Collector {
            address: "http://collector:4317".parse().unwrap(),
            ratio: ratio.parse().unwrap(),
            metrics: MetricsExporter::None,
        };
        let trace = TraceId::from(0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        let place = SpanContext::new(trace, SpanId::from(1), flags, true, TraceState::NONE);
        let context = Context::new().with_remote_span_context(place);
        let sampler = collector.sampler();
        sampler.should_sample(Some(&context), trace, "request", &SpanKind::Server, &[], &[]).decision
    }

    #[test]
    fn a_strangers_wish_to_be_traced_or_not_counts_for_nothing() {
        for flags in [TraceFlags::SAMPLED, TraceFlags::NOT_SAMPLED] {
            assert_eq!(decision("0", flags), SamplingDecision::Drop);
            assert_eq!(decision("1", flags), SamplingDecision::RecordAndSample);
        }
    }

    #[test]
    fn a_collector_has_a_plain_address_and_a_ratio() {
        assert!("http://collector:4317".parse::<Address>().is_ok());
        for wrong in ["", "collector:4317", "https://collector:4317", "http://collector", "http://a b:1"] {
            assert_eq!(wrong.parse::<Address>(), Err(InvalidCollector::Address), "{wrong}");
        }
        assert_eq!("0.05".parse::<Ratio>(), Ok(Ratio(0.05)));
        for wrong in ["", "5%", "-0.1", "1.01", "NaN"] {
            assert_eq!(wrong.parse::<Ratio>(), Err(InvalidCollector::Ratio), "{wrong}");
        }
    }
}
