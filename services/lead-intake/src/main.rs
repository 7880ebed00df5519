//! Parses the command line and runs the service.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use lead_intake::{app, config::Config};
use runtime::service::Service;

const SERVICE: Service<Config> =
    Service { name: "lead-intake", admin_addr: "127.0.0.1:9101", read: Config::read };

/// Accepts leads over HTTP and publishes them to the broker, or records them in the CRM if the broker fails.
#[derive(Parser)]
#[command(version, after_help = SERVICE.help())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve HTTP until SIGTERM or SIGINT.
    Serve,
    /// Check whether the lead-intake on this host is ready: exit status 0 if it is, otherwise 1.
    Healthcheck,
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Serve => SERVICE.serve(async |config, context| {
            app::start(config, context).await?;
            Ok(())
        }),
        Command::Healthcheck => SERVICE.healthcheck(),
    }
}
