//! `cargo xtask chaos`: builds the chaos program and replaces this process with it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::builds::Builds;
use crate::error::{Error, Result};
use crate::files;
use crate::session::Session;

/// Builds the program and executes it with `arguments`; returns only on failure.
pub fn run(arguments: impl Iterator<Item = OsString>) -> Result<()> {
    let program = build(&Session::begin()?)?;
    let error = Command::new(&program).args(arguments).exec();
    Err(Error::failed(format!("cannot start {}: {error}", program.display())))
}

/// Builds the program and the services; returns its path.
pub fn build(session: &Session) -> Result<PathBuf> {
    let logs = session.checkout.throw_away("chaos-build");
    files::directory(&logs)?;
    Ok(Builds::new(session, &logs).all()?.join("chaos"))
}
