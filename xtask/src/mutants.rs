//! `cargo xtask chaos --mutants`: checks that chaos notices deliberate defects.

use std::process::Command;

use anyhow::{Result, bail};
use fs_err as fs;

use crate::builds::cargo;
use crate::checkout::{self, Lock};
use crate::files;
use crate::interrupt::Interrupted;
use crate::process::{self, command};
use crate::session::{Session, print, step};

/// Applies each mutant to a scratch checkout of HEAD. Fails if chaos misses one.
pub fn run() -> Result<()> {
    let session = Session::begin()?;
    let directory = checkout::scratch("mutants");
    let _lock = Lock::acquire(&directory, "cargo xtask chaos --mutants")?;
    files::empty_directory(&directory)?;
    let scratch = directory.join("checkout");
    let run = |command: &mut Command| process::run_in_foreground(command, &session.interrupt);
    run(command("git").args(["clone", "--quiet"]).arg(checkout::root()).arg(&scratch))?;
    let patches = checkout::path("xtask/chaos/mutants");
    let entries = fs::read_dir(&patches)?;
    let mut survivors = Vec::new();
    for patch in entries.flatten().map(|entry| entry.path()) {
        let name = patch.file_stem().unwrap_or_default().to_string_lossy();
        run(command("git").args(["checkout", "--quiet", "."]).current_dir(&scratch))?;
        run(command("git").arg("apply").arg(&patch).current_dir(&scratch))?;
        let log = directory.join(format!("{name}.log"));
        let mut chaos = cargo(&["xtask", "chaos", "--seed", "1"]);
        chaos.current_dir(&scratch).env("CARGO_TARGET_DIR", scratch.join("target"));
        let title = format!("run chaos with {name}");
        let outcome = step(&title, || Ok(process::run(&mut chaos, &log, &session.interrupt)))?;
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
