//! Integration tests of the service with a real broker and a real CRM.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bounds;
mod browser_errors;
mod contract;
mod crash;
mod duplicates;
mod late_consent;
mod paths;
mod posted_form;
mod shutdown;
mod support;
mod withdrawal;
