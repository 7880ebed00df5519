//! Parses the command line and runs the service.

use std::process::ExitCode;

use clap::Parser;
use lead_intake::config::Config;
use runtime::{
    config,
    service::{Command, Service},
};

/// Accepts leads over HTTP and publishes them to the broker, or records them in the CRM if the broker fails.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command<Config>,
}

fn main() -> ExitCode {
    config::run(|cli: Cli, settings| {
        Service::new("lead-intake", 9101).run(cli.command, settings, async |config, context| {
            lead_intake::start(config, context).await?;
            Ok(())
        })
    })
}
