//! The CRM's addresses and this service's token.

use std::{path::PathBuf, time::Duration};

use crate::{
    address::{Address, Encryption, InvalidAddress},
    token::{InvalidToken, Token},
};
use runtime::config::{Invalid, Vars};
use secrecy::SecretString;

/// Short, as connecting within our own network either succeeds at once or not at all.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// Interval and timeout of HTTP/2 keepalive pings. Short, so that a failed connection is dropped before many calls wait
/// on it.
const KEEPALIVE: Duration = Duration::from_secs(2);

/// The replicas of the CRM and the token for them.
#[derive(Clone)]
pub struct Settings {
    pub(crate) replicas: Vec<Address>,
    pub(crate) token: Token,
}

/// An unusable address. Contains no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSettings {
    /// The list has no address.
    #[error("contains no address")]
    NoAddress,
    /// One cannot be used.
    #[error(transparent)]
    Address(#[from] InvalidAddress),
}

impl Settings {
    /// Takes one or more addresses, as [`Address::new`] does, separated by commas.
    ///
    /// # Errors
    /// [`InvalidSettings`] when an address is wrong or there is none.
    pub fn new(addresses: &str, token: Token, encryption: &Encryption) -> Result<Self, InvalidSettings> {
        let addresses = addresses.split(',').map(str::trim).filter(|address| !address.is_empty());
        let replicas =
            addresses.map(|address| replica(address, encryption)).collect::<Result<Vec<_>, _>>()?;
        if replicas.is_empty() {
            return Err(InvalidSettings::NoAddress);
        }
        Ok(Self { replicas, token })
    }

    /// Reads `CRM_URL`, `CRM_TOKEN`, `CRM_CA_FILE` and `GRPC_PLAINTEXT`.
    ///
    /// # Errors
    /// [`Invalid`] when one is missing or wrong.
    pub fn read(vars: &mut Vars<'_>) -> Result<Self, Invalid> {
        let addresses = vars.required::<String>(
            "CRM_URL",
            "gRPC address of the CRM, https://HOST:PORT, or http:// on this machine; separate several replicas with commas.",
        );
        let authorities = vars.optional::<PathBuf>(
            "CRM_CA_FILE",
            "PEM file with the CA certificates for https:// in CRM_URL; read again for each connection.",
        );
        let by_network = vars.or::<bool>(
            "GRPC_PLAINTEXT",
            "false",
            "Set to true to allow http:// to other machines in CRM_URL, if the network encrypts, e.g. a service mesh.",
        );
        let token =
            vars.secret("CRM_TOKEN", "Token of this service for the CRM, one of those in CRM_TOKENS.");
        let (addresses, token) = (addresses?, read_token(vars, &token?)?);
        let encryption = Encryption { authorities: authorities?, by_network: by_network? };
        Self::new(&addresses, token, &encryption)
            .or_else(|invalid| vars.reject(format!("CRM_URL: {invalid}")))
    }
}

fn read_token(vars: &mut Vars<'_>, token: &SecretString) -> Result<Token, Invalid> {
    Token::new(token).or_else(|invalid: InvalidToken| vars.reject(format!("CRM_TOKEN {invalid}")))
}

fn replica(address: &str, encryption: &Encryption) -> Result<Address, InvalidAddress> {
    let mut address = Address::new(address, encryption)?;
    address.endpoint = address
        .endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .keep_alive_while_idle(true);
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replicas(addresses: &str) -> Result<usize, InvalidSettings> {
        let token = Token::new(&"token".into()).unwrap();
        Settings::new(addresses, token, &Encryption::default()).map(|settings| settings.replicas.len())
    }

    #[test]
    fn each_replica_has_an_address() {
        assert_eq!(replicas("http://localhost:50051"), Ok(1));
        assert_eq!(replicas("http://127.0.0.1:50051, http://[::1]:50052,"), Ok(2));
        assert_eq!(replicas(" , "), Err(InvalidSettings::NoAddress));
        let malformed = InvalidAddress::Malformed("crm".to_owned());
        assert_eq!(replicas("http://localhost:50051, crm"), Err(InvalidSettings::Address(malformed)));
    }

    #[test]
    fn a_token_must_fit_a_header() {
        assert_eq!(Token::new(&"".into()).err(), Some(InvalidToken::Empty));
        assert_eq!(Token::new(&"a\nb".into()).err(), Some(InvalidToken::Characters));
    }
}
