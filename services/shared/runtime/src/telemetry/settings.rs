//! The settings of logs, metrics and traces. An OTLP collector receives spans and metrics over gRPC. Services drop what the
//! collector does not accept in time, so a slow collector never delays a service.

use std::time::Duration;

use opentelemetry_otlp::{ExporterBuildError, MetricExporter, SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider},
};
use tracing_subscriber::EnvFilter;

use super::logs::LogFormat;

/// Interval between batches of spans.
const BATCH_INTERVAL: Duration = Duration::from_secs(1);
/// Time limit for sending a batch.
const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Settings {
    /// Log format
    #[arg(long, env, value_enum, default_value = "json")]
    pub(super) log_format: LogFormat,
    /// Log filter in RUST_LOG syntax, e.g. info,messaging=debug
    #[arg(long, env, default_value = "info")]
    pub(super) log_filter: EnvFilter,
    /// OTLP/gRPC endpoint for traces, http://HOST:PORT; unset: traces are not sent
    #[arg(long, env, value_parser = parse_address)]
    otel_exporter_otlp_endpoint: Option<String>,
    /// Fraction of traces to send, 0 to 1
    // The trace id decides, so all services choose the same traces and ignore the sampled flag of a visitor's trace.
    #[arg(long, env, default_value = "1", value_parser = parse_ratio)]
    trace_sample_ratio: f64,
    /// Push metrics to the same endpoint
    #[arg(long, env, value_enum, default_value = "none")]
    #[arg(requires_if("otlp", "otel_exporter_otlp_endpoint"))]
    otel_metrics_exporter: MetricsExporter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum MetricsExporter {
    /// Metrics are not exported.
    None,
    /// Metrics are exported over OTLP.
    Otlp,
}

fn parse_address(text: &str) -> Result<String, &'static str> {
    let uri = text.parse::<axum::http::Uri>().ok();
    let is_valid = uri.is_some_and(|uri| uri.scheme_str() == Some("http") && uri.port().is_some());
    is_valid
        .then(|| text.to_owned())
        .ok_or("must be http://HOST:PORT")
}

fn parse_ratio(text: &str) -> Result<f64, &'static str> {
    let ratio = text
        .parse()
        .ok()
        .filter(|ratio| (0.0..=1.0).contains(ratio));
    ratio.ok_or("must be a number from 0 to 1")
}

impl Settings {
    /// `None` without an endpoint.
    pub(super) fn traces(
        &self,
        resource: Resource,
    ) -> Result<Option<SdkTracerProvider>, ExporterBuildError> {
        let Some(address) = &self.otel_exporter_otlp_endpoint else {
            return Ok(None);
        };
        let exporter = SpanExporter::builder()
            .with_tonic()
            .with_endpoint(address)
            .with_timeout(TIMEOUT)
            .build()?;
        let batches = BatchConfigBuilder::default()
            .with_scheduled_delay(BATCH_INTERVAL)
            .build();
        let processor = BatchSpanProcessor::builder(exporter)
            .with_batch_config(batches)
            .build();
        let traces = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_sampler(self.sampler())
            .with_span_processor(processor);
        Ok(Some(traces.build()))
    }

    fn sampler(&self) -> Sampler {
        Sampler::TraceIdRatioBased(self.trace_sample_ratio)
    }

    pub(super) fn metrics(&self) -> Result<Option<MetricExporter>, ExporterBuildError> {
        match (
            self.otel_metrics_exporter,
            &self.otel_exporter_otlp_endpoint,
        ) {
            (MetricsExporter::Otlp, Some(address)) => {
                let builder = MetricExporter::builder()
                    .with_tonic()
                    .with_endpoint(address);
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
        let settings = Settings {
            log_format: LogFormat::Json,
            log_filter: "info".parse().unwrap(),
            otel_exporter_otlp_endpoint: None,
            trace_sample_ratio: parse_ratio(ratio).unwrap(),
            otel_metrics_exporter: MetricsExporter::None,
        };
        let trace = TraceId::from(0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        let parent = SpanContext::new(trace, SpanId::from(1), flags, true, TraceState::NONE);
        let context = Context::new().with_remote_span_context(parent);
        let sampler = settings.sampler();
        sampler
            .should_sample(
                Some(&context),
                trace,
                "request",
                &SpanKind::Server,
                &[],
                &[],
            )
            .decision
    }

    #[test]
    fn ignores_sampling_flag_of_clients() {
        for flags in [TraceFlags::SAMPLED, TraceFlags::NOT_SAMPLED] {
            assert_eq!(decision("0", flags), SamplingDecision::Drop);
            assert_eq!(decision("1", flags), SamplingDecision::RecordAndSample);
        }
    }

    #[test]
    fn exported_metrics_need_an_endpoint() {
        #[derive(clap::Parser)]
        struct Cli {
            #[command(flatten)]
            _settings: Settings,
        }
        let is_valid = |options: &[&str]| {
            let command = ["test"].into_iter().chain(options.iter().copied());
            <Cli as clap::Parser>::try_parse_from(command).is_ok()
        };
        let endpoint = "--otel-exporter-otlp-endpoint=http://collector:4317";
        assert!(is_valid(&[]) && is_valid(&[endpoint]));
        assert!(is_valid(&["--otel-metrics-exporter=none"]));
        assert!(is_valid(&["--otel-metrics-exporter=otlp", endpoint]));
        assert!(!is_valid(&["--otel-metrics-exporter=otlp"]));
    }

    #[test]
    fn parses_collector_address_and_ratio() {
        assert!(parse_address("http://collector:4317").is_ok());
        for wrong in [
            "",
            "collector:4317",
            "https://collector:4317",
            "http://collector",
            "http://a b:1",
        ] {
            assert!(parse_address(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_ratio("0.05"), Ok(0.05));
        for wrong in ["", "5%", "-0.1", "1.01", "NaN"] {
            assert!(parse_ratio(wrong).is_err(), "{wrong}");
        }
    }
}
