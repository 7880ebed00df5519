//! Checks the services and xtask: formatting, dependencies, unit and integration tests, and chaos.

use std::thread::available_parallelism;

use anyhow::Result;

use crate::builds::{self, cargo, linted};
use crate::files;
use crate::packages::find;
use crate::process::command;

use super::Run;

/// More than one, because tests mostly wait for brokers and servers.
const TESTS_PER_CORE: usize = 2;
/// A fixed seed, so that failures are reproducible, and a load that a debug build can process.
const CHAOS_ARGUMENTS: [&str; 4] = ["--rate", "10", "--seed", "1"];

const DENY: &str = "cargo deny";

impl Run<'_> {
    pub(super) fn rust(self) -> Result<()> {
        self.check("cargo fmt", &mut cargo(&["fmt", "--all", "--check"]))?;
        self.dependencies()?;

        let threads = TESTS_PER_CORE * available_parallelism().map_or(1, usize::from);
        let mut tests = linted(&["test", "--workspace", "--no-fail-fast"]);
        if self.kubectl_problem.is_some() {
            tests.args(["--", "--skip", "k8s::"]);
        }
        tests.env("RUST_TEST_THREADS", threads.to_string());
        tests.envs(self.backends.iter().flat_map(|it| it.environment()));
        self.check("cargo test", &mut tests)
    }

    /// Checks the licences, sources and bans of `deny.toml`. Known vulnerabilities are found by a daily job instead, because
    /// they are published without a change of the code.
    fn dependencies(self) -> Result<()> {
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

    pub(super) fn chaos(self) -> Result<()> {
        let program = builds::programs(linted, self.session)?.join("chaos");
        let mut chaos = command(program);
        // chaos builds the services, too.
        chaos.args(CHAOS_ARGUMENTS).envs(builds::LINTED);
        self.check("chaos", &mut chaos)
    }
}
