//! Checks the services and xtask: formatting, dependencies, unit and integration tests, and chaos.

use std::thread::available_parallelism;

use anyhow::Result;

use crate::backends::Backends;
use crate::builds::{self, cargo, linted};
use crate::files;
use crate::packages::find;
use crate::process::command;
use crate::session::step;

use super::{Check, Run};

/// More than one, because tests mostly wait for brokers and servers.
const TESTS_PER_CORE: usize = 2;
/// A fixed seed, so that failures are reproducible, and a load that a debug build can process.
const CHAOS: [&str; 4] = ["--rate", "10", "--seed", "1"];

const DENY: &str = "cargo deny";

impl Run {
    /// Runs `others` beside the tests, whose deadlines are long. Chaos has promises of seconds, so it runs alone.
    pub(super) fn rust(&mut self, others: Vec<Check>, kubectl_problem: Option<&str>) -> Result<()> {
        self.check("cargo fmt", &mut cargo(&["fmt", "--all", "--check"]))?;
        self.dependencies()?;

        let backends = self.backends.take();
        let threads = TESTS_PER_CORE * available_parallelism().map_or(1, usize::from);
        let mut tests = linted(&["test", "--workspace", "--no-fail-fast"]);
        if kubectl_problem.is_some() {
            tests.args(["--", "--skip", "k8s::"]);
        }
        tests.env("RUST_TEST_THREADS", threads.to_string());
        tests.envs(backends.iter().flat_map(Backends::environment));
        self.check_beside(others, "cargo test", &mut tests)?;
        step("stop RabbitMQ and PostgreSQL", || {
            drop(backends);
            Ok(())
        })
    }

    /// Checks the licences, sources and bans of `deny.toml`. Known vulnerabilities are found by a daily job instead, because
    /// they are published without a change of the code.
    fn dependencies(&mut self) -> Result<()> {
        let Ok(deny) = find("cargo-deny") else {
            self.skip(
                DENY,
                "cargo-deny is not installed; run `cargo install --locked cargo-deny`",
            );
            return Ok(());
        };
        let check = ["--locked", "check", "bans", "licenses", "sources"];
        self.check(DENY, command(deny).args(check).current_dir(files::root()))
    }

    pub(super) fn chaos(&mut self) -> Result<()> {
        let program = builds::programs(linted, &self.session)?.join("chaos");
        // chaos builds the services, too.
        self.check("chaos", command(program).args(CHAOS).envs(builds::LINTED))
    }
}
