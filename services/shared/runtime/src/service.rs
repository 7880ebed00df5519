//! The commands of all services. `serve` starts logs and the admin port, runs the service until the stop, and returns the
//! exit status.

use std::{
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    pin::pin,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use tokio::runtime::{Builder, Runtime};
use tracing::error;

use crate::{
    admin::{self, Readiness},
    clock::{SharedClock, SystemClock},
    config::{self, HELP, Setting, Validate},
    crash,
    lifecycle::Lifecycle,
    random::{RandomIds, SharedIds},
    telemetry::{self, Metrics, Telemetry},
};

#[derive(Clone)]
pub struct Context {
    pub lifecycle: Lifecycle,
    pub readiness: Readiness,
    pub metrics: Metrics,
    pub clock: SharedClock,
    pub ids: SharedIds,
}

#[derive(clap::Args)]
#[group(skip)]
pub struct Process {
    /// Listen address for /livez, /readyz and /metrics; unset: loopback, with a port from 9101 to 9104
    #[arg(long, env)]
    admin_addr: Option<SocketAddr>,
    #[command(flatten)]
    telemetry: telemetry::Settings,
    /// Time in seconds to finish work after SIGTERM
    #[arg(long, env, default_value_t = 20)]
    shutdown_grace_seconds: u64,
    /// For tests only: name of the crash point that aborts the process
    #[cfg_attr(debug_assertions, arg(long, env))]
    #[cfg_attr(not(debug_assertions), arg(skip))]
    crash_at: Option<String>,
}

#[derive(clap::Args)]
#[group(skip)]
pub struct Settings<C: clap::Args> {
    #[command(flatten)]
    pub config: C,
    #[command(flatten)]
    process: Process,
}

#[derive(clap::Subcommand)]
pub enum Command<C: clap::Args> {
    /// Serve until SIGTERM or SIGINT
    #[command(after_help = HELP)]
    Serve(Box<Settings<C>>),
    /// Check the settings, print them without secrets, and exit
    #[command(after_help = HELP)]
    CheckConfig(Box<Settings<C>>),
    /// Check whether the service on this host is ready: exit status 0 if it is, otherwise 1
    Healthcheck {
        /// Address of the service's admin port
        #[arg(long, env)]
        admin_addr: Option<SocketAddr>,
    },
}

#[derive(Clone, Copy)]
pub struct Service {
    name: &'static str,
    admin_addr: SocketAddr,
}

impl Service {
    /// `name` identifies the service in metrics and traces, e.g. `lead-intake`. `admin_port` is the default admin port.
    pub const fn new(name: &'static str, admin_port: u16) -> Self {
        Self {
            name,
            admin_addr: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), admin_port),
        }
    }

    /// Runs a command. check-config prints `shown`, the [`Parsed::settings`](crate::config::Parsed::settings).
    pub fn run<C: clap::Args + Validate>(
        self,
        command: Command<C>,
        shown: &[Setting],
        start: impl AsyncFnOnce(C, &Context) -> anyhow::Result<()>,
    ) -> ExitCode {
        match command {
            Command::Serve(settings) => self.serve(*settings, start),
            Command::CheckConfig(settings) => check_config(&settings.config, shown),
            Command::Healthcheck { admin_addr } => {
                let is_ready = admin::is_ready(admin_addr.unwrap_or(self.admin_addr));
                if is_ready.is_ok_and(|ready| ready) {
                    ExitCode::SUCCESS
                } else {
                    ExitCode::FAILURE
                }
            }
        }
    }

    /// Runs one job to completion, with the settings and logs of a service.
    pub fn job<C: clap::Args + Validate>(
        self,
        settings: Settings<C>,
        job: impl AsyncFnOnce(C) -> anyhow::Result<()>,
    ) -> ExitCode {
        self.block_on(settings, async |config, _, _| {
            job(config).await.map(|()| ExitCode::SUCCESS)
        })
    }

    /// Runs until SIGTERM or SIGINT.
    fn serve<C: clap::Args + Validate>(
        self,
        settings: Settings<C>,
        start: impl AsyncFnOnce(C, &Context) -> anyhow::Result<()>,
    ) -> ExitCode {
        self.block_on(settings, async |config, process, metrics| {
            let lifecycle = Lifecycle::new();
            let context = Context {
                readiness: Readiness::new(&lifecycle),
                metrics,
                clock: Arc::new(SystemClock),
                ids: Arc::new(RandomIds),
                lifecycle,
            };
            let admin_addr = process.admin_addr.unwrap_or(self.admin_addr);
            admin::serve(
                admin_addr,
                context.readiness.clone(),
                context.metrics.clone(),
            )
            .await?;
            // Handles signals during `start` too, which may wait for dependencies.
            let grace = Duration::from_secs(process.shutdown_grace_seconds);
            let mut running = pin!(context.lifecycle.run(grace));
            tokio::select! {
                result = start(config, &context) => result?,
                stopped = &mut running => return Ok(stopped?),
            }
            context.readiness.set_ready();
            Ok(running.await?)
        })
    }

    fn block_on<C: clap::Args + Validate>(
        self,
        settings: Settings<C>,
        main: impl AsyncFnOnce(C, &Process, Metrics) -> anyhow::Result<ExitCode>,
    ) -> ExitCode {
        let Settings { config, process } = settings;
        if let Err(code) = config::validate(&config) {
            return code;
        }
        let (runtime, telemetry) = match self.start_runtime(&process) {
            Ok(started) => started,
            Err(error) => return print_start_error(self.name, &error),
        };
        if let Some(place) = &process.crash_at {
            crash::select(place);
        }
        let result = runtime.block_on(main(config, &process, telemetry.metrics.clone()));
        let code = result.unwrap_or_else(|error| {
            error!(error = format!("{error:#}"), "exiting after an error");
            ExitCode::FAILURE
        });
        telemetry.shut_down();
        // Dropping the runtime would wait for blocking calls, such as a name lookup that hangs.
        runtime.shutdown_background();
        code
    }

    fn start_runtime(self, process: &Process) -> anyhow::Result<(Runtime, Telemetry)> {
        let runtime = Builder::new_multi_thread().enable_all().build()?;
        // The exporters must be created within the runtime.
        let entered = runtime.enter();
        let telemetry = Telemetry::start(self.name, process.telemetry.clone())?;
        drop(entered);
        Ok((runtime, telemetry))
    }
}

/// Validates the settings and prints `shown`. Returns the exit status.
pub fn check_config(settings: &impl Validate, shown: &[Setting]) -> ExitCode {
    if let Err(code) = config::validate(settings) {
        return code;
    }
    let width = shown
        .iter()
        .map(|setting| setting.name.len())
        .max()
        .unwrap_or_default();
    let mut out = io::stdout().lock();
    let written = shown
        .iter()
        .try_for_each(|Setting { name, value }| writeln!(out, "{name:width$}  {value}"));
    if written.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[expect(clippy::print_stderr, reason = "logging has not started")]
fn print_start_error(name: &str, error: &anyhow::Error) -> ExitCode {
    eprintln!("{name}: cannot start: {error:#}");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Instant};

    use tokio::task::spawn_blocking;

    use super::*;

    #[test]
    fn exit_does_not_wait_for_blocking_calls() {
        #[derive(clap::Parser)]
        struct Cli {
            #[command(flatten)]
            settings: Settings<NoSettings>,
        }

        #[derive(clap::Args)]
        #[group(skip)]
        struct NoSettings {}

        impl Validate for NoSettings {}

        let settings = <Cli as clap::Parser>::parse_from(["test"]).settings;
        let (_silent, answer) = mpsc::channel::<()>();
        let started = Instant::now();
        Service::new("test", 0).job(settings, async move |_| {
            drop(spawn_blocking(move || answer.recv()));
            Ok(())
        });
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}
