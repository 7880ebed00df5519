//! `notifier serve`, `notifier check-config`, `notifier preview`

use std::{
    error::Error,
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use chrono_tz::Tz;
use clap::{Parser, Subcommand};
use notifier::{app, config::Config, preview};
use runtime::service::Service;

const SERVICE: Service<Config> =
    Service { name: "notifier", admin_addr: "127.0.0.1:9102", read: Config::read };

/// Tells the sales team about each lead by mail.
#[derive(Parser)]
#[command(version, after_help = SERVICE.help())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Mail every lead that comes, until SIGTERM or SIGINT.
    Serve,
    /// Ask the notifier that runs here whether it is ready: exit status 0, or 1.
    Healthcheck,
    /// Read all settings and the routes, say what was understood, and exit.
    CheckConfig,
    /// Write every mail to files, to be looked at; no broker or mail server is needed.
    Preview {
        /// The folder for them.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Whose clock times are told by.
        #[arg(long, value_name = "ZONE", default_value = "Asia/Singapore")]
        time_zone: Tz,
    },
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::CheckConfig => SERVICE.job(async |config| Ok(writeln!(io::stdout().lock(), "{config}")?)),
        Command::Healthcheck => SERVICE.healthcheck(),
        Command::Serve => SERVICE.serve(async |config, context| Ok(app::start(config, context)?)),
        Command::Preview { out, time_zone } => match preview::write(&out, time_zone) {
            Ok(index) => {
                // A failed write to stdout cannot be reported.
                let _ = writeln!(io::stdout().lock(), "Every mail is there: open {}", index.display());
                ExitCode::SUCCESS
            }
            Err(error) => refuse(&error),
        },
    }
}

#[expect(clippy::print_stderr, reason = "a command of a person at a terminal, without logs")]
fn refuse(error: &dyn Error) -> ExitCode {
    let cause = error.source().map(|cause| format!(": {cause}"));
    eprintln!("notifier: {error}{}", cause.unwrap_or_default());
    ExitCode::FAILURE
}
