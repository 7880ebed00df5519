//! `cargo xtask up | test | chaos | bench | backends`: the whole system as child processes on one machine.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{self, ExitCode};

use anyhow::{Result, anyhow};
use xtask::builds;
use xtask::cli::{self, Command};
use xtask::session::{self, Session};
use xtask::{backends, mutants, test, up};

fn main() -> ExitCode {
    session::exit(match cli::parse() {
        Command::Backends => backends::run(),
        Command::Bench(options) => become_tool("bench", !options.small),
        Command::Chaos(options) if options.mutants => mutants::run(),
        Command::Chaos(_) => become_tool("chaos", false),
        Command::Up(options) => up::run(&options),
        Command::Test(options) => test::run(&options),
    })
}

/// Builds a program and the services, and replaces this process with the program; returns only on failure.
fn become_tool(name: &'static str, release: bool) -> Result<()> {
    let program: PathBuf = builds::tool(name, release, &Session::begin()?)?;
    let error = process::Command::new(&program).args(std::env::args_os().skip(1)).exec();
    Err(anyhow!("cannot start {}: {error}", program.display()))
}
