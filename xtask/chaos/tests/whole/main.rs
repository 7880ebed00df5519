//! The whole system: the services' own programs, a broker, PostgreSQL and a mail server.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod canary;
mod collector;
mod crash;
mod erasure;
mod full_database;
mod hostile;
mod people;
mod system;
mod typed_fields;
mod versions;
