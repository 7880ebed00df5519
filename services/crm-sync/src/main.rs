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

/// Stores leads in the CRM database and serves them over gRPC.
#[derive(Parser)]
#[command(version, after_help = "Run with --help for the environment variables.", after_long_help = SERVE.help())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Consume leads from the queue and serve gRPC until SIGTERM or SIGINT. Migrates SQLite at start, but not PostgreSQL.
    Serve,
    /// Update the database schema and exit.
    Migrate,
    /// Check whether the crm-sync on this host is ready: exit status 0 if it is, otherwise 1.
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
