//! Logs, metrics and traces, filtered to contain no personal data.

mod logs;
mod metrics;
mod settings;

pub use metrics::{Metrics, SECONDS};
pub(crate) use settings::Settings;

use std::time::{Duration, Instant};

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::ExporterBuildError;
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tracing::Subscriber;
use tracing_subscriber::{
    Layer, Registry, filter::filter_fn, layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::trace::TARGET;

/// Time limit for sending the last spans and metrics at shutdown.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) struct Telemetry {
    pub(crate) metrics: Metrics,
    traces: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Installs logs, traces and the panic hook for the whole process. Call it once, within a tokio runtime.
    pub(crate) fn start(
        service: &'static str,
        settings: Settings,
    ) -> Result<Self, ExporterBuildError> {
        let resource = Resource::builder().with_service_name(service).build();
        let metrics = settings.metrics()?;
        let traces = settings.traces(resource.clone())?;
        let spans = traces.as_ref().map(|traces| {
            tracing_opentelemetry::layer()
                .with_tracer(traces.tracer(service))
                .with_location(false)
                .with_target(false)
                .with_threads(false)
                .with_tracked_inactivity(false)
                // Log events are not exported.
                .with_filter(filter_fn(|metadata| {
                    metadata.is_span() && metadata.target() == TARGET
                }))
        });
        subscriber(spans, logs::layer(settings.log_format, settings.log_filter)).init();
        logs::log_panics();
        Ok(Self {
            metrics: Metrics::with_exporter(service, resource, metrics),
            traces,
        })
    }

    /// Sends the remaining spans and metrics within [`FLUSH_TIMEOUT`].
    pub(crate) fn shut_down(self) {
        let started = Instant::now();
        if let Some(traces) = self.traces {
            // Errors are harmless: spans are not needed after shutdown.
            let _ = traces.shutdown_with_timeout(FLUSH_TIMEOUT);
        }
        self.metrics
            .shut_down(FLUSH_TIMEOUT.saturating_sub(started.elapsed()));
    }
}

fn subscriber(
    spans: Option<impl Layer<Registry> + Send + Sync>,
    logs: impl Layer<Registry> + Send + Sync,
) -> impl Subscriber + SubscriberInitExt {
    // No `Option` of a layer: `None` would enable every span of every library.
    let layers = spans.map(Layer::boxed).into_iter().chain([logs.boxed()]);
    tracing_subscriber::registry().with(layers.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use tracing::{info_span, subscriber::with_default};
    use tracing_subscriber::filter::LevelFilter;

    use super::{logs::LogFormat, *};

    #[test]
    fn no_collector_creates_no_spans() {
        let logs = logs::layer(LogFormat::Json, "info".parse().unwrap());
        with_default(subscriber(None::<LevelFilter>, logs), || {
            assert!(info_span!(target: TARGET, "request").is_disabled());
            assert!(!info_span!("lead").is_disabled());
        });
    }
}
