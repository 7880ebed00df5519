//! The client, against replicas that answer, refuse, stand still and break.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod failover;
mod replica;
