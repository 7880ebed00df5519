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

/// Emails every lead to the sales team, and sends confirmations to visitors.
#[derive(Parser)]
#[command(version, after_help = SERVICE.help())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Deliver leads until SIGTERM or SIGINT.
    Serve,
    /// Check whether the notifier on this host is ready: exit status 0 if it is, otherwise 1.
    Healthcheck,
    /// Validate the settings and the routes file, print a summary, and exit.
    CheckConfig,
    /// Write one email of each kind to files. Needs no broker and no mail server.
    Preview {
        /// Output directory.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Time zone for times in the emails.
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
                let _ = writeln!(io::stdout().lock(), "Wrote all emails. Open {}", index.display());
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
