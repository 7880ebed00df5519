//! Parses the command line and runs the service.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use crm_sync::{
    app::App,
    config::{Config, Migration},
    db::Store,
};
use runtime::service::Service;

const ADMIN_ADDR: &str = "127.0.0.1:9103";
const SERVE: Service<Config> = Service { name: "crm-sync", admin_addr: ADMIN_ADDR, read: Config::read };
const MIGRATE: Service<Migration> =
    Service { name: "crm-sync", admin_addr: ADMIN_ADDR, read: Migration::read };

/// Keeps the CRM: events into the database, and the gRPC service over it.
#[derive(Parser)]
#[command(version, after_help = "See --help for the variables.", after_long_help = SERVE.help())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Take leads from the queue and over gRPC until told to stop. Migrates SQLite by itself, never PostgreSQL.
    Serve,
    /// Bring the database's schema up to date, and end.
    Migrate,
    /// Ask the crm-sync that runs here whether it is ready: exit status 0, or 1.
    Healthcheck,
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Serve => SERVE.serve(async |config, context| {
            App::start(config, context).await?;
            Ok(())
        }),
        Command::Healthcheck => SERVE.healthcheck(),
        Command::Migrate => MIGRATE.job(async |Migration { database, service_role }| {
            Ok(Store::migrate(&database, service_role.as_deref()).await?)
        }),
    }
}
