//! Fills the database of `cargo xtask up` with a generated launch.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use chrono_tz::Tz;
use clap::Parser;
use crm_sync::db::{Store, settings::Settings, suppression_key::SuppressionKey};
use demo_data::{
    launch::{LaunchLead, LaunchSettings, generate, id_of},
    store::Target,
};
use fs_err as fs;
use runtime::clock::{Clock, SystemClock};
use sea_orm::Database;
use xtask::{cli::DemoDataOptions, files, session};

/// Time zone of the sales team, the default of the desk.
const ZONE: Tz = Tz::Asia__Singapore;

const NOT_RUNNING: &str = "start `cargo xtask up` first, and keep it running in another terminal";

#[tokio::main]
async fn main() -> ExitCode {
    session::exit(fill(&DemoDataOptions::parse()).await)
}

async fn fill(options: &DemoDataOptions) -> Result<()> {
    let secrets = files::path(".local/secrets/crm-sync");
    let url = read_secret(&secrets, "database-url")?;
    let settings = Settings::new(&url, 2).map_err(anyhow::Error::msg)?;
    let suppression_key: SuppressionKey = read_secret(&secrets, "suppression-key")?
        .parse()
        .map_err(anyhow::Error::msg)?;
    let store = Store::connect(&settings, suppression_key)
        .await
        .context(NOT_RUNNING)?;
    let connection = Database::connect(&url).await.context(NOT_RUNNING)?;
    let target = Target {
        store: &store,
        connection: &connection,
    };
    let seed = options.seed.into();
    // The first lead is stored first, so it is stored if any other is.
    if target.has_lead(id_of(seed, 0)).await? {
        bail!(
            "the database already has leads of seed {seed}. Add other leads with --seed {}. To start again, stop \
             `cargo xtask up`, delete .local and start it",
            seed + 1
        );
    }
    let launch = generate(&LaunchSettings {
        seed,
        leads: options.leads,
        days: options.days,
        now: SystemClock.now(),
        zone: ZONE,
        emails_wait: false,
    });
    target.store(&launch).await?;
    session::print(&summary(options, &launch))
}

fn read_secret(directory: &Path, name: &str) -> Result<String> {
    let text = fs::read_to_string(directory.join(name)).context(NOT_RUNNING)?;
    Ok(text.trim().to_owned())
}

fn summary(options: &DemoDataOptions, launch: &[LaunchLead]) -> String {
    let DemoDataOptions { leads, days, seed } = options;
    let canaries = launch.len() - *leads as usize;
    format!(
        "Stored {leads} leads of the last {days} days (seed {seed}), and {canaries} canaries. No email is sent for them.\n\n\
         Look at them:\n  \
         cargo leadctl stats\n  \
         cargo leadctl list\n  \
         the desk: submit a lead on the site, and open the link in the email to mei@zyongrand.example\n\n\
         To remove them, stop `cargo xtask up` and delete .local.\n"
    )
}
