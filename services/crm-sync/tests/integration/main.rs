//! Integration tests of the service with both databases, a broker and sockets.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod app;
mod assign;
mod brochure;
mod canary;
mod claims;
mod consumer;
mod contacts;
mod corrections;
mod deliveries;
mod do_not_contact;
mod entered;
mod erasure_notices;
mod events;
mod export;
mod failed_deliveries;
mod grpc;
mod leases;
mod lookup;
mod outage;
mod pending;
mod people;
mod races;
mod reports;
mod requests;
mod retention;
mod routes;
mod schema;
mod statistics;
mod store;
mod support;
mod timeline;
mod tls;
mod visitor;
mod withdrawal;
mod work;
