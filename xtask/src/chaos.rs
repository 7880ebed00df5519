//! `cargo xtask chaos`: builds the chaos program and replaces this process with it, or tests it with mutants.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::builds::{Builds, cargo};
use crate::checkout::{Checkout, Lock};
use crate::error::{Error, Result};
use crate::files;
use crate::output;
use crate::process::Invocation;
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

/// Applies each mutant, a deliberate defect, to a scratch checkout of HEAD. Fails if chaos misses one.
pub fn mutants() -> Result<()> {
    let session = Session::begin()?;
    let directory = session.checkout.throw_away("mutants");
    let _lock = Lock::take(&directory, "cargo xtask chaos --mutants")?;
    files::empty_directory(&directory)?;
    let scratch = directory.join("checkout");
    let git = |arguments: &[&str]| Invocation::new("git", arguments);
    let setup = directory.join("git.log");
    git(&["clone", "--quiet"])
        .argument(session.checkout.root())
        .argument(&scratch)
        .run(&setup, &session.interrupt)?;
    let mut survivors = Vec::new();
    for (name, patch) in patches(&session.checkout)? {
        let log = directory.join(format!("{name}.log"));
        git(&["checkout", "--quiet", "."]).directory(&scratch).run(&setup, &session.interrupt)?;
        git(&["apply"]).argument(&patch).directory(&scratch).run(&log, &session.interrupt)?;
        let chaos = cargo(&session.checkout, &["xtask", "chaos", "--seed", "1"])
            .directory(&scratch)
            .env("CARGO_TARGET_DIR", scratch.join("target"));
        let outcome = session
            .progress
            .run(&format!("run chaos with {name}"), |_| Ok(chaos.run(&log, &session.interrupt)))?;
        let text = files::read(&log)?;
        let misses: Vec<&str> = text.lines().filter(|line| line.starts_with("MISS")).collect();
        match outcome {
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            // For example, the mutant does not compile.
            Err(error) if misses.is_empty() => return Err(error),
            Ok(()) => survivors.push(name),
            Err(_) => output::print(&format!("{}\n", misses.join("\n")))?,
        }
    }
    if survivors.is_empty() {
        return files::remove(&directory);
    }
    Err(Error::failed(format!("chaos did not notice {}", survivors.join(", "))))
}

/// The mutants' names and patch files.
fn patches(checkout: &Checkout) -> Result<Vec<(String, PathBuf)>> {
    let directory = checkout.root().join("xtask/chaos/mutants");
    let entries = std::fs::read_dir(&directory).map_err(|error| Error::file("read", &directory, &error))?;
    let mut patches: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    patches.sort();
    let named = |path: PathBuf| (path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), path);
    Ok(patches.into_iter().map(named).collect())
}
