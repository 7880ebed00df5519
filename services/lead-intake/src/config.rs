//! Reads the service's settings.

use std::net::SocketAddr;

use runtime::config::{Invalid, Vars};
use secrecy::{ExposeSecret, SecretString};
use tokens::SigningKeys;

use crate::token::SessionKeys;

pub struct Config {
    pub http_addr: SocketAddr,
    /// The public key the site sends with every lead.
    pub anon_key: String,
    pub session_keys: SessionKeys,
    pub withdrawal_keys: SigningKeys,
    /// Marks a lead as a canary; without it canaries are refused.
    pub canary_key: Option<SecretString>,
    /// Maximum number of concurrent requests.
    pub max_in_flight: usize,
    pub broker: messaging::Settings,
    /// For when the broker fails.
    pub crm: crm_client::Settings,
}

impl Config {
    /// # Errors
    /// [`Invalid`] when a setting is missing or wrong.
    pub fn read(vars: &mut Vars<'_>) -> Result<Self, Invalid> {
        let http_addr = vars.or("HTTP_ADDR", "127.0.0.1:9001", "HTTP listen address.");
        let anon_key =
            vars.required("ANON_KEY", "Public anonymous key, which the site sends in the apikey header.");
        let session_keys = vars.parsed_secret(
            "SESSION_KEYS",
            "Keys of session tokens, comma separated, at least 32 characters each: the first signs, all verify.",
        );
        let withdrawal_keys = vars.parsed_secret(
            "WITHDRAWAL_KEYS",
            "Keys of the links by which visitors withdraw their consent, the same as for notifier, comma separated, at least \
             32 characters each. Links do not expire: keep old keys.",
        );
        let canary_key = canary_key(vars);
        let max_in_flight = vars.or(
            "MAX_IN_FLIGHT",
            "512",
            "Maximum number of concurrent requests; further requests get 503.",
        );
        let broker = messaging::Settings::read(vars, None);
        let crm = crm_client::Settings::read(vars);
        Ok(Self {
            http_addr: http_addr?,
            anon_key: anon_key?,
            session_keys: session_keys?,
            withdrawal_keys: withdrawal_keys?,
            canary_key: canary_key?,
            max_in_flight: max_in_flight?,
            broker: broker?,
            crm: crm?,
        })
    }
}

fn canary_key(vars: &mut Vars<'_>) -> Result<Option<SecretString>, Invalid> {
    let doc = "Key that marks a lead as a canary, at least 32 characters; unset: canaries are rejected.";
    let key = vars.optional_secret("CANARY_KEY", doc)?;
    if key.as_ref().is_some_and(|key| key.expose_secret().len() < 32) {
        return vars.reject("CANARY_KEY must have at least 32 characters");
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use runtime::config::{ConfigError, load};

    use super::*;

    #[test]
    fn all_that_is_wrong_is_said_at_once_without_the_secrets() {
        let source = BTreeMap::from([
            ("SESSION_KEYS".to_owned(), "shortsecret".to_owned()),
            ("CANARY_KEY".to_owned(), "shortsecret".to_owned()),
            ("AMQP_URL".to_owned(), "http://hiddenuser:hiddenpassword@broker".to_owned()),
            ("CRM_URL".to_owned(), "crm:50051".to_owned()),
            ("CRM_TOKEN".to_owned(), "hiddentoken".to_owned()),
            ("HTTP_ADDR".to_owned(), "nowhere".to_owned()),
        ]);
        let Err(ConfigError(errors)) = load(&source, Config::read) else { panic!("accepted") };
        let text = errors.join("\n");
        for expected in [
            "HTTP_ADDR",
            "ANON_KEY is not set",
            "SESSION_KEYS: ",
            "WITHDRAWAL_KEYS",
            "CANARY_KEY ",
            "AMQP_URL: ",
            "CRM_URL: ",
        ] {
            assert!(text.contains(expected), "{text}");
        }
        assert!(!text.contains("shortsecret") && !text.contains("hidden"), "{text}");
    }
}
