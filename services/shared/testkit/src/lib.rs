//! Disposable, real backends. Each test creates separate backends, which are deleted when the test ends.
//!
//! `cargo xtask test` starts the broker and the database server for the tests; `cargo xtask backends` only starts them.

/// Crates that only tests use. As dev-dependencies of the tested crates, they would enable other features than `cargo
/// build` does, and cargo would compile most of the workspace twice.
pub mod crates {
    pub use boon;
    pub use calamine;
}

pub mod alerts;
pub mod broker;
pub mod crm;
pub mod database;
pub mod lead;
pub mod management;
pub mod proxy;
pub mod smtp;
pub mod wait;

use std::{collections::BTreeMap, env, sync::Arc};

use chrono::{DateTime, Utc};
use runtime::{
    admin::Readiness,
    clock::ManualClock,
    config::{Validate, parse_from},
    lifecycle::Lifecycle,
    random::SequentialIds,
    service::Context,
    telemetry::Metrics,
};
use tracing::Level;

/// 2026-03-01 04:05:06 UTC, the initial time of test clocks.
pub fn start_of_time() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_337_906, 0).expect("within the range of dates")
}

/// Creates the context of a ready service for tests, and the clock that controls its time. The logs of the service are
/// printed if the test fails.
pub fn context(service: &'static str) -> (Context, ManualClock) {
    // Fails for each test of a process except the first.
    let _ = tracing_subscriber::fmt()
        .with_test_writer()
        .with_max_level(Level::INFO)
        .try_init();
    let lifecycle = Lifecycle::new();
    let clock = ManualClock::new(start_of_time());
    let readiness = Readiness::new(&lifecycle);
    readiness.set_ready();
    let context = Context {
        readiness,
        metrics: Metrics::new(service),
        clock: Arc::new(clock.clone()),
        ids: Arc::new(SequentialIds::default()),
        lifecycle,
    };
    (context, clock)
}

/// Parses and validates settings from variables, as a service does.
///
/// # Errors
/// The error message that the service prints.
pub fn settings<T: clap::Args + Validate>(
    variables: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> Result<T, String> {
    #[derive(clap::Parser)]
    enum Cli<T: clap::Args> {
        Serve(T),
    }

    let variables: BTreeMap<&str, &str> = variables.into_iter().collect();
    let source = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    let parsed =
        parse_from::<Cli<T>>(["service", "serve"], source).map_err(|error| error.to_string())?;
    let Cli::Serve(settings) = parsed.command;
    settings.validate()?;
    Ok(settings)
}

fn unique_name() -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "concurrent tests need unique names"
    )]
    let id = uuid::Uuid::new_v4();
    format!("test_{}", id.simple())
}

fn backend(variable: &str) -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only place that reads the addresses of test backends"
    )]
    let address = env::var(variable).ok();
    address
        .expect("no backends for tests: run `cargo xtask test`, or `cargo xtask backends` and what it prints")
}
