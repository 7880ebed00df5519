//! Parses the command line and runs the service.

use std::process::ExitCode;

use clap::Parser;
use lead_intake::{app, config::Config};
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
    let parsed = match config::parse::<Cli>() {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    Service::new("lead-intake", 9101).run(
        parsed.command.command,
        &parsed.settings,
        async |config, context| {
            app::start(config, context).await?;
            Ok(())
        },
    )
}
