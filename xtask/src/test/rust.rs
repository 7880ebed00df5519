//! Checks the services and xtask: formatting, dependencies, unit and integration tests, and chaos.

use std::process::Command;
use std::thread::available_parallelism;

use anyhow::Result;

use crate::backends::Backends;
use crate::builds::{self, cargo, linted};
use crate::files;
use crate::packages::find;
use crate::process::command;
use crate::session::step;

use super::{Check, Lane, Run};

/// More than one, because tests mostly wait for brokers and servers.
const TESTS_PER_CORE: usize = 2;
/// A fixed seed, so that failures are reproducible, and a load that a debug build can process.
const CHAOS_ARGUMENTS: [&str; 4] = ["--rate", "10", "--seed", "1"];

/// Chaos has promises of seconds, and waits most of the time. The tests have long deadlines.
const TESTS_NICENESS: i32 = 10;
const OTHERS_NICENESS: i32 = 15;

const CHAOS: &str = "chaos";
const DENY: &str = "cargo deny";

impl Run {
    /// Runs chaos, if wanted, and `others` beside the tests.
    pub(super) fn rust(
        &mut self,
        others: Vec<Check>,
        with_chaos: bool,
        kubectl_problem: Option<&str>,
    ) -> Result<()> {
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
        let mut lanes = vec![
            Lane {
                niceness: TESTS_NICENESS,
                checks: vec![("cargo test", tests)],
            },
            Lane {
                niceness: OTHERS_NICENESS,
                checks: others,
            },
        ];
        if with_chaos {
            lanes.push(Lane {
                niceness: 0,
                checks: vec![(CHAOS, self.chaos_command()?)],
            });
        }
        self.check_side_by_side(lanes)?;
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
        let mut chaos = self.chaos_command()?;
        self.check(CHAOS, &mut chaos)
    }

    fn chaos_command(&self) -> Result<Command> {
        let program = builds::programs(linted, &self.session)?.join("chaos");
        let mut chaos = command(program);
        // chaos builds the services, too.
        chaos.args(CHAOS_ARGUMENTS).envs(builds::LINTED);
        Ok(chaos)
    }
}
