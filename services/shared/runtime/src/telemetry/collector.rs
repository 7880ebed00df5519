//! Sends spans and metrics to an OTLP collector over gRPC. Whatever it does not accept in time is dropped, so that the
//! collector never delays a service.

use std::{str::FromStr, time::Duration};

use opentelemetry_otlp::{ExporterBuildError, MetricExporter, SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider},
};

/// Interval between batches of spans.
const GATHERING: Duration = Duration::from_secs(1);
/// Time limit for sending a batch.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The settings of a collector.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct Collector {
    /// OTLP/gRPC endpoint for traces, http://HOST:PORT; unset: traces are not sent
    #[arg(id = "otel_exporter_otlp_endpoint", long = "otel-exporter-otlp-endpoint")]
    #[arg(value_name = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    pub address: Option<Address>,
    /// Fraction of traces to send, 0 to 1
    // The trace id decides, so that all services choose the same traces and the sampling flag of a foreign trace has no
    // effect.
    #[arg(id = "trace_sample_ratio", long = "trace-sample-ratio", value_name = "TRACE_SAMPLE_RATIO")]
    #[arg(default_value = "1")]
    pub ratio: Ratio,
    /// Push metrics to the same endpoint
    #[arg(
        id = "otel_metrics_exporter",
        long = "otel-metrics-exporter",
        value_name = "OTEL_METRICS_EXPORTER"
    )]
    #[arg(value_enum, default_value = "none")]
    pub metrics: MetricsExporter,
}

/// The exporter of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MetricsExporter {
    /// Metrics are not exported.
    None,
    /// Metrics are exported over OTLP.
    Otlp,
}

/// An address of the form `http://host:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio(f64);

/// A wrong setting of the collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCollector {
    /// Not of the form `http://HOST:PORT`.
    #[error("must be http://HOST:PORT")]
    Address,
    /// Not a number from 0 to 1.
    #[error("must be a number from 0 to 1")]
    Ratio,
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

impl Collector {
    /// Batches and sends spans; `None` without an address.
    pub(super) fn traces(&self, resource: Resource) -> Result<Option<SdkTracerProvider>, ExporterBuildError> {
        let Some(Address(address)) = &self.address else { return Ok(None) };
        let exporter =
            SpanExporter::builder().with_tonic().with_endpoint(address).with_timeout(TIMEOUT).build()?;
        let batches = BatchConfigBuilder::default().with_scheduled_delay(GATHERING).build();
        let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        let traces = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_sampler(self.sampler())
            .with_span_processor(processor);
        Ok(Some(traces.build()))
    }

    fn sampler(&self) -> Sampler {
        // Not parent-based: the flags of an incoming trace are ignored.
        Sampler::TraceIdRatioBased(self.ratio.0)
    }

    /// The metrics exporter; `None` when metrics are not exported.
    pub(super) fn metrics(&self) -> Result<Option<MetricExporter>, ExporterBuildError> {
        match (self.metrics, &self.address) {
            (MetricsExporter::Otlp, Some(Address(address))) => {
                let builder = MetricExporter::builder().with_tonic().with_endpoint(address);
                builder.with_timeout(TIMEOUT).build().map(Some)
            }
            _ => Ok(None),
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
            address: "http://collector:4317".parse().ok(),
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
