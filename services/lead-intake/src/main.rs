//! Parses the command line and runs the service.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use lead_intake::{app, config::Config};
use runtime::service::Service;

const SERVICE: Service<Config> =
    Service { name: "lead-intake", admin_addr: "127.0.0.1:9101", read: Config::read };

/// Takes visitors' interest over HTTP and passes it on to the broker, or to the CRM when the broker cannot.
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
    /// Ask the lead-intake that runs here whether it is ready: exit status 0, or 1.
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
