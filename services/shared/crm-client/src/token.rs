//! Metadata of every call: the token and the trace context.

use runtime::trace::{self, TraceParent};
use secrecy::{ExposeSecret, SecretString};
use tonic::{
    GrpcMethod, Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
};

use crate::span;

/// Adds `authorization: Bearer <token>` to every call, and `traceparent` where spans are collected. Not `Debug`, as it
/// is a secret.
#[derive(Clone)]
pub struct Token(MetadataValue<Ascii>);

/// A token that cannot be sent in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidToken {
    /// The token is empty.
    #[error("is empty")]
    Empty,
    /// The token contains characters that a header cannot hold.
    #[error("contains characters that cannot be sent in a header")]
    Characters,
}

impl Token {
    /// Marks the header value as sensitive.
    ///
    /// # Errors
    /// [`InvalidToken`] when it is empty or cannot be sent in a header.
    pub fn new(token: &SecretString) -> Result<Self, InvalidToken> {
        let token = token.expose_secret();
        if token.is_empty() {
            return Err(InvalidToken::Empty);
        }
        let mut value: MetadataValue<Ascii> =
            format!("Bearer {token}").parse().map_err(|_| InvalidToken::Characters)?;
        value.set_sensitive(true);
        Ok(Self(value))
    }
}

impl Interceptor for Token {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(method) = request.extensions().get::<GrpcMethod<'_>>() {
            span::name(method);
        }
        let metadata = request.metadata_mut();
        metadata.insert("authorization", self.0.clone());
        if let Some(trace) = TraceParent::current().and_then(|trace| trace.as_str().parse().ok()) {
            metadata.insert(trace::HEADER, trace);
        }
        Ok(request)
    }
}
