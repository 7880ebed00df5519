//! The service on real parts: both databases, the broker, a socket.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod app;
mod claims;
mod consumer;
mod grpc;
mod leases;
mod outage;
mod reports;
mod schema;
mod store;
mod support;
mod timeline;
mod watch;
