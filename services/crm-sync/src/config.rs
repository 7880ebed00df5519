//! Reads the settings from the environment.

use std::{net::SocketAddr, path::PathBuf};

use chrono::TimeDelta;
use runtime::config::{Invalid, Vars};

use tokens::SigningKeys;

use crate::{auth::Clients, db::settings::Settings, leads::suppression::SuppressionKey, tls::Certificate};

pub struct Config {
    pub grpc_addr: SocketAddr,
    /// `None`: no TLS.
    pub certificate: Option<Certificate>,
    pub clients: Clients,
    /// Verifies the tokens that name people at the desk.
    pub desk_keys: SigningKeys,
    pub messaging: messaging::Settings,
    pub database: Settings,
    pub suppression: SuppressionKey,
    /// Leads are erased after this; `None` keeps them.
    pub retention: Option<TimeDelta>,
}

impl Config {
    /// # Errors
    /// [`Invalid`] when a setting is missing or wrong; `vars` lists them all.
    pub fn read(vars: &mut Vars<'_>) -> Result<Self, Invalid> {
        let grpc_addr = vars.or("GRPC_ADDR", "127.0.0.1:50051", "gRPC listen address.");
        let certificate = read_certificate(vars, grpc_addr.ok());
        let messaging = messaging::Settings::read(vars, Some(messaging::topology::CRM_SYNC));
        let database = read_database(vars);
        let suppression = read_suppression(vars);
        let clients = read_clients(vars);
        let desk_keys = vars.parsed_secret(
            "DESK_SESSION_KEYS",
            "Keys by which the desk signs the names of people in its calls, the same as for desk, comma separated, at least 32 \
             characters each.",
        );
        let retention = read_retention(vars);
        Ok(Self {
            grpc_addr: grpc_addr?,
            certificate: certificate?,
            clients: clients?,
            desk_keys: desk_keys?,
            messaging: messaging?,
            database: database?,
            suppression: suppression?,
            retention: retention?,
        })
    }
}

fn read_certificate(
    vars: &mut Vars<'_>,
    address: Option<SocketAddr>,
) -> Result<Option<Certificate>, Invalid> {
    let chain = vars.optional::<PathBuf>(
        "GRPC_CERTIFICATE_FILE",
        "PEM file with the certificate chain for GRPC_ADDR; read again for each connection. Unset: no TLS.",
    );
    let key = vars.optional::<PathBuf>(
        "GRPC_KEY_FILE",
        "PEM file with the private key of GRPC_CERTIFICATE_FILE; read again for each connection.",
    );
    let plaintext = vars.or::<bool>(
        "GRPC_PLAINTEXT",
        "false",
        "Set to true to allow a GRPC_ADDR that is not loopback without TLS, if the network encrypts, e.g. a service mesh.",
    );
    match (chain?, key?, plaintext?) {
        (Some(chain), Some(key), _) => {
            let certificate = Certificate { chain, key };
            match certificate.read() {
                Ok(_) => Ok(Some(certificate)),
                Err(unusable) => vars.reject(format!("GRPC_CERTIFICATE_FILE and GRPC_KEY_FILE: {unusable}")),
            }
        }
        (None, None, true) => Ok(None),
        (None, None, false) if address.is_none_or(|address| address.ip().is_loopback()) => Ok(None),
        (None, None, false) => vars.reject(
            "GRPC_ADDR is not loopback: set GRPC_CERTIFICATE_FILE and GRPC_KEY_FILE, or GRPC_PLAINTEXT=true if the \
             network encrypts",
        ),
        (Some(_), None, _) | (None, Some(_), _) => {
            vars.reject("GRPC_CERTIFICATE_FILE and GRPC_KEY_FILE: set both or neither")
        }
    }
}

fn read_retention(vars: &mut Vars<'_>) -> Result<Option<TimeDelta>, Invalid> {
    let days = vars.optional::<u32>(
        "RETENTION_DAYS",
        "Days after submission until a lead is erased; leads with pending or failed deliveries are kept. Unset: never.",
    )?;
    if days == Some(0) {
        return vars.reject("RETENTION_DAYS=0: must be at least 1, or unset");
    }
    Ok(days.map(|days| TimeDelta::days(days.into())))
}

/// What `crm-sync migrate` needs.
pub struct Migration {
    pub database: Settings,
    /// The service's own PostgreSQL role; `None` when the service connects as the user that migrates.
    pub service_role: Option<String>,
}

impl Migration {
    /// # Errors
    /// [`Invalid`] when a setting is missing or wrong; `vars` lists them all.
    pub fn read(vars: &mut Vars<'_>) -> Result<Self, Invalid> {
        let database = read_database(vars);
        let service_role = vars.optional(
            "DATABASE_SERVICE_ROLE",
            "PostgreSQL role of the service, which gets the rights to read and write rows but not to change the schema.",
        );
        Ok(Self { database: database?, service_role: service_role? })
    }
}

/// Reads `DATABASE_URL` and `DATABASE_CONNECTIONS`.
///
/// # Errors
/// [`Invalid`] when one is missing or wrong; `vars` lists both.
fn read_database(vars: &mut Vars<'_>) -> Result<Settings, Invalid> {
    let url =
        vars.secret("DATABASE_URL", "Database, sqlite://PATH or postgres://USER:PASSWORD@HOST:PORT/NAME.");
    let connections = vars.or::<u32>(
        "DATABASE_CONNECTIONS",
        "10",
        "Maximum number of database connections; SQLite uses one more for writing.",
    );
    let (url, connections) = (url?, connections?);
    if connections == 0 {
        return vars.reject("DATABASE_CONNECTIONS=0: must be at least 1");
    }
    Settings::new(url, connections).or_else(|invalid| vars.reject(format!("DATABASE_URL {invalid}")))
}

fn read_suppression(vars: &mut Vars<'_>) -> Result<SuppressionKey, Invalid> {
    vars.parsed_secret(
        "SUPPRESSION_KEY",
        "Key of the hashes by which people who are not to be contacted are known after their leads are erased; at least 32 \
         characters. With another key these people are forgotten: never replace it.",
    )
}

fn read_clients(vars: &mut Vars<'_>) -> Result<Clients, Invalid> {
    vars.parsed_secret(
        "CRM_TOKENS",
        "Clients of the gRPC service, role:client=token, separated by commas or line ends; tokens have at least 32 \
         characters. Roles: intake, notifier, canary, desk, sales, operator.",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use runtime::config::load;

    use super::*;

    fn source(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let good = [
            ("AMQP_URL", "amqp://guest:guest@127.0.0.1:5672/%2f"),
            ("DATABASE_URL", "sqlite://crm.sqlite"),
            ("CRM_TOKENS", "operator:leadctl=0123456789abcdef0123456789abcdef"),
            ("SUPPRESSION_KEY", "0123456789abcdef0123456789abcdef"),
            ("DESK_SESSION_KEYS", "0123456789abcdef0123456789abcdef"),
        ];
        good.iter().chain(pairs).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn errors(pairs: &[(&str, &str)]) -> Vec<String> {
        load(&source(pairs), Config::read).err().map(|error| error.0).unwrap_or_default()
    }

    #[test]
    fn four_secrets_are_enough() {
        let config = load(&source(&[]), Config::read).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(config.grpc_addr.to_string(), "127.0.0.1:50051", "loopback by default");
    }

    #[test]
    fn grpc_is_encrypted_unless_it_stays_here_or_the_network_does_it() {
        let everywhere = ("GRPC_ADDR", "[::]:50051");
        assert!(errors(&[everywhere])[0].starts_with("GRPC_ADDR is not loopback"));
        assert!(errors(&[everywhere, ("GRPC_PLAINTEXT", "true")]).is_empty());
        assert!(errors(&[("GRPC_CERTIFICATE_FILE", "/x")])[0].contains("both or neither"));
        let missing = [everywhere, ("GRPC_CERTIFICATE_FILE", "/x"), ("GRPC_KEY_FILE", "/y")];
        assert!(errors(&missing)[0].contains("/x: "), "{:?}", errors(&missing));
    }

    #[test]
    fn everything_wrong_is_said_at_once_without_secrets() {
        let errors = errors(&[
            ("GRPC_ADDR", "here"),
            ("DATABASE_URL", "mysql://crm:hunter2@host/crm"),
            ("CRM_TOKENS", "operator:leadctl=hunter2"),
            ("SUPPRESSION_KEY", "hunter2"),
        ]);
        assert_eq!(errors.len(), 4, "{errors:?}");
        assert!(errors[0].starts_with("GRPC_ADDR="), "{errors:?}");
        assert_eq!(errors[1], "DATABASE_URL must begin with sqlite:// or postgres://");
        assert_eq!(errors[2], "SUPPRESSION_KEY: must have at least 32 characters");
        assert_eq!(errors[3], "CRM_TOKENS: the token of leadctl must have at least 32 characters");
    }

    #[test]
    fn nothing_set_names_all_that_must_be() {
        let error = load(&BTreeMap::new(), Config::read).err().unwrap();
        for name in ["AMQP_URL", "DATABASE_URL", "CRM_TOKENS", "SUPPRESSION_KEY"] {
            assert!(error.0.iter().any(|line| line.contains(name)), "{name}: {error}");
        }
    }

    #[test]
    fn leads_are_kept_for_good_unless_it_is_said_how_long() {
        let retention = |pairs: &[_]| load(&source(pairs), Config::read).ok().map(|config| config.retention);
        assert_eq!(retention(&[]), Some(None));
        assert_eq!(retention(&[("RETENTION_DAYS", "365")]), Some(Some(TimeDelta::days(365))));
        assert_eq!(errors(&[("RETENTION_DAYS", "0")]), ["RETENTION_DAYS=0: must be at least 1, or unset"]);
    }

    #[test]
    fn no_connections_would_be_no_database() {
        assert_eq!(errors(&[("DATABASE_CONNECTIONS", "0")]), ["DATABASE_CONNECTIONS=0: must be at least 1"]);
    }
}
