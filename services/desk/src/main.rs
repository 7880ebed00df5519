//! Parses the command line and runs the service.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use desk::{app, config::Config};
use runtime::service::Service;

const SERVICE: Service<Config> = Service { name: "desk", admin_addr: "127.0.0.1:9104", read: Config::read };

/// Shows leads to the sales team, whose mails link here, and takes what happened to them.
#[derive(Parser)]
#[command(version, after_help = SERVICE.help())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve until told to stop.
    Serve,
    /// Ask the desk that runs here whether it is ready: exit status 0, or 1.
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
