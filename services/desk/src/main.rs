//! Parses the command line and runs the service.

use std::process::ExitCode;

use clap::Parser;
use desk::config::Config;
use runtime::{
    config,
    service::{Command, Service},
};

/// Serves the desk, where the sales team reads and updates leads.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command<Config>,
}

fn main() -> ExitCode {
    config::run(|cli: Cli, settings| {
        Service::new("desk", 9104).run(cli.command, settings, async |config, context| {
            desk::start(config, context).await?;
            Ok(())
        })
    })
}
