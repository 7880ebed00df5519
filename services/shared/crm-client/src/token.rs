//! What every call carries: the token, and the trace it is a part of.

use runtime::trace::{self, TraceParent};
use secrecy::{ExposeSecret, SecretString};
use tonic::{
    GrpcMethod, Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
};

use crate::span;

/// Adds `authorization: Bearer <token>` to every call, and `traceparent` where spans are collected. Does not print the token.
#[derive(Clone)]
pub struct Token(MetadataValue<Ascii>);

/// A token cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidToken {
    /// There is nothing in it.
    #[error("is empty")]
    Empty,
    /// A header has no room for these.
    #[error("holds characters that cannot be sent")]
    Characters,
}

impl Token {
    /// This token.
    ///
    /// # Errors
    /// [`InvalidToken`]
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
