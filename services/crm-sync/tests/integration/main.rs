//! The service on real parts: both databases, the broker, a socket.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod app;
mod canary;
mod claims;
mod consumer;
mod contacts;
mod export;
mod grpc;
mod leases;
mod lookup;
mod outage;
mod people;
mod races;
mod reports;
mod retention;
mod schema;
mod statistics;
mod store;
mod support;
mod timeline;
mod untold;
mod visitor;
mod watch;
mod work;
