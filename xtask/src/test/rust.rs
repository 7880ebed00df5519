//! Checks the services and xtask: formatting, lints, unit and integration tests.

use std::thread::available_parallelism;

use crate::backends::Backends;
use crate::builds::{Builds, cargo};
use crate::error::Result;
use crate::ports::Ports;
use crate::process::{Invocation, which};

use super::Run;

/// More than one, because tests mostly wait for brokers and servers.
const TESTS_PER_CORE: usize = 2;

impl Run<'_> {
    pub(super) fn rust(&mut self, has_backends: bool) -> Result<()> {
        let checkout = &self.session.checkout;
        self.check("cargo fmt", &cargo(checkout, &["fmt", "--all", "--check"]))?;
        let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        self.check("cargo clippy", &cargo(checkout, &clippy))?;
        self.dependencies()?;

        let mut backends = None;
        let directory = self.directory.join("backends");
        self.session.side_by_side(vec![
            Box::new(|| Builds::new(self.session, &self.directory).tests()),
            Box::new(|| {
                if has_backends {
                    return Ok(());
                }
                Backends::start(&directory, &Ports::free()?, self.session)
                    .map(|started| backends = Some(started))
            }),
        ])?;
        let environment = backends.iter().flat_map(Backends::environment);
        let threads = TESTS_PER_CORE * available_parallelism().map_or(1, usize::from);
        let tests = cargo(checkout, &["test", "--workspace", "--no-fail-fast"])
            .env("RUST_TEST_THREADS", threads.to_string());
        let tests = environment.fold(tests, |tests, (name, value)| tests.env(name, value));
        self.check("cargo test", &tests)?;
        self.session.progress.run("stop RabbitMQ and PostgreSQL", |_| {
            drop(backends);
            Ok(())
        })
    }

    /// Checks the dependencies with cargo-deny if it is installed. A test in `tests/invariants.rs` checks their licences and
    /// sources everywhere.
    fn dependencies(&mut self) -> Result<()> {
        let Some(deny) = which("cargo-deny") else {
            self.session.progress.line("cargo-deny is not installed: security advisories are not checked.");
            return Ok(());
        };
        let check = ["--locked", "check", "advisories", "bans", "licenses", "sources"];
        self.check("cargo deny", &Invocation::new(deny, check).directory(self.session.checkout.root()))
    }
}
