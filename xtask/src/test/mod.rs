//! `cargo xtask test`: all checks. Their programs print their progress and results.

mod browser;
mod deploy;
mod metrics;
mod rust;

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::builds::{self, npm};
use crate::checkout::{self, Lock};
use crate::cli::{Part, TestOptions};
use crate::files;
use crate::interrupt::Interrupted;
use crate::packages::{
    self, AGE, CHROMIUM, KUBECTL, MTAIL, NGINX, POSTGRES, PROMETHEUS, PYTHON, Package, RABBITMQ, SHELLCHECK,
    WRK,
};
use crate::process::command;
use crate::session::{Session, elapsed, line, print};

/// Runs the chosen parts in turn and prints which checks failed.
pub fn run(options: &TestOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin()?;
    let directory = checkout::scratch("test");
    let _lock = Lock::acquire(&directory, "cargo xtask test")?;
    files::empty_directory(&directory)?;
    let parts = options.parts();
    // The first build needs no packages of other systems.
    session.side_by_side(vec![
        Box::new(|| {
            packages::ensure(&needed(&parts), &session)?;
            if parts.contains(&Part::Deploy) { deploy::install_python(&directory, &session) } else { Ok(()) }
        }),
        Box::new(|| if parts.contains(&Part::Rust) { builds::tests(&session) } else { Ok(()) }),
        Box::new(|| install_npm_packages(&parts, &session)),
    ])?;

    let mut run = Run {
        session: &session,
        directory: directory.clone(),
        is_offline: options.offline,
        passed: 0,
        failed: Vec::new(),
        skipped: Vec::new(),
    };
    // Clippy shares nothing with the builds, and chaos mostly waits.
    let is_linted_beside_chaos = parts.contains(&Part::Rust) && parts.contains(&Part::Chaos);
    for part in parts {
        let outcome = match part {
            Part::Rust => run.rust(!is_linted_beside_chaos),
            Part::Site => run.site(),
            Part::Deploy => run.deploy(),
            Part::Browser => run.browser(),
            Part::Chaos => run.chaos(is_linted_beside_chaos),
            Part::Bench => run.bench(),
        };
        if let Err(error) = outcome {
            run.count(part.into_str(), Err(error))?;
        }
    }
    run.report(started)
}

fn needed(parts: &[Part]) -> Vec<&'static Package> {
    let mut needed: Vec<&Package> = Vec::new();
    for part in parts {
        needed.extend(match part {
            Part::Rust => vec![&RABBITMQ, &NGINX, &POSTGRES, &MTAIL, &KUBECTL, &AGE],
            Part::Site => vec![],
            Part::Deploy => vec![&KUBECTL, &PYTHON, &SHELLCHECK, &PROMETHEUS],
            Part::Browser => vec![&RABBITMQ, &NGINX, &POSTGRES, &CHROMIUM],
            Part::Chaos => vec![&RABBITMQ, &NGINX, &POSTGRES],
            Part::Bench => vec![&RABBITMQ, &NGINX, &POSTGRES, &WRK],
        });
    }
    needed.sort_by_key(|package| std::ptr::from_ref(*package));
    needed.dedup_by(|one, other| std::ptr::eq(*one, *other));
    needed
}

fn install_npm_packages(parts: &[Part], session: &Session) -> Result<()> {
    for (directory, users) in
        [("frontend", [Part::Site, Part::Browser].as_slice()), ("deploy/maildev", &[Part::Browser])]
    {
        if users.iter().any(|part| parts.contains(part)) {
            builds::packages(&checkout::path(directory), session)?;
        }
    }
    Ok(())
}

struct Run<'a> {
    session: &'a Session,
    directory: PathBuf,
    /// Whether checks that need the network are skipped.
    is_offline: bool,
    passed: usize,
    failed: Vec<String>,
    skipped: Vec<&'static str>,
}

impl Run<'_> {
    /// Checks the site and `art` without a browser: types, style, unit tests, build, size budgets.
    fn site(&mut self) -> Result<()> {
        self.check("drawings", &mut command(checkout::path("art/check")))?;
        for script in ["check", "test"] {
            let mut check = npm(&checkout::path("frontend"), &["run", script]);
            self.check(&format!("npm run {script}"), &mut check)?;
        }
        // The build also checks the size budgets.
        let built = builds::site(self.session).map(drop);
        self.count("build the site", built)
    }

    /// Checks that every figure of `cargo xtask bench` can be measured.
    fn bench(&mut self) -> Result<()> {
        let program = builds::tool("bench", false, self.session)?;
        self.check("bench", command(program).args(["bench", "--small"]))
    }

    /// Runs a check to its end, and goes on after a failure.
    fn check(&mut self, title: &str, command: &mut Command) -> Result<()> {
        line("");
        let outcome = self.session.run(title, command);
        self.count(title, outcome)
    }

    /// Counts the outcome of a check. Only an interrupt is returned.
    fn count(&mut self, title: &str, outcome: Result<()>) -> Result<()> {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(error) if error.is::<Interrupted>() => return Err(error),
            Err(error) => {
                line(format!("\n{title}: {error:#}\n"));
                self.failed.push(title.to_owned());
            }
        }
        Ok(())
    }

    fn report(self, started: Instant) -> Result<()> {
        let Self { passed, failed, skipped, directory, .. } = self;
        let took = elapsed(started.elapsed());
        if !skipped.is_empty() {
            print(&format!("\nSKIPPED because of --offline: {}.\n", skipped.join(", ")))?;
        }
        if failed.is_empty() {
            files::remove(&directory)?;
            return print(&format!("\nAll {passed} checks passed in {took}.\n"));
        }
        let (count, names, logs) = (failed.len(), failed.join(", "), checkout::shown(&directory));
        bail!("{passed} checks passed and {count} failed in {took}: {names}.\nThe logs are in {logs}/.")
    }
}
