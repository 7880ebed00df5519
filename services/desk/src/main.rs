//! Parses the command line and runs the service.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use desk::{app, config::Config};
use runtime::service::Service;

const SERVICE: Service<Config> = Service { name: "desk", admin_addr: "127.0.0.1:9104", read: Config::read };

/// Serves the desk, where the sales team reads and updates leads.
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
    /// Check whether the desk on this host is ready: exit status 0 if it is, otherwise 1.
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
