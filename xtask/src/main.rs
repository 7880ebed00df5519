//! `cargo xtask up | test | chaos | bench | backends`: the whole system as child processes on one machine.

use std::process::ExitCode;

use xtask::cli::{self, Command};
use xtask::error::{self, Result};
use xtask::{backends, bench, chaos, test, up};

fn main() -> ExitCode {
    error::exit(run())
}

fn run() -> Result<()> {
    let arguments = std::env::args_os().skip(1);
    match cli::parse(arguments, variable)? {
        Command::Backends => backends::run(),
        Command::Bench(options) => bench::run(&options, std::env::args_os().skip(2)),
        Command::Chaos(options) if options.mutants => chaos::mutants(),
        Command::Chaos(_) => chaos::run(std::env::args_os().skip(2)),
        Command::Up(options) => up::run(&options),
        Command::Test(options) => test::run(&options),
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where xtask reads its variables")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
