//! Logs and metrics, with what must never be in them kept out.

use std::{
    fmt,
    io::{self, IsTerminal},
    panic,
    str::FromStr,
    sync::Arc,
};

use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry_sdk::{Resource, metrics::SdkMeterProvider};
use prometheus::{Encoder, Registry, TextEncoder};
use tracing::{Level, Metadata, error};
use tracing_subscriber::{
    EnvFilter, Layer, Registry as Subscriber, filter::filter_fn, layer::SubscriberExt,
    util::SubscriberInitExt,
};

/// Crates whose log lines we write ourselves, and may therefore read at any level.
const OURS: [&str; 5] = ["crm_sync", "lead_intake", "messaging", "notifier", "runtime"];

/// Prints whole messages, body included, when the broker returns them.
const PRINTS_MESSAGES: &str = "lapin::returned_messages";

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One JSON object a line, for machines.
    Json,
    /// Coloured text, for people.
    Pretty,
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "json" => Ok(Self::Json),
            "pretty" => Ok(Self::Pretty),
            _ => Err("must be `json` or `pretty`".to_owned()),
        }
    }
}

/// What is logged, in the syntax of `RUST_LOG`, e.g. `info,messaging=debug`.
#[derive(Clone, Debug)]
pub struct LogFilter(EnvFilter);

impl FromStr for LogFilter {
    type Err = tracing_subscriber::filter::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        EnvFilter::try_new(text).map(Self)
    }
}

/// Starts logging for the whole process, panics included. To be called once, by [`crate::service`].
pub(crate) fn start_logs(format: LogFormat, filter: LogFilter) {
    let layer = match format {
        LogFormat::Json => tracing_subscriber::fmt::layer::<Subscriber>().json().flatten_event(true).boxed(),
        LogFormat::Pretty => {
            let is_terminal = io::stdout().is_terminal();
            tracing_subscriber::fmt::layer().with_target(false).with_ansi(is_terminal).boxed()
        }
    };
    tracing_subscriber::registry().with(layer.with_filter(filter_fn(is_safe)).with_filter(filter.0)).init();
    panic::set_hook(Box::new(|panic| {
        // A formatted message may hold somebody's data; a literal cannot.
        let message = panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("(message withheld)");
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        error!(message, location, "panicked");
    }));
}

/// Libraries print statements, frames and bodies below INFO, whatever the filter asks for.
fn is_safe(metadata: &Metadata<'_>) -> bool {
    let crate_name = metadata.target().split("::").next().unwrap_or_default();
    metadata.target() != PRINTS_MESSAGES && (OURS.contains(&crate_name) || *metadata.level() <= Level::INFO)
}

/// The process's metrics. Clones share them.
#[derive(Clone)]
pub struct Metrics(Arc<Inner>);

struct Inner {
    registry: Registry,
    meter: Meter,
    // Dropped with the metrics: without it nothing is collected.
    _provider: SdkMeterProvider,
}

impl Metrics {
    /// No metrics yet, for the service of this name.
    #[must_use]
    pub fn new(service: &'static str) -> Self {
        let registry = Registry::new();
        let exporter = opentelemetry_prometheus::exporter()
            .with_registry(registry.clone())
            .scope_info_enabled(false)
            .build()
            .expect("a registry that holds nothing yet takes any collector");
        let provider = SdkMeterProvider::builder()
            .with_resource(Resource::builder().with_service_name(service).build())
            .with_reader(exporter)
            .build();
        let meter = provider.meter(service);
        Self(Arc::new(Inner { registry, meter, _provider: provider }))
    }

    /// Makes instruments.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.0.meter
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

#[cfg(test)]
mod tests {
    use std::{
        io::Write,
        sync::{Mutex, PoisonError},
    };

    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Lines {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    #[test]
    fn libraries_cannot_print_bodies_whatever_the_filter_says() {
        let lines = Lines::default();
        let layer =
            tracing_subscriber::fmt::layer().with_writer(lines.clone()).with_filter(filter_fn(is_safe));
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(target: "lapin::returned_messages", "marker-1");
            tracing::debug!(target: "sqlx::query", "marker-2");
            tracing::debug!(target: "messaging::publisher", "kept-1");
            tracing::info!(target: "sqlx::query", "kept-2");
        });
        let written = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert!(!written.contains("marker"), "{written}");
        assert!(written.contains("kept-1") && written.contains("kept-2"), "{written}");
    }
}
