//! The service's settings.

use std::{net::SocketAddr, path::Path, sync::Arc};

use chrono_tz::Tz;
use runtime::{config::SECRETS, reload::Reloaded};
use tokens::{LoadTeamError, SigningKeys, Team};

#[derive(clap::Args)]
#[group(skip)]
pub struct Config {
    /// HTTP listen address
    #[arg(long, default_value = "127.0.0.1:9004")]
    pub http_addr: SocketAddr,
    /// Routes file in TOML, the same as for notifier: its people may log in. Read again when it changes and is valid
    #[arg(id = "routes_file", long = "routes-file", value_name = "ROUTES_FILE", value_parser = load_team)]
    pub team: Arc<Reloaded<Team>>,
    /// Keys of magic links, the same as for notifier, comma separated, at least 32 characters each: the first signs, all
    /// verify
    #[arg(
        id = "magic_link_keys",
        long = "magic-link-keys",
        value_name = "MAGIC_LINK_KEYS"
    )]
    #[arg(help_heading = SECRETS)]
    pub link_keys: SigningKeys,
    /// Keys of sessions, and of the names of people in calls to the CRM, the same as for crm-sync, comma separated, at
    /// least 32 characters each: the first signs, all verify
    #[arg(
        id = "desk_session_keys",
        long = "desk-session-keys",
        value_name = "DESK_SESSION_KEYS"
    )]
    #[arg(help_heading = SECRETS)]
    pub keys: SigningKeys,
    /// Time zone of the sales team
    #[arg(long, default_value = "Asia/Singapore")]
    pub time_zone: Tz,
    /// Public address of the site, the same as for notifier
    #[arg(long)]
    pub site_url: String,
    #[command(flatten)]
    pub crm: crm_client::Settings,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_contain_no_secret() {
        let good = [
            (
                "ROUTES_FILE",
                concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/../../deploy/notifier/routes.toml"
                ),
            ),
            ("MAGIC_LINK_KEYS", "0123456789abcdef0123456789abcdef"),
            ("DESK_SESSION_KEYS", "0123456789abcdef0123456789abcdef"),
            ("SITE_URL", "https://www.zyongrand.example"),
            ("CRM_URL", "http://127.0.0.1:50051"),
            ("CRM_TOKEN", "hiddentoken"),
        ];
        for (wrong, expected) in [
            (("HTTP_ADDR", "nowhere"), "--http-addr <HTTP_ADDR>"),
            (
                ("ROUTES_FILE", "/no/such/file"),
                "'/no/such/file' for '--routes-file <ROUTES_FILE>'",
            ),
            (
                ("MAGIC_LINK_KEYS", "shortsecret"),
                "--magic-link-keys <MAGIC_LINK_KEYS>",
            ),
            (("SITE_URL", ""), "--site-url <SITE_URL>"),
        ] {
            let variables = good
                .iter()
                .filter(|(name, _)| *name != wrong.0)
                .chain([&wrong]);
            let error = testkit::settings::<Config>(variables.copied())
                .err()
                .expect("an error");
            assert!(error.contains(expected), "{error}");
            assert!(
                !error.contains("shortsecret") && !error.contains("hidden"),
                "{error}"
            );
        }
    }
}
