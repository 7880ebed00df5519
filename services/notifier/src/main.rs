//! `notifier serve`, `notifier check-config`, `notifier preview`

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use chrono_tz::Tz;
use clap::{Parser, Subcommand};
use notifier::{app, config::Config, dns, preview};
use runtime::{
    config::{self, Setting},
    service::{self, Service},
};

/// Emails every lead to the sales team, and sends confirmations to visitors.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Service(service::Command<Config>),
    /// Write a sample of every email to files, without broker and mail server
    Preview {
        /// Output directory
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Time zone for times in the emails
        #[arg(long, value_name = "ZONE", default_value = "Asia/Singapore")]
        time_zone: Tz,
    },
}

fn main() -> ExitCode {
    config::run(|cli: Cli, settings| match cli.command {
        Command::Service(service::Command::CheckConfig(checked)) => {
            check_config(&checked.config, settings)
        }
        Command::Service(command) => {
            Service::new("notifier", 9102).run(command, settings, async |config, context| {
                app::start(config, context)
            })
        }
        Command::Preview { out, time_zone } => write_preview(&out, time_zone),
    })
}

/// Prints the recipients and the DNS records of the sender, too.
fn check_config(config: &Config, settings: &[Setting]) -> ExitCode {
    let code = service::check_config(config, settings);
    if code == ExitCode::SUCCESS {
        let records = dns::describe_records(&config.mail_context)
            .unwrap_or_else(|error| format!("  not checked: {error}\n"));
        // A failed write to stdout cannot be reported.
        let _ = writeln!(
            io::stdout().lock(),
            "\n{config}\nDNS records of the sender:\n{records}"
        );
    }
    code
}

fn write_preview(out: &Path, time_zone: Tz) -> ExitCode {
    match preview::write(out, time_zone) {
        Ok(index) => {
            // A failed write to stdout cannot be reported.
            let _ = writeln!(
                io::stdout().lock(),
                "Wrote all emails. Open {}",
                index.display()
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            // Nor can a failed write to stderr.
            let _ = writeln!(io::stderr().lock(), "notifier: {error:#}");
            ExitCode::FAILURE
        }
    }
}
