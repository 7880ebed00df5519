//! The service's settings.

use std::net::SocketAddr;

use runtime::config::{SECRETS, Validate};
use secrecy::SecretString;
use tokens::{SigningKeys, WeakKey};

#[derive(clap::Args)]
#[group(skip)]
pub struct Config {
    /// HTTP listen address
    #[arg(long, env, default_value = "127.0.0.1:9001")]
    pub http_addr: SocketAddr,
    /// Public anonymous key, which the site sends in the apikey header
    #[arg(long, env)]
    pub anon_key: String,
    /// Keys of session tokens, comma separated, at least 32 characters each: the first signs, all verify
    #[arg(long, env, help_heading = SECRETS)]
    pub session_keys: SigningKeys,
    /// Keys of the links by which visitors withdraw their consent, the same as for notifier, comma separated, at least 32
    /// characters each. Links do not expire: keep old keys
    #[arg(long, env, help_heading = SECRETS)]
    pub withdrawal_keys: SigningKeys,
    /// Keys that mark a lead as a canary, comma separated, at least 32 characters each; unset: canaries are rejected
    #[arg(long, env, help_heading = SECRETS, value_delimiter = ',', value_parser = parse_canary_key)]
    pub canary_keys: Vec<SecretString>,
    /// Maximum number of concurrent requests; further requests get 503
    #[arg(long, env, default_value_t = 512)]
    pub max_in_flight: usize,
    #[command(flatten)]
    pub broker: messaging::Settings,
    #[command(flatten)]
    pub crm: crm_client::Settings,
}

impl Validate for Config {
    fn validate(&self) -> Result<(), String> {
        self.crm.validate()
    }
}

fn parse_canary_key(key: &str) -> Result<SecretString, WeakKey> {
    let key = key.trim();
    tokens::check_key(key).map(|()| key.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn errors_contain_no_secret() {
        let good = [
            ("ANON_KEY", "public"),
            ("SESSION_KEYS", KEY),
            ("WITHDRAWAL_KEYS", KEY),
            ("AMQP_URL", "amqp://hiddenuser:hiddenpassword@broker"),
            ("CRM_URL", "http://127.0.0.1:50051"),
            ("CRM_TOKEN", "hiddentoken"),
        ];
        assert!(testkit::settings::<Config>(good).is_ok());
        for (wrong, expected) in [
            (
                ("HTTP_ADDR", "nowhere"),
                "'nowhere' for '--http-addr <HTTP_ADDR>'",
            ),
            (("ANON_KEY", ""), "--anon-key <ANON_KEY>"),
            (
                ("SESSION_KEYS", "shortsecret"),
                "'--session-keys <SESSION_KEYS>': ",
            ),
            // 22 characters, 33 bytes.
            (
                ("CANARY_KEYS", "shortsecretééééééééééé"),
                "'--canary-keys <CANARY_KEYS>': keys must have at least 32 characters",
            ),
            (
                ("AMQP_URL", "http://hiddenuser:hiddenpassword@broker"),
                "'--amqp-url <AMQP_URL>': ",
            ),
            (("CRM_URL", "crm:50051"), "CRM_URL: "),
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
