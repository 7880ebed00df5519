//! Infrastructure of all services, independent of leads: start and stop ([`lifecycle`]), logs, metrics and traces
//! ([`telemetry`], [`trace`]), settings ([`config`]), the admin port ([`admin`]), time ([`clock`]), ids ([`random`]), reloaded
//! files ([`reload`]), waits between retries ([`backoff`]), rate limits ([`limit`]) and crash points for tests ([`crash`]).

pub mod admin;
pub mod backoff;
pub mod clock;
pub mod config;
pub mod crash;
pub mod http;
pub mod lifecycle;
pub mod limit;
pub mod network;
pub mod random;
pub mod reload;
pub mod service;
pub mod telemetry;
pub mod trace;
