//! The CRM's addresses and this service's token.

use std::time::Duration;

use runtime::config::{Invalid, Vars};
use secrecy::SecretString;
use tonic::transport::Endpoint;

use crate::token::{InvalidToken, Token};

/// Short, as connecting within our own network either succeeds at once or not at all.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// Interval and timeout of HTTP/2 keepalive pings. Short, so that a dead connection is dropped before many calls wait
/// on it.
const KEEPALIVE: Duration = Duration::from_secs(2);

/// The replicas of the CRM and the token for them.
#[derive(Clone)]
pub struct Settings {
    pub(crate) replicas: Vec<Endpoint>,
    pub(crate) token: Token,
}

/// An unusable address. Contains no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSettings {
    /// The list has no address.
    #[error("names no address")]
    NoAddress,
    /// Not of the form `http://HOST:PORT`.
    #[error("{0:?} is no address: write http://HOST:PORT")]
    Address(String),
}

impl Settings {
    /// Takes one or more addresses of the form `http://host:port`, separated by commas.
    ///
    /// # Errors
    /// [`InvalidSettings`] when an address is wrong or there is none.
    pub fn new(addresses: &str, token: Token) -> Result<Self, InvalidSettings> {
        let addresses = addresses.split(',').map(str::trim).filter(|address| !address.is_empty());
        let replicas = addresses.map(endpoint).collect::<Result<Vec<_>, _>>()?;
        if replicas.is_empty() {
            return Err(InvalidSettings::NoAddress);
        }
        Ok(Self { replicas, token })
    }

    /// Reads `CRM_URL` and `CRM_TOKEN`.
    ///
    /// # Errors
    /// [`Invalid`] when one is missing or wrong.
    pub fn read(vars: &mut Vars<'_>) -> Result<Self, Invalid> {
        let addresses = vars.required::<String>(
            "CRM_URL",
            "The CRM's gRPC, http://host:port; several replicas separated by commas.",
        );
        let token = vars.secret("CRM_TOKEN", "The token the CRM knows this service by.");
        let (addresses, token) = (addresses?, read_token(vars, &token?)?);
        Self::new(&addresses, token).or_else(|invalid| vars.reject(format!("CRM_URL: {invalid}")))
    }
}

fn read_token(vars: &mut Vars<'_>, token: &SecretString) -> Result<Token, Invalid> {
    Token::new(token).or_else(|invalid: InvalidToken| vars.reject(format!("CRM_TOKEN {invalid}")))
}

fn endpoint(address: &str) -> Result<Endpoint, InvalidSettings> {
    let wrong = || InvalidSettings::Address(address.to_owned());
    if !address.starts_with("http://") {
        return Err(wrong());
    }
    let endpoint = Endpoint::from_shared(address.to_owned()).map_err(|_| wrong())?;
    Ok(endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .keep_alive_while_idle(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replicas(addresses: &str) -> Result<usize, InvalidSettings> {
        let token = Token::new(&"token".into()).unwrap();
        Settings::new(addresses, token).map(|settings| settings.replicas.len())
    }

    #[test]
    fn each_replica_has_an_address() {
        assert_eq!(replicas("http://crm:50051"), Ok(1));
        assert_eq!(replicas("http://10.0.0.1:50051, http://[::1]:50052,"), Ok(2));
        assert_eq!(replicas(" , "), Err(InvalidSettings::NoAddress));
        for wrong in ["crm:50051", "https://crm:50051", "http://a b"] {
            assert_eq!(replicas(wrong), Err(InvalidSettings::Address(wrong.to_owned())));
        }
    }

    #[test]
    fn a_token_must_fit_a_header() {
        assert_eq!(Token::new(&"".into()).err(), Some(InvalidToken::Empty));
        assert_eq!(Token::new(&"a\nb".into()).err(), Some(InvalidToken::Characters));
    }
}
