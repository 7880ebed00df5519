//! `cargo xtask test`: all checks. Their programs print their own progress and results.

mod browser;
mod chaos;
mod collector;
mod deploy;
mod prometheus;
mod rust;
mod site;

use std::path::PathBuf;
use std::time::Instant;

use crate::bench;
use crate::builds::Builds;
use crate::checkout::Lock;
use crate::cli::{Part, TestOptions};
use crate::error::{Error, Result};
use crate::files;
use crate::output;
use crate::process::Invocation;
use crate::progress::elapsed;
use crate::session::Session;
use crate::system::packages::{self, Package};

/// Runs the chosen parts in turn and prints which checks failed.
pub fn run(options: &TestOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin()?;
    let directory = session.checkout.throw_away("test");
    let _lock = Lock::take(&directory, "cargo xtask test")?;
    files::empty_directory(&directory)?;
    let parts = options.parts();
    let log = directory.join("packages.log");
    let packages = needed(&parts);
    session.side_by_side(vec![
        Box::new(|| packages::ensure(&packages, &log, &session.progress, &session.interrupt)),
        // The first build needs none of them.
        Box::new(|| {
            if parts.contains(&Part::Rust) { Builds::new(&session, &directory).tests() } else { Ok(()) }
        }),
    ])?;

    let mut run = Run { session: &session, directory: directory.clone(), passed: 0, failed: Vec::new() };
    // Clippy shares nothing with the builds, and chaos mostly waits.
    let is_beside_chaos = parts.contains(&Part::Chaos);
    for part in &parts {
        let outcome = match part {
            Part::Rust => run.rust(options.has_backends, is_beside_chaos),
            Part::Site => run.site(),
            Part::Deploy => run.deploy(),
            Part::Browser => run.browser(),
            Part::Chaos => run.chaos(parts.contains(&Part::Rust)),
            Part::Bench => run.bench(),
        };
        match outcome {
            Ok(()) => {}
            Err(Error::Interrupted) => {
                files::remove(&directory)?;
                return Err(Error::Interrupted);
            }
            Err(error) => run.note(part.into_str(), Err(error))?,
        }
    }
    let (passed, failed) = (run.passed, run.failed);
    let took = elapsed(started.elapsed());
    if failed.is_empty() {
        files::remove(&directory)?;
        return output::print(&format!("\nAll {passed} checks passed in {took}.\n"));
    }
    output::print(&format!(
        "\n{passed} checks passed and {} failed in {took}: {}.\nThe logs are in {}/.\n",
        failed.len(),
        failed.join(", "),
        session.checkout.shown(&directory)
    ))?;
    Err(Error::Reported)
}

fn needed(parts: &[Part]) -> Vec<Package> {
    let for_parts = |package: Package| -> &[Part] {
        match package {
            Package::RabbitMq | Package::Nginx => &[Part::Rust, Part::Browser, Part::Chaos, Part::Bench],
            Package::Postgres => &[Part::Rust, Part::Browser, Part::Chaos, Part::Bench],
            Package::Mtail => &[Part::Rust],
            Package::Kubectl => &[Part::Rust, Part::Deploy],
            Package::Python | Package::Shellcheck => &[Part::Deploy],
            Package::Prometheus => &[Part::Deploy, Part::Browser],
            Package::Chromium => &[Part::Browser],
            Package::Wrk => &[Part::Bench],
        }
    };
    Package::ALL
        .into_iter()
        .filter(|package| for_parts(*package).iter().any(|part| parts.contains(part)))
        .collect()
}

struct Run<'a> {
    session: &'a Session,
    directory: PathBuf,
    passed: usize,
    failed: Vec<String>,
}

impl Run<'_> {
    /// Runs a check to its end, and goes on after a failure.
    fn check(&mut self, title: &str, invocation: &Invocation) -> Result<()> {
        self.session.progress.line(&format!("\n… {title}"));
        let started = Instant::now();
        let outcome = invocation.run_in_foreground(&self.session.interrupt);
        let mark = if outcome.is_ok() { '✓' } else { '✗' };
        self.session.progress.line(&format!("{mark} {title:<50} {:>10}", elapsed(started.elapsed())));
        self.note(title, outcome)
    }

    /// Counts the outcome of a check. Only an interrupt is returned.
    fn note(&mut self, title: &str, outcome: Result<()>) -> Result<()> {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            Err(error) => {
                self.session.progress.line(&format!("\n{title}: {error}\n"));
                self.failed.push(title.to_owned());
            }
        }
        Ok(())
    }

    /// Checks that every figure of `cargo xtask bench` can be measured.
    fn bench(&mut self) -> Result<()> {
        let program = bench::build(false, self.session)?;
        // It stops its own processes on SIGTERM.
        self.check("bench", &Invocation::new(program, ["--small"]).death_signal("TERM"))
    }
}
