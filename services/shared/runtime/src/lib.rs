//! What every service needs to run, and nothing about leads: start and stop ([`lifecycle`]), logs, metrics and traces ([`telemetry`],
//! [`trace`]), settings ([`config`]), the admin port ([`admin`]), time ([`clock`]), ids ([`random`]), waiting before another try
//! ([`backoff`]) and, for tests, where to crash ([`crash`]).

#![warn(missing_docs)]

pub mod admin;
pub mod backoff;
pub mod clock;
pub mod config;
pub mod crash;
pub mod lifecycle;
pub mod random;
pub mod service;
pub mod telemetry;
pub mod trace;
