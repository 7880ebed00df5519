//! `cargo xtask chaos`: builds the program that breaks the system on purpose, and becomes it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::builds::Builds;
use crate::cli::ChaosOptions;
use crate::error::{Error, Result};
use crate::files;
use crate::session::Session;

/// Builds it and hands it the arguments of the command; returns only when that fails.
pub fn run(options: &ChaosOptions, arguments: impl Iterator<Item = OsString>) -> Result<()> {
    let program = build(options.release, &Session::begin()?)?;
    let error = Command::new(&program).args(arguments).exec();
    Err(Error::failed(format!("cannot start {}: {error}", program.display())))
}

/// Builds it with the services; returns its path.
pub fn build(release: bool, session: &Session) -> Result<PathBuf> {
    let logs = session.checkout.throw_away("chaos-build");
    files::directory(&logs)?;
    Ok(Builds::new(session, &logs).with_tool("chaos", release)?.join("chaos"))
}
