//! Checks the services and xtask: formatting, lints, unit and integration tests.

use std::path::PathBuf;
use std::thread::available_parallelism;

use crate::backends::Backends;
use crate::builds::{Builds, cargo, target};
use crate::error::Result;
use crate::ports::Ports;
use crate::process::{Invocation, which};

use super::{Run, no_tests, outcomes};

/// The tool that checks dependencies against deny.toml; built from source if not installed.
const CARGO_DENY: &str = "cargo-deny@0.20.2";

/// More than one, because tests mostly wait for brokers and servers.
const TESTS_PER_CORE: usize = 2;

impl Run<'_> {
    pub(super) fn rust(&mut self) -> Result<()> {
        let checkout = &self.session.checkout;
        self.check("cargo fmt", &cargo(checkout, &["fmt", "--all", "--check"]), no_tests)?;
        let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        self.check("cargo clippy", &cargo(checkout, &clippy), no_tests)?;
        self.dependencies()?;

        let mut backends = None;
        let directory = self.directory.join("backends");
        self.session.side_by_side(vec![
            Box::new(|| Builds::new(self.session, &self.directory).tests()),
            Box::new(|| {
                Backends::start(&directory, &Ports::free()?, self.rabbitmq, self.session)
                    .map(|started| backends = Some(started))
            }),
        ])?;
        let environment = backends.iter().flat_map(Backends::environment);
        let threads = TESTS_PER_CORE * available_parallelism().map_or(1, usize::from);
        let tests = cargo(checkout, &["test", "--workspace", "--no-fail-fast"])
            .env("RUST_TEST_THREADS", threads.to_string());
        let tests = environment.fold(tests, |tests, (name, value)| tests.env(name, value));
        self.check("cargo test", &tests, outcomes::of_cargo)?;
        self.session.progress.run("stop RabbitMQ and PostgreSQL", |_| {
            drop(backends);
            Ok(())
        })
    }

    /// Checks licences, sources and banned crates; advisories too, where their database can be fetched.
    fn dependencies(&mut self) -> Result<()> {
        let deny = match which("cargo-deny") {
            Some(installed) => installed,
            None => self.build_cargo_deny()?,
        };
        let check = ["--locked", "check", "bans", "licenses", "sources"];
        let run =
            |arguments: &[&str]| Invocation::new(&deny, arguments).directory(self.session.checkout.root());
        let (fetch, advisories) =
            (run(&["--locked", "fetch", "db"]), run(&["--locked", "check", "--disable-fetch", "advisories"]));
        self.check("cargo deny", &run(&check), no_tests)?;
        let log = self.directory.join("cargo-deny-fetch.log");
        let (progress, interrupt) = (&self.session.progress, &self.session.interrupt);
        if progress
            .run("fetch security advisories", |step| Ok(fetch.run(&log, step, interrupt)?.status.success()))?
        {
            return self.check("cargo deny advisories", &advisories, no_tests);
        }
        progress.line("Security advisories were not checked: cannot fetch their database.");
        Ok(())
    }

    fn build_cargo_deny(&mut self) -> Result<PathBuf> {
        let checkout = &self.session.checkout;
        let tools = target(checkout).join("tools");
        let deny = tools.join("bin/cargo-deny");
        if !deny.is_file() {
            let install = ["install", "--debug", "--locked", "--no-default-features", CARGO_DENY, "--root"];
            self.check("build cargo-deny", &cargo(checkout, &install).argument(&tools), no_tests)?;
        }
        Ok(deny)
    }
}
