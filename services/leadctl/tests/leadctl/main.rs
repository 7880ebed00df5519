//! The binary against a running CRM and a running broker.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod export;
mod fake;
mod leads;
mod parked;
mod person;
mod support;
mod work;
