//! Tests the client with replicas that answer, reject calls, hang and crash.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod failover;
mod replica;
