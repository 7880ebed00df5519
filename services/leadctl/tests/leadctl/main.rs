//! The binary against a running CRM and a running broker.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod leads;
mod parked;
mod support;
