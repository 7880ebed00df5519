//! `cargo xtask bench`: builds the benchmark program and replaces this process with it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::builds::Builds;
use crate::cli::BenchOptions;
use crate::error::{Error, Result};
use crate::files;
use crate::session::Session;

/// Builds the program and executes it with `arguments`; returns only on failure.
pub fn run(options: &BenchOptions, arguments: impl Iterator<Item = OsString>) -> Result<()> {
    let program = build(!options.small, &Session::begin()?)?;
    let error = Command::new(&program).args(arguments).exec();
    Err(Error::failed(format!("cannot start {}: {error}", program.display())))
}

/// Builds the program and, in the same directory, the services; returns its path.
pub fn build(release: bool, session: &Session) -> Result<PathBuf> {
    let logs = session.checkout.throw_away("bench-build");
    files::directory(&logs)?;
    Ok(Builds::new(session, &logs).with_tool("bench", release)?.join("bench"))
}
