//! The settings of the service and of the migration.

use std::{net::SocketAddr, path::PathBuf};

use clap::ArgAction;
use runtime::config::{SECRETS, Validate};
use tokens::SigningKeys;

use crate::{
    auth::Clients,
    db::{settings::Settings, suppression_key::SuppressionKey},
    tls::Certificate,
};

#[derive(clap::Args)]
#[group(skip)]
pub struct Config {
    #[command(flatten)]
    pub grpc: Grpc,
    /// Clients of the gRPC service, role:client=token, separated by commas or line ends. Tokens have at least 32
    /// characters. Roles: intake, notifier, canary, desk, sales, operator
    #[arg(long, env, help_heading = SECRETS)]
    pub crm_tokens: Clients,
    /// Keys that verify the person named in each call of desk, comma separated, at least 32 characters each. Must be
    /// the DESK_SESSION_KEYS of desk
    #[arg(long, env, help_heading = SECRETS)]
    pub desk_session_keys: SigningKeys,
    /// Key of the hashes that identify people who must not be contacted, also after their leads are erased. At least 32
    /// characters. Never replace the key: with another key, crm-sync does not recognise these people
    #[arg(long, env, help_heading = SECRETS)]
    pub suppression_key: SuppressionKey,
    /// Days after submission until a lead is erased. Pending deliveries delay this; failed ones by 90 days. Unset: never
    #[arg(long, env, value_parser = clap::value_parser!(u32).range(1..))]
    pub retention_days: Option<u32>,
    #[command(flatten)]
    pub messaging: messaging::Settings,
    #[command(flatten)]
    pub database: Settings,
}

impl Validate for Config {
    fn validate(&self) -> Result<(), String> {
        match self.grpc.certificate() {
            Some(certificate) => match certificate.load_config() {
                Ok(_) => Ok(()),
                Err(error) => Err(format!("GRPC_CERTIFICATE_FILE and GRPC_KEY_FILE: {error}")),
            },
            None if self.grpc.grpc_plaintext || self.grpc.grpc_addr.ip().is_loopback() => Ok(()),
            None => Err(UNENCRYPTED.to_owned()),
        }
    }
}

const UNENCRYPTED: &str = "GRPC_ADDR is not loopback: set GRPC_CERTIFICATE_FILE and GRPC_KEY_FILE, or \
                           GRPC_PLAINTEXT=true if the network encrypts";

#[derive(clap::Args)]
#[group(skip)]
pub struct Grpc {
    /// gRPC listen address
    #[arg(long, env, default_value = "127.0.0.1:50051")]
    pub grpc_addr: SocketAddr,
    /// PEM file with the certificate chain for GRPC_ADDR; read again for each connection. Unset: no TLS
    #[arg(long, env, requires = "grpc_key_file")]
    pub grpc_certificate_file: Option<PathBuf>,
    /// PEM file with the private key of GRPC_CERTIFICATE_FILE; read again for each connection
    #[arg(long, env, requires = "grpc_certificate_file")]
    pub grpc_key_file: Option<PathBuf>,
    /// Set to true to allow a GRPC_ADDR that is not loopback without TLS, if the network encrypts, e.g. a service mesh
    #[arg(long, env, action = ArgAction::Set, default_value_t = false)]
    pub grpc_plaintext: bool,
}

impl Grpc {
    #[must_use]
    pub fn without_tls(grpc_addr: SocketAddr) -> Self {
        Self {
            grpc_addr,
            grpc_certificate_file: None,
            grpc_key_file: None,
            grpc_plaintext: false,
        }
    }

    /// `None` disables TLS.
    pub(crate) fn certificate(&self) -> Option<Certificate> {
        Some(Certificate {
            chain: self.grpc_certificate_file.clone()?,
            key: self.grpc_key_file.clone()?,
        })
    }
}

/// The settings of `crm-sync migrate`.
#[derive(clap::Args)]
#[group(skip)]
pub struct Migration {
    #[command(flatten)]
    pub database: Settings,
    /// PostgreSQL role of the service. Migration grants the role access to rows, without schema changes. Unset: the
    /// service connects as the user that migrates
    #[arg(long, env)]
    pub database_service_role: Option<String>,
}

impl Validate for Migration {}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    /// Loads valid variables with these changes. Returns the error.
    fn load(variables: &[(&'static str, &'static str)]) -> Result<Config, String> {
        let good = [
            ("AMQP_URL", "amqp://guest:guest@127.0.0.1:5672/%2f"),
            ("DATABASE_URL", "sqlite://crm.sqlite"),
            (
                "CRM_TOKENS",
                "operator:leadctl=0123456789abcdef0123456789abcdef",
            ),
            ("SUPPRESSION_KEY", KEY),
            ("DESK_SESSION_KEYS", KEY),
        ];
        testkit::settings(good.iter().chain(variables).copied())
    }

    fn error(variables: &[(&'static str, &'static str)]) -> String {
        load(variables).err().unwrap_or_default()
    }

    #[test]
    fn listens_on_loopback_by_default() {
        let config = load(&[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(config.grpc.grpc_addr.to_string(), "127.0.0.1:50051");
    }

    #[test]
    fn grpc_needs_tls_outside_loopback() {
        let everywhere = ("GRPC_ADDR", "[::]:50051");
        assert!(error(&[everywhere]).contains("GRPC_ADDR is not loopback"));
        assert_eq!(error(&[everywhere, ("GRPC_PLAINTEXT", "true")]), "");
        assert!(
            error(&[("GRPC_CERTIFICATE_FILE", "/x")]).contains("--grpc-key-file <GRPC_KEY_FILE>")
        );
        let missing = error(&[
            everywhere,
            ("GRPC_CERTIFICATE_FILE", "/x"),
            ("GRPC_KEY_FILE", "/y"),
        ]);
        assert!(missing.contains("/x: "), "{missing}");
    }

    #[test]
    fn errors_contain_no_secret() {
        for (wrong, expected) in [
            (
                ("GRPC_ADDR", "here"),
                "'here' for '--grpc-addr <GRPC_ADDR>'",
            ),
            (
                ("DATABASE_URL", "mysql://crm:hunter2@host/crm"),
                "'--database-url <DATABASE_URL>': must begin with sqlite:// or postgres://",
            ),
            (
                ("CRM_TOKENS", "operator:leadctl=hunter2"),
                "entry 1: token must have at least 32 characters",
            ),
            (
                // 20 characters, 33 bytes.
                ("SUPPRESSION_KEY", "hunter2ééééééééééééé"),
                "'--suppression-key <SUPPRESSION_KEY>': keys must have at least 32 characters",
            ),
            (("DATABASE_CONNECTIONS", "0"), "--database-connections"),
            (("RETENTION_DAYS", "0"), "--retention-days"),
        ] {
            let error = error(&[wrong]);
            assert!(
                error.contains(expected) && !error.contains("hunter2"),
                "{error}"
            );
        }
    }

    #[test]
    fn retention_is_unlimited_by_default() {
        let retention = |variables: &[_]| load(variables).map(|config| config.retention_days);
        assert_eq!(retention(&[]), Ok(None));
        assert_eq!(retention(&[("RETENTION_DAYS", "365")]), Ok(Some(365)));
    }
}
