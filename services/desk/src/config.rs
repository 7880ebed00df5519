//! The service's settings.

use std::{net::SocketAddr, path::Path, sync::Arc};

use chrono_tz::Tz;
use runtime::{
    config::{SECRETS, Validate},
    reload::Reloaded,
};
use tokens::{LoadTeamError, SigningKeys, Team};

#[derive(clap::Args)]
#[group(skip)]
pub struct Config {
    /// HTTP listen address
    #[arg(long, env, default_value = "127.0.0.1:9004")]
    pub http_addr: SocketAddr,
    /// Routes file in TOML, the same as for notifier: its people may log in. Read again when it changes and is valid
    #[arg(long, env, value_parser = load_team)]
    pub routes_file: Arc<Reloaded<Team>>,
    /// Keys of magic links, the same as for notifier, comma separated, at least 32 characters each: the first signs, all
    /// verify
    #[arg(long, env, help_heading = SECRETS)]
    pub magic_link_keys: SigningKeys,
    /// Keys of sessions, and of the names of people in calls to the CRM, the same as for crm-sync, comma separated, at
    /// least 32 characters each: the first signs, all verify
    #[arg(long, env, help_heading = SECRETS)]
    pub desk_session_keys: SigningKeys,
    /// Time zone of the sales team
    #[arg(long, env, default_value = "Asia/Singapore")]
    pub time_zone: Tz,
    /// Public address of the site, the same as for notifier
    #[arg(long, env)]
    pub site_url: String,
    #[command(flatten)]
    pub crm: crm_client::Settings,
}

impl Validate for Config {
    fn validate(&self) -> Result<(), String> {
        self.crm.validate()
    }
}

impl Config {
    /// Whether browsers use https. Only a developer's machine uses http.
    pub(crate) fn is_secure(&self) -> bool {
        self.site_url.starts_with("https://")
    }
}

fn load_team(path: &str) -> Result<Arc<Reloaded<Team>>, LoadTeamError> {
    Reloaded::load(Path::new(path), Team::load).map(Arc::new)
}
