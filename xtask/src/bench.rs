//! `cargo xtask bench`: builds the program that measures the system, and becomes it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::builds::Builds;
use crate::cli::BenchOptions;
use crate::error::{Error, Result};
use crate::files;
use crate::session::Session;

/// Builds it and hands it the arguments of the command; returns only when that fails.
pub fn run(options: &BenchOptions, arguments: impl Iterator<Item = OsString>) -> Result<()> {
    let program = build(!options.small, &Session::begin()?)?;
    let error = Command::new(&program).args(arguments).exec();
    Err(Error::failed(format!("cannot start {}: {error}", program.display())))
}

/// Builds it with the services, which it expects beside itself; returns its path.
pub fn build(release: bool, session: &Session) -> Result<PathBuf> {
    let logs = session.checkout.throw_away("bench-build");
    files::directory(&logs)?;
    Ok(Builds::new(session, &logs).with_tool("bench", release)?.join("bench"))
}
