//! Checks the services and xtask: formatting, lints, unit and integration tests, and chaos with lints beside it.

use std::process::Command;
use std::thread::{self, available_parallelism};

use anyhow::{Result, anyhow};

use crate::backends::{BACKENDS, Backends};
use crate::builds::{self, cargo};
use crate::checkout;
use crate::cli::variable;
use crate::packages::find;
use crate::process::{self, command};
use crate::session::step;
use crate::stack::plan::Storage;

use super::Run;

/// More than one, because tests mostly wait for brokers and servers.
const TESTS_PER_CORE: usize = 2;
/// A fixed seed, so that failures are reproducible, and a load that a debug build can process.
const CHAOS: [&str; 5] = ["chaos", "--rate", "10", "--seed", "1"];
const ADVISORIES: &str = "known vulnerabilities";

fn clippy() -> Command {
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

impl Run<'_> {
    pub(super) fn rust(&mut self, with_clippy: bool) -> Result<()> {
        self.check("cargo fmt", &mut cargo(&["fmt", "--all", "--check"]))?;
        if with_clippy {
            self.check("cargo clippy", &mut clippy())?;
        }
        self.advisories()?;

        let mut backends = None;
        if BACKENDS.iter().any(|name| variable(name).is_none()) {
            backends = Some(Backends::start(&self.directory.join("backends"), Storage::Fast, self.session)?);
        }
        let threads = TESTS_PER_CORE * available_parallelism().map_or(1, usize::from);
        let mut tests = cargo(&["test", "--workspace", "--no-fail-fast"]);
        tests.env("RUST_TEST_THREADS", threads.to_string());
        tests.envs(backends.iter().flat_map(Backends::environment));
        self.check("cargo test", &mut tests)?;
        step("stop RabbitMQ and PostgreSQL", || {
            drop(backends);
            Ok(())
        })
    }

    /// Checks the dependencies against the RustSec database. A test in `tests/invariants.rs` checks their licences and
    /// sources.
    fn advisories(&mut self) -> Result<()> {
        if self.is_offline {
            self.skipped.push(ADVISORIES);
            return Ok(());
        }
        let Ok(deny) = find("cargo-deny") else {
            let help = "install cargo-deny with `cargo install --locked cargo-deny`, or skip this check with --offline";
            return self.count(ADVISORIES, Err(anyhow!(help)));
        };
        let check = ["--locked", "check", "advisories", "bans", "licenses", "sources"];
        self.check(ADVISORIES, command(deny).args(check).current_dir(checkout::root()))
    }

    pub(super) fn chaos(&mut self, with_clippy: bool) -> Result<()> {
        let program = builds::tool("chaos", false, self.session)?;
        let mut chaos = command(program);
        chaos.args(CHAOS);
        if !with_clippy {
            return self.check("chaos", &mut chaos);
        }
        let (session, log) = (self.session, self.directory.join("clippy.log"));
        let linted = thread::scope(|scope| -> Result<_> {
            let linting = scope.spawn(|| process::run(&mut clippy(), &log, &session.interrupt));
            self.check("chaos", &mut chaos)?;
            Ok(linting.join().unwrap_or_else(|_| Err(anyhow!("clippy's thread panicked"))))
        })?;
        self.count("cargo clippy", linted)
    }
}
