//! Tests the desk with a real CRM: the threat model in SECURITY.md and the promises to the sales team.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod leads;
mod links;
mod report;
mod secrets;
mod settings;
mod support;
