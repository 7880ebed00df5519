//! The desk over a real socket, with a real CRM: each test holds a line of the threat model in SECURITY.md, or a promise
//! to the sales team.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod leads;
mod links;
mod secrets;
mod support;
