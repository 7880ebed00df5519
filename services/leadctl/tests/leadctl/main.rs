//! Integration tests of the binary with a running CRM and a running broker.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod dead_letters;
mod deliveries;
mod export;
mod leads;
mod person;
mod send;
mod support;
mod work;
