//! `cargo xtask up | test | chaos | bench | demo-data | backends`: the whole system as child processes on one machine.

use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Parser;
use xtask::cli::{Cli, Command};
use xtask::session::{self, Session};
use xtask::{backends, builds, files, process, test, up};

fn main() -> ExitCode {
    session::exit(match Cli::parse().command {
        Command::Backends(options) => backends::run(&options),
        Command::Bench(options) => become_tool("bench", !options.small),
        Command::Chaos(options) if options.mutants => check_mutants(),
        Command::Chaos(_) => become_tool("chaos", false),
        Command::DemoData(_) => become_tool("demo-data", false),
        Command::Up(options) => up::run(&options),
        Command::Test(options) => test::run(&options),
    })
}

fn check_mutants() -> Result<()> {
    let mut script = process::command(files::path("xtask/chaos/mutants/check"));
    Session::begin("mutants")?.run("check that chaos notices every mutant", &mut script)
}

/// Builds a program and the services, and replaces this process by the program. Returns only on failure.
fn become_tool(name: &str, release: bool) -> Result<()> {
    let program = builds::tool(name, release, &Session::begin(name)?)?;
    let error = std::process::Command::new(&program)
        .args(std::env::args_os().skip(2))
        .exec();
    Err(anyhow!("cannot start {}: {error}", program.display()))
}
