//! The service on real parts: both databases, the broker, a socket.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod app;
mod consumer;
mod grpc;
mod store;
mod support;
mod watch;
