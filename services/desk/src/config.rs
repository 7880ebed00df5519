//! Reads the service's settings.

use std::{net::SocketAddr, path::PathBuf};

use chrono_tz::Tz;
use runtime::{
    config::{Invalid, Vars},
    reload::Reloaded,
};
use tokens::{SigningKeys, Team};

pub struct Config {
    pub http_addr: SocketAddr,
    /// Of the routes file as it is at each request: who is taken out is out then.
    pub team: Reloaded<Team>,
    /// Verifies magic links; the same as for notifier.
    pub link_keys: SigningKeys,
    /// Signs sessions, and names in calls to the CRM; the same as for crm-sync.
    pub keys: SigningKeys,
    pub time_zone: Tz,
    /// Whether browsers reach the site over HTTPS only.
    pub is_secure: bool,
    pub crm: crm_client::Settings,
}

impl Config {
    /// # Errors
    /// [`Invalid`] when a setting is missing or wrong.
    pub fn read(vars: &mut Vars<'_>) -> Result<Self, Invalid> {
        let http_addr = vars.or("HTTP_ADDR", "127.0.0.1:9004", "HTTP listen address.");
        let team = read_team(vars);
        let link_keys = vars.parsed_secret(
            "MAGIC_LINK_KEYS",
            "Keys of magic links, the same as for notifier, comma separated, at least 32 characters each: the first signs, all \
             verify.",
        );
        let keys = vars.parsed_secret(
            "DESK_SESSION_KEYS",
            "Keys of sessions, and of the names of people in calls to the CRM, the same as for crm-sync, comma separated, at \
             least 32 characters each: the first signs, all verify.",
        );
        let time_zone = vars.or("TIME_ZONE", "Asia/Singapore", "Time zone of the sales team.");
        let site =
            vars.required::<String>("SITE_URL", "Public address of the site, the same as for notifier.");
        let crm = crm_client::Settings::read(vars);
        Ok(Self {
            http_addr: http_addr?,
            team: team?,
            link_keys: link_keys?,
            keys: keys?,
            time_zone: time_zone?,
            is_secure: site?.starts_with("https://"),
            crm: crm?,
        })
    }
}

fn read_team(vars: &mut Vars<'_>) -> Result<Reloaded<Team>, Invalid> {
    let doc = "Routes file in TOML, the same as for notifier: its people may log in. Read again when it changes and is valid.";
    let path = vars.required::<PathBuf>("ROUTES_FILE", doc)?;
    let team = Reloaded::read(&path, Team::read);
    team.or_else(|error| vars.reject(format!("ROUTES_FILE={}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use runtime::config::{ConfigError, load};

    use super::*;

    #[test]
    fn all_that_is_wrong_is_said_at_once_without_the_secrets() {
        let source = BTreeMap::from([
            ("HTTP_ADDR".to_owned(), "nowhere".to_owned()),
            ("ROUTES_FILE".to_owned(), "/no/such/file".to_owned()),
            ("MAGIC_LINK_KEYS".to_owned(), "shortsecret".to_owned()),
            ("CRM_URL".to_owned(), "crm:50051".to_owned()),
            ("CRM_TOKEN".to_owned(), "hiddentoken".to_owned()),
        ]);
        let Err(ConfigError(errors)) = load(&source, Config::read) else { panic!("accepted") };
        let text = errors.join("\n");
        for expected in [
            "HTTP_ADDR",
            "ROUTES_FILE=/no/such/file",
            "MAGIC_LINK_KEYS: ",
            "SITE_URL is not set",
            "CRM_URL: ",
        ] {
            assert!(text.contains(expected), "{text}");
        }
        assert!(!text.contains("shortsecret") && !text.contains("hidden"), "{text}");
    }
}
