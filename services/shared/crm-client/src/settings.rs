//! The CRM's addresses, and the metadata of every call to it: this service's token and the trace context.

use std::time::Duration;

use runtime::{
    config::{SECRETS, Validate},
    trace,
};
use secrecy::{ExposeSecret, SecretString};
use tonic::{
    GrpcMethod, Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
};
use tracing::Span;

use crate::address::{Address, Encryption, InvalidAddress};

/// Short, because a connection within the internal network succeeds immediately or fails.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// Interval and timeout of HTTP/2 keepalive pings. Short, to drop a failed connection before many calls wait for it.
const KEEPALIVE: Duration = Duration::from_secs(2);

#[derive(Clone, clap::Args)]
#[group(skip)]
pub struct Settings {
    /// gRPC address of the CRM, https://HOST:PORT, or http:// on this machine; separate several replicas with commas
    #[arg(long, env)]
    crm_url: String,
    #[command(flatten)]
    encryption: Encryption,
    /// Token of this service for the CRM, one of those in CRM_TOKENS
    #[arg(long, env, help_heading = SECRETS, value_parser = |token: &str| Token::new(&token.into()))]
    pub(crate) crm_token: Token,
}

impl Validate for Settings {
    fn validate(&self) -> Result<(), String> {
        match self.parse_addresses() {
            Ok(_) => Ok(()),
            Err(invalid) => Err(format!("CRM_URL: {invalid}")),
        }
    }
}

impl Settings {
    /// `addresses` are one or more addresses, separated by commas; see [`Address::new`].
    ///
    /// # Errors
    /// [`InvalidAddress`] if an address is invalid or the list is empty.
    pub fn new(
        addresses: &str,
        token: Token,
        encryption: Encryption,
    ) -> Result<Self, InvalidAddress> {
        let settings = Self {
            crm_url: addresses.to_owned(),
            encryption,
            crm_token: token,
        };
        settings.parse_addresses()?;
        Ok(settings)
    }

    /// Returns the address of each replica.
    pub(crate) fn parse_addresses(&self) -> Result<Vec<Address>, InvalidAddress> {
        let addresses = self
            .crm_url
            .split(',')
            .map(str::trim)
            .filter(|address| !address.is_empty())
            .map(|address| self.parse_address(address))
            .collect::<Result<Vec<_>, _>>()?;
        if addresses.is_empty() {
            return Err(InvalidAddress::Missing);
        }
        Ok(addresses)
    }

    fn parse_address(&self, address: &str) -> Result<Address, InvalidAddress> {
        let mut address = Address::new(address, &self.encryption)?;
        address.endpoint = address
            .endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEPALIVE)
            .keep_alive_timeout(KEEPALIVE)
            .keep_alive_while_idle(true);
        Ok(address)
    }
}

/// Adds `authorization: Bearer <token>` and `traceparent` to every call. Not `Debug`, because the token is secret.
#[derive(Clone)]
pub struct Token(MetadataValue<Ascii>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is empty, or contains characters that cannot be sent in a header")]
pub struct InvalidToken;

impl Token {
    /// Marks the header value as sensitive.
    ///
    /// # Errors
    /// [`InvalidToken`]
    pub fn new(token: &SecretString) -> Result<Self, InvalidToken> {
        let token = token.expose_secret();
        let value = Some(format!("Bearer {token}")).filter(|_| !token.is_empty());
        let mut value: MetadataValue<Ascii> =
            value.and_then(|it| it.parse().ok()).ok_or(InvalidToken)?;
        value.set_sensitive(true);
        Ok(Self(value))
    }
}

impl Interceptor for Token {
    /// Also renames the current span after the method, which only the interceptor can read.
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(method) = request.extensions().get::<GrpcMethod<'_>>() {
            let span = Span::current();
            span.record("rpc.service", method.service())
                .record("rpc.method", method.method());
            trace::rename_span(&span, format!("{}/{}", method.service(), method.method()));
        }
        let metadata = request.metadata_mut();
        metadata.insert("authorization", self.0.clone());
        if let Some(traceparent) = trace::current_traceparent().and_then(|text| text.parse().ok()) {
            metadata.insert(trace::HEADER, traceparent);
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replicas(addresses: &str) -> Result<usize, InvalidAddress> {
        let token = Token::new(&"token".into()).unwrap();
        let settings = Settings::new(addresses, token, Encryption::default())?;
        Ok(settings.parse_addresses()?.len())
    }

    #[test]
    fn each_replica_has_an_address() {
        assert_eq!(replicas("http://localhost:50051"), Ok(1));
        assert_eq!(
            replicas("http://127.0.0.1:50051, http://[::1]:50052,"),
            Ok(2)
        );
        assert_eq!(replicas(" , "), Err(InvalidAddress::Missing));
        let malformed = InvalidAddress::Malformed("crm".to_owned());
        assert_eq!(replicas("http://localhost:50051, crm"), Err(malformed));
    }

    #[test]
    fn rejects_token_unfit_for_a_header() {
        for token in ["", "a\nb"] {
            assert_eq!(Token::new(&token.into()).err(), Some(InvalidToken));
        }
    }
}
