//! `notifier serve`

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use notifier::{app, config::Config};
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
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Serve => SERVICE.serve(async |config, context| Ok(app::start(config, context)?)),
    }
}
