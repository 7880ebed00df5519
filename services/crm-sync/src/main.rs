//! Parses the command line and runs the service.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use crm_sync::{
    app::App,
    config::{Config, Migration},
    db::Store,
};
use runtime::{
    config,
    service::{self, Service, Settings},
};

/// Stores leads in the CRM database and serves them over gRPC.
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
    /// Update the database schema and exit; `serve` updates SQLite automatically, but not PostgreSQL
    Migrate(Box<Settings<Migration>>),
}

fn main() -> ExitCode {
    let service = Service::new("crm-sync", 9103);
    config::run(|cli: Cli, settings| match cli.command {
        Command::Service(command) => service.run(command, settings, async |config, context| {
            App::start(config, context).await?;
            Ok(())
        }),
        Command::Migrate(settings) => service.job(*settings, async |migration| {
            let service_role = migration.database_service_role.as_deref();
            Store::migrate(&migration.database, service_role).await?;
            Ok(())
        }),
    })
}
