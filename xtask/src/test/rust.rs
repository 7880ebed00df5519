//! Checks the services and xtask: formatting, known vulnerabilities, unit and integration tests, and chaos.

use std::thread::available_parallelism;

use anyhow::{Result, anyhow};

use crate::backends::Backends;
use crate::builds::{self, cargo, linted};
use crate::files;
use crate::packages::find;
use crate::process::command;
use crate::session::step;

use super::{ADVISORIES, Check, Run};

/// More than one, because tests mostly wait for brokers and servers.
const TESTS_PER_CORE: usize = 2;
/// A fixed seed, so that failures are reproducible, and a load that a debug build can process.
const CHAOS: [&str; 4] = ["--rate", "10", "--seed", "1"];

impl Run {
    /// Runs `others` beside the tests, whose deadlines are long. Chaos has promises of seconds, so it runs alone.
    pub(super) fn rust(&mut self, others: Vec<Check>) -> Result<()> {
        self.check("cargo fmt", &mut cargo(&["fmt", "--all", "--check"]))?;
        self.advisories()?;

        let backends = self.backends.take();
        let threads = TESTS_PER_CORE * available_parallelism().map_or(1, usize::from);
        let mut tests = linted(&["test", "--workspace", "--no-fail-fast"]);
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
            return self.count(ADVISORIES, Err(anyhow!("{ADVISORIES}: {help}")));
        };
        let check = [
            "--locked",
            "check",
            "advisories",
            "bans",
            "licenses",
            "sources",
        ];
        self.check(
            ADVISORIES,
            command(deny).args(check).current_dir(files::root()),
        )
    }

    pub(super) fn chaos(&mut self) -> Result<()> {
        let program = builds::programs(linted, &self.session)?.join("chaos");
        // chaos builds the services, too.
        self.check("chaos", command(program).args(CHAOS).envs(builds::LINTS))
    }
}
