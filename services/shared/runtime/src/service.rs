//! The common `main` of the services: reads settings, starts logs and the admin port, runs the service, waits for the
//! stop and returns the exit status.

use std::{error::Error, net::SocketAddr, pin::pin, process::ExitCode, sync::Arc, time::Duration};

use tokio::runtime::{Builder, Runtime};
use tracing::error;

use crate::{
    admin::{self, Readiness},
    clock::{SharedClock, SystemClock},
    config::{self, ConfigError, EXIT_CONFIG, Invalid, ProcessEnvironment, Vars},
    crash,
    lifecycle::Lifecycle,
    random::{RandomIds, SharedIds},
    telemetry::{Collector, LogFilter, LogFormat, Metrics, Telemetry},
};

/// An error that prevents a service from starting.
pub type StartError = Box<dyn Error + Send + Sync>;

/// Shared resources of a service.
#[derive(Clone)]
pub struct Context {
    /// Spawns tasks and signals the stop.
    pub lifecycle: Lifecycle,
    /// Latches hold readiness back.
    pub readiness: Readiness,
    /// Creates instruments.
    pub metrics: Metrics,
    /// The source of the current time.
    pub clock: SharedClock,
    /// The source of new ids.
    pub ids: SharedIds,
}

struct Settings {
    admin_addr: SocketAddr,
    log_format: LogFormat,
    log_filter: LogFilter,
    collector: Option<Collector>,
    grace: Duration,
    crash_at: Option<String>,
}

fn read_settings(admin_default: &'static str, vars: &mut Vars<'_>) -> Result<Settings, Invalid> {
    let admin_addr = read_admin_addr(admin_default, vars);
    let log_format = vars.or("LOG_FORMAT", "json", "Log format: json or pretty.");
    let log_filter =
        vars.or("LOG_FILTER", "info", "Log filter in RUST_LOG syntax, e.g. info,messaging=debug.");
    let collector = read_collector(vars);
    let grace =
        vars.or::<u64>("SHUTDOWN_GRACE_SECONDS", "20", "Time in seconds to finish work after SIGTERM.");
    let crash_at = if cfg!(debug_assertions) {
        vars.optional("CRASH_AT", "Tests only: name of the crash point that ends the process.")?
    } else {
        None
    };
    Ok(Settings {
        admin_addr: admin_addr?,
        log_format: log_format?,
        log_filter: log_filter?,
        collector: collector?,
        grace: Duration::from_secs(grace?),
        crash_at,
    })
}

fn read_admin_addr(default: &'static str, vars: &mut Vars<'_>) -> Result<SocketAddr, Invalid> {
    vars.or("ADMIN_ADDR", default, "Listen address for /livez, /readyz and /metrics.")
}

fn read_collector(vars: &mut Vars<'_>) -> Result<Option<Collector>, Invalid> {
    let address = vars.optional(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTLP/gRPC endpoint for traces, http://HOST:PORT; unset: traces are not sent.",
    );
    let ratio = vars.or("TRACE_SAMPLE_RATIO", "1", "Fraction of traces to send, 0 to 1.");
    let metrics =
        vars.or("OTEL_METRICS_EXPORTER", "none", "Push metrics to the same endpoint: otlp or none.");
    let (address, ratio, metrics) = (address?, ratio?, metrics?);
    Ok(address.map(|address| Collector { address, ratio, metrics }))
}

/// A service with its name, default admin address and settings reader.
#[derive(Clone, Copy)]
pub struct Service<C> {
    /// Name in metrics, e.g. `lead-intake`.
    pub name: &'static str,
    /// Default of `ADMIN_ADDR`.
    pub admin_addr: &'static str,
    /// Reads the service's own settings.
    pub read: fn(&mut Vars<'_>) -> Result<C, Invalid>,
}

impl<C> Service<C> {
    /// All environment variables of the service, for `--help`.
    #[must_use]
    pub fn help(&self) -> String {
        config::describe(|vars| self.read_all(vars))
    }

    /// Runs the service until SIGTERM or SIGINT.
    pub fn serve(&self, start: impl AsyncFnOnce(C, &Context) -> Result<(), StartError>) -> ExitCode {
        self.run(async |config, settings, metrics| {
            let lifecycle = Lifecycle::new();
            let context = Context {
                readiness: Readiness::new(&lifecycle),
                metrics,
                clock: Arc::new(SystemClock),
                ids: Arc::new(RandomIds),
                lifecycle,
            };
            // Released after `start`, so that the service is not ready before it has taken its own latches.
            let started = context.readiness.latch("start");
            admin::serve(settings.admin_addr, context.readiness.clone(), context.metrics.clone()).await?;
            // Handles signals during `start` too, which may wait long for dependencies.
            let mut running = pin!(context.lifecycle.run(settings.grace));
            tokio::select! {
                result = start(config, &context) => result?,
                stopped = &mut running => return Ok(stopped?),
            }
            started.release();
            Ok(running.await?)
        })
    }

    /// Runs one job to completion with the service's settings and logs.
    pub fn job(&self, job: impl AsyncFnOnce(C) -> Result<(), StartError>) -> ExitCode {
        self.run(async |config, _, _| job(config).await.map(|()| ExitCode::SUCCESS))
    }

    /// Checks whether the service on this host is ready, for containers without a shell.
    pub fn healthcheck(&self) -> ExitCode {
        let read = |vars: &mut Vars<'_>| read_admin_addr(self.admin_addr, vars);
        match config::load(&ProcessEnvironment, read).map(admin::is_ready) {
            Ok(Ok(true)) => ExitCode::SUCCESS,
            Ok(Ok(false) | Err(_)) => ExitCode::FAILURE,
            Err(error) => refuse(self.name, &error),
        }
    }

    fn read_all(&self, vars: &mut Vars<'_>) -> Result<(C, Settings), Invalid> {
        let own = (self.read)(vars);
        let settings = read_settings(self.admin_addr, vars);
        Ok((own?, settings?))
    }

    fn run(&self, main: impl AsyncFnOnce(C, Settings, Metrics) -> Result<ExitCode, StartError>) -> ExitCode {
        let (config, settings) = match config::load(&ProcessEnvironment, |vars| self.read_all(vars)) {
            Ok(loaded) => loaded,
            Err(error) => return refuse(self.name, &error),
        };
        let (runtime, telemetry) = match self.start(&settings) {
            Ok(started) => started,
            Err(error) => return give_up(self.name, error.as_ref()),
        };
        if let Some(place) = settings.crash_at.clone() {
            crash::at(place);
        }
        let result = runtime.block_on(main(config, settings, telemetry.metrics.clone()));
        let code = result.unwrap_or_else(|error| {
            error!(error = chain(error.as_ref()), "exiting after an error");
            ExitCode::FAILURE
        });
        telemetry.end();
        // Dropped, it would wait for blocking calls, such as a request to a webhook that hangs.
        runtime.shutdown_background();
        code
    }

    fn start(&self, settings: &Settings) -> Result<(Runtime, Telemetry), StartError> {
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        let Settings { log_format, log_filter, collector, .. } = settings;
        let telemetry = {
            // The exporters must be created within the runtime.
            let _entered = runtime.enter();
            Telemetry::start(self.name, *log_format, log_filter.clone(), collector.as_ref())?
        };
        Ok((runtime, telemetry))
    }
}

#[expect(clippy::print_stderr, reason = "logs cannot be set up from a configuration that is wrong")]
fn refuse(name: &str, error: &ConfigError) -> ExitCode {
    eprintln!("{name}: invalid configuration, not started.\n{error}\nRun `{name} --help` for all settings.");
    ExitCode::from(EXIT_CONFIG)
}

#[expect(clippy::print_stderr, reason = "there are no logs yet")]
fn give_up(name: &str, error: &dyn Error) -> ExitCode {
    eprintln!("{name}: cannot start: {}", chain(error));
    ExitCode::FAILURE
}

fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Instant};

    use tokio::task::spawn_blocking;

    use super::*;

    #[test]
    fn exit_does_not_wait_for_blocking_calls() {
        let service = Service { name: "test", admin_addr: "127.0.0.1:0", read: |_| Ok(()) };
        let (_silent, answer) = mpsc::channel::<()>();
        let started = Instant::now();
        service.job(async move |()| {
            drop(spawn_blocking(move || answer.recv()));
            Ok(())
        });
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
