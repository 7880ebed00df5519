//! The service over a real socket, with a real broker and a real CRM.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bounds;
mod contract;
mod crash;
mod duplicates;
mod paths;
mod shutdown;
mod support;
