//! The CRM's addresses and this service's token.

use std::{path::PathBuf, time::Duration};

use crate::{
    address::{Address, Encryption, InvalidAddress},
    token::{InvalidToken, Token},
};
use clap::ArgAction;
use runtime::config::SECRETS;

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
}

#[derive(clap::Args)]
#[group(skip)]
struct Options {
    /// gRPC address of the CRM, https://HOST:PORT, or http:// on this machine; separate several replicas with commas
    #[arg(long)]
    crm_url: String,
    /// PEM file with the CA certificates for https:// in CRM_URL; read again for each connection
    #[arg(long)]
    crm_ca_file: Option<PathBuf>,
    /// Set to true to allow http:// to other machines in CRM_URL, if the network encrypts, e.g. a service mesh
    #[arg(long, action = ArgAction::Set, default_value_t = false)]
    grpc_plaintext: bool,
    /// Token of this service for the CRM, one of those in CRM_TOKENS
    #[arg(long, help_heading = SECRETS, value_parser = parse_token)]
    crm_token: Token,
}

runtime::settings_from_options!(Options => Settings);

impl TryFrom<Options> for Settings {
    type Error = String;

    fn try_from(options: Options) -> Result<Self, String> {
        let Options { crm_url, crm_ca_file, grpc_plaintext, crm_token } = options;
        let encryption = Encryption { authorities: crm_ca_file, by_network: grpc_plaintext };
        Self::new(&crm_url, crm_token, &encryption).map_err(|invalid| format!("CRM_URL: {invalid}"))
    }
}

fn parse_token(token: &str) -> Result<Token, InvalidToken> {
    Token::new(&token.into())
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
