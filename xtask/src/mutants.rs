//! `cargo xtask chaos --mutants`: checks that chaos notices deliberate defects.

use crate::builds::cargo;
use crate::checkout::{self, Lock};
use crate::files;
use crate::interrupt::Interrupted;
use crate::process::Invocation;
use crate::session::{Session, print, step};
use anyhow::{Result, bail};
use fs_err as fs;

/// Applies each mutant to a scratch checkout of HEAD. Fails if chaos misses one.
pub fn run() -> Result<()> {
    let session = Session::begin()?;
    let directory = checkout::scratch("mutants");
    let _lock = Lock::acquire(&directory, "cargo xtask chaos --mutants")?;
    files::empty_directory(&directory)?;
    let scratch = directory.join("checkout");
    let git = |arguments: &[&str]| Invocation::new("git", arguments);
    let clone = git(&["clone", "--quiet"]).argument(checkout::root()).argument(&scratch);
    clone.run_in_foreground(&session.interrupt)?;
    let patches = checkout::path("xtask/chaos/mutants");
    let entries = fs::read_dir(&patches)?;
    let mut survivors = Vec::new();
    for patch in entries.flatten().map(|entry| entry.path()) {
        let name = patch.file_stem().unwrap_or_default().to_string_lossy();
        git(&["checkout", "--quiet", "."]).directory(&scratch).run_in_foreground(&session.interrupt)?;
        git(&["apply"]).argument(&patch).directory(&scratch).run_in_foreground(&session.interrupt)?;
        let log = directory.join(format!("{name}.log"));
        let chaos = cargo(&["xtask", "chaos", "--seed", "1"])
            .directory(&scratch)
            .env("CARGO_TARGET_DIR", scratch.join("target"));
        let outcome = step(&format!("run chaos with {name}"), || Ok(chaos.run(&log, &session.interrupt)))?;
        let text = fs::read_to_string(&log)?;
        let misses: Vec<&str> = text.lines().filter(|line| line.starts_with("MISS")).collect();
        match outcome {
            Err(error) if error.is::<Interrupted>() => return Err(error),
            // For example, the mutant does not compile.
            Err(error) if misses.is_empty() => return Err(error),
            Ok(()) => survivors.push(name.into_owned()),
            Err(_) => print(&format!("{}\n", misses.join("\n")))?,
        }
    }
    if survivors.is_empty() {
        return files::remove(&directory);
    }
    bail!("chaos did not notice {}", survivors.join(", "))
}
