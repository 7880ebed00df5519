//! Publisher, consumer and parked messages against a real broker.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod alarm;
mod consumer;
mod copies;
mod parked;
mod pause;
mod publisher;
mod rights;
mod support;
mod topology;
