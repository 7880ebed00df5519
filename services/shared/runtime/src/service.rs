//! What the `main` of every service does: read settings, start logs and the admin port, start the service, wait
//! for the end, say with the exit status how it went.

use std::{error::Error, io, net::SocketAddr, pin::pin, process::ExitCode, sync::Arc, time::Duration};

use tracing::error;

use crate::{
    admin::{self, Readiness},
    clock::{SharedClock, SystemClock},
    config::{self, ConfigError, EXIT_CONFIG, Invalid, ProcessEnvironment, Vars},
    crash,
    lifecycle::Lifecycle,
    random::{RandomIds, SharedIds},
    telemetry::{self, LogFilter, LogFormat, Metrics},
};

/// Anything that keeps a service from starting.
pub type StartError = Box<dyn Error + Send + Sync>;

/// What a service is given besides its own settings.
#[derive(Clone)]
pub struct Context {
    /// Where to spawn tasks, and when to stop.
    pub lifecycle: Lifecycle,
    /// Where to hold readiness back.
    pub readiness: Readiness,
    /// Where to count.
    pub metrics: Metrics,
    /// What time it is.
    pub clock: SharedClock,
    /// Where new ids come from.
    pub ids: SharedIds,
}

struct Settings {
    admin_addr: SocketAddr,
    log_format: LogFormat,
    log_filter: LogFilter,
    grace: Duration,
    crash_at: Option<String>,
}

fn read_settings(admin_default: &'static str, vars: &mut Vars<'_>) -> Result<Settings, Invalid> {
    let admin_addr = vars.or("ADMIN_ADDR", admin_default, "Where /livez, /readyz and /metrics are served.");
    let log_format = vars.or("LOG_FORMAT", "json", "How log lines look: json or pretty.");
    let log_filter = vars.or("LOG_FILTER", "info", "What is logged, as RUST_LOG would say it.");
    let grace =
        vars.or::<u64>("SHUTDOWN_GRACE_SECONDS", "20", "How long work may take to finish after SIGTERM.");
    let crash_at = if cfg!(debug_assertions) {
        vars.optional("CRASH_AT", "Tests only: the place in the code where to crash.")?
    } else {
        None
    };
    Ok(Settings {
        admin_addr: admin_addr?,
        log_format: log_format?,
        log_filter: log_filter?,
        grace: Duration::from_secs(grace?),
        crash_at,
    })
}

/// A service: its name, where its admin port is by default, and how its settings are read.
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
    /// All variables the service reads, for `--help`.
    #[must_use]
    pub fn help(&self) -> String {
        config::describe(|vars| self.read_all(vars))
    }

    /// Runs the service until it is told to stop.
    pub fn serve(&self, start: impl AsyncFnOnce(C, &Context) -> Result<(), StartError>) -> ExitCode {
        self.run(async |config, settings| {
            let lifecycle = Lifecycle::new();
            let context = Context {
                readiness: Readiness::new(&lifecycle),
                metrics: Metrics::new(self.name),
                clock: Arc::new(SystemClock),
                ids: Arc::new(RandomIds),
                lifecycle,
            };
            // Held until the service has started, so that nothing is ready before its latches are taken.
            let started = context.readiness.latch("start");
            admin::serve(settings.admin_addr, context.readiness.clone(), context.metrics.clone()).await?;
            // Listening for signals from the start: a service may wait long for what it depends on.
            let mut running = pin!(context.lifecycle.run(settings.grace));
            tokio::select! {
                result = start(config, &context) => result?,
                stopped = &mut running => return Ok(stopped?),
            }
            started.release();
            Ok(running.await?)
        })
    }

    /// Runs one job to its end, with the service's settings and logs.
    pub fn job(&self, job: impl AsyncFnOnce(C) -> Result<(), StartError>) -> ExitCode {
        self.run(async |config, _| job(config).await.map(|()| ExitCode::SUCCESS))
    }

    fn read_all(&self, vars: &mut Vars<'_>) -> Result<(C, Settings), Invalid> {
        let own = (self.read)(vars);
        let settings = read_settings(self.admin_addr, vars);
        Ok((own?, settings?))
    }

    fn run(&self, main: impl AsyncFnOnce(C, Settings) -> Result<ExitCode, StartError>) -> ExitCode {
        let (config, settings) = match config::load(&ProcessEnvironment, |vars| self.read_all(vars)) {
            Ok(loaded) => loaded,
            Err(error) => return refuse(self.name, &error),
        };
        telemetry::start_logs(settings.log_format, settings.log_filter.clone());
        if let Some(place) = settings.crash_at.clone() {
            crash::at(place);
        }
        let result =
            runtime().map_err(StartError::from).and_then(|runtime| runtime.block_on(main(config, settings)));
        result.unwrap_or_else(|error| {
            error!(error = chain(error.as_ref()), "cannot run");
            ExitCode::FAILURE
        })
    }
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

#[expect(clippy::print_stderr, reason = "logs cannot be set up from a configuration that is wrong")]
fn refuse(name: &str, error: &ConfigError) -> ExitCode {
    eprintln!("{name}: the configuration is wrong, nothing was started.\n{error}\nSee `{name} --help`.");
    ExitCode::from(EXIT_CONFIG)
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
