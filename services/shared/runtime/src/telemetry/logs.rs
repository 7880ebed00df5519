//! Logs on standard output.

use std::{
    io::{self, IsTerminal},
    panic,
};

use tracing::{Level, Metadata, Subscriber, error};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterExt, filter_fn},
    registry::LookupSpan,
};

use crate::trace::TARGET;

/// Crates whose log lines contain no personal data at any level.
const OUR_CRATES: [&str; 9] = [
    "crm_client",
    "crm_sync",
    "desk",
    "lead",
    "lead_intake",
    "messaging",
    "notifier",
    "runtime",
    "tokens",
];

/// lapin logs returned messages with their bodies, and an error at each close of a connection. `messaging` logs the real
/// errors.
const SILENCED: &str = "lapin";

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// One JSON object per line.
    Json,
    /// Readable text, coloured on a terminal.
    Pretty,
}

/// Writes filtered log lines with the spans that name lead and trace.
pub(super) fn layer<S>(format: LogFormat, filter: EnvFilter) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let layer = match format {
        LogFormat::Json => tracing_subscriber::fmt::layer::<S>()
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .boxed(),
        LogFormat::Pretty => {
            let is_terminal = io::stdout().is_terminal();
            tracing_subscriber::fmt::layer()
                .with_target(false)
                .with_ansi(is_terminal)
                .boxed()
        }
    };
    // One combined filter: of two nested filters, either could enable an event.
    layer.with_filter(filter_fn(is_safe).and(filter))
}

/// Logs panics. Withholds formatted messages, which may contain personal data. Literals contain none.
pub(super) fn log_panics() {
    panic::set_hook(Box::new(|panic| {
        let message = panic
            .payload()
            .downcast_ref::<&'static str>()
            .copied()
            .unwrap_or("(message withheld)");
        let location = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        error!(message, location, "panicked");
    }));
}

/// Rejects levels below INFO of libraries regardless of the filter, because libraries log statements, frames and bodies.
fn is_safe(metadata: &Metadata<'_>) -> bool {
    let crate_name = metadata.target().split("::").next().unwrap_or_default();
    let is_for_others = crate_name == SILENCED || metadata.target() == TARGET;
    !is_for_others && (OUR_CRATES.contains(&crate_name) || *metadata.level() <= Level::INFO)
}

#[cfg(test)]
mod tests {
    use std::{io::Write, sync::Arc};

    use parking_lot::Mutex;

    use tracing_subscriber::{fmt::MakeWriter, layer::SubscriberExt};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().write(bytes)
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
    fn filter_never_lets_libraries_log_bodies() {
        let lines = Lines::default();
        let layer = tracing_subscriber::fmt::layer()
            .with_writer(lines.clone())
            .with_filter(filter_fn(is_safe));
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(target: "lapin::returned_messages", "marker-1");
            tracing::error!(target: "lapin::channels", "marker-3");
            tracing::debug!(target: "sqlx::query", "marker-2");
            tracing::debug!(target: "messaging::publisher", "kept-1");
            tracing::info!(target: "sqlx::query", "kept-2");
        });
        let written = String::from_utf8(lines.0.lock().clone()).unwrap();
        assert!(!written.contains("marker"), "{written}");
        assert!(
            written.contains("kept-1") && written.contains("kept-2"),
            "{written}"
        );
    }
}
