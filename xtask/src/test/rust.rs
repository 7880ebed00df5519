//! Checks the services and xtask: formatting, lints, unit and integration tests, and chaos with lints beside it.

use std::process::Command;
use std::thread::available_parallelism;

use anyhow::{Result, anyhow};

use crate::backends::Backends;
use crate::builds::{self, cargo};
use crate::cli::Part;
use crate::files;
use crate::packages::find;
use crate::process::command;
use crate::session::step;

use super::{ADVISORIES, Check, Run};

/// More than one, because tests mostly wait for brokers and servers.
const TESTS_PER_CORE: usize = 2;
/// A fixed seed, so that failures are reproducible, and a load that a debug build can process.
const CHAOS: [&str; 5] = ["chaos", "--rate", "10", "--seed", "1"];

fn clippy() -> Command {
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

impl Run<'_> {
    pub(super) fn rust(&mut self, others: Vec<Check>, parts: &[Part]) -> Result<()> {
        self.check("cargo fmt", &mut cargo(&["fmt", "--all", "--check"]))?;
        if !parts.contains(&Part::Chaos) {
            self.check("cargo clippy", &mut clippy())?;
        }
        self.advisories()?;

        let backends = self.backends.take();
        let threads = TESTS_PER_CORE * available_parallelism().map_or(1, usize::from);
        let mut tests = cargo(&["test", "--workspace", "--no-fail-fast"]);
        tests.env("RUST_TEST_THREADS", threads.to_string());
        tests.envs(backends.iter().flat_map(Backends::environment));
        self.check_beside(others, "cargo test", &mut tests)?;
        step("stop RabbitMQ and PostgreSQL", || {
            drop(backends);
            Ok(())
        })
    }

    /// Checks the dependencies against the RustSec database. A test in `tests/invariants.rs` checks their licences and
    /// sources.
    fn advisories(&mut self) -> Result<()> {
        if self.is_offline {
            return Ok(());
        }
        let Ok(deny) = find("cargo-deny") else {
            let help = "install cargo-deny with `cargo install --locked cargo-deny`, or skip this check with --offline";
            return self.count(ADVISORIES, Err(anyhow!(help)));
        };
        let check = ["--locked", "check", "advisories", "bans", "licenses", "sources"];
        self.check(ADVISORIES, command(deny).args(check).current_dir(files::root()))
    }

    /// Runs chaos, and lints beside it, which share nothing with the builds.
    pub(super) fn chaos(&mut self, parts: &[Part]) -> Result<()> {
        let program = builds::tool("chaos", false, self.session)?;
        let lints = parts.contains(&Part::Rust).then(|| ("cargo clippy", clippy()));
        self.check_beside(lints.into_iter().collect(), "chaos", command(program).args(CHAOS))
    }
}
