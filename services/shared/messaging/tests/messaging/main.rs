//! Publisher, consumer and dead letters against a real broker.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod alarm;
mod consumer;
mod dead_letters;
mod pause;
mod publisher;
mod rights;
mod support;
mod topology;
