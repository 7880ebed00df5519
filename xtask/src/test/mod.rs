//! `cargo xtask test`: every check there is.

mod bench;
mod browser;
mod chaos;
mod collector;
mod counts;
mod prometheus;
mod rust;
mod site;
mod site_bench;

use std::path::PathBuf;
use std::time::Instant;

use crate::checkout::Lock;
use crate::cli::{Part, TestOptions};
use crate::error::{Error, Result};
use crate::files;
use crate::output;
use crate::process::{self, Invocation};
use crate::progress::elapsed;
use crate::session::Session;
use crate::system::packages::{self, Package};

use counts::Counts;

/// Runs the parts asked for, one after the other, and closes with how many tests ran.
pub fn run(options: &TestOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin()?;
    let directory = session.checkout.throw_away("test");
    let _lock = Lock::take(&directory, "cargo xtask test")?;
    files::empty_directory(&directory)?;
    let mut run = Run {
        session: &session,
        directory: directory.clone(),
        counts: Counts::default(),
        failures: Vec::new(),
    };
    let finished = run.parts(&options.parts);
    let Run { counts, failures, .. } = run;
    if let Err(error) = finished {
        if matches!(error, Error::Interrupted) {
            files::remove(&directory)?;
        }
        return Err(error);
    }

    session.progress.line(&format!("\nThat took {}.", elapsed(started.elapsed())));
    for failure in &failures {
        session.progress.line(&format!("failed: {failure}"));
    }
    // A step that failed without naming a test is one failure all the same.
    let failed = counts.failed.max(u64::from(!failures.is_empty()));
    if failed == 0 {
        files::remove(&directory)?;
    } else {
        session.progress.line(&format!("The logs are in {}/.", session.checkout.shown(&directory)));
    }
    output::print(&format!("{} passed, {failed} failed\n", counts.passed))?;
    if failed == 0 { Ok(()) } else { Err(Error::Reported) }
}

/// The state of one run.
struct Run<'a> {
    session: &'a Session,
    directory: PathBuf,
    counts: Counts,
    failures: Vec<String>,
}

impl Run<'_> {
    fn parts(&mut self, parts: &[Part]) -> Result<()> {
        let packages: Vec<Package> =
            [Package::RabbitMq, Package::Nginx, Package::Postgres, Package::Chromium, Package::Prometheus]
                .into_iter()
                .filter(|package| match package {
                    Package::Chromium | Package::Prometheus => parts.contains(&Part::Browser),
                    Package::Postgres => {
                        [Part::Rust, Part::Chaos, Part::Bench].iter().any(|part| parts.contains(part))
                    }
                    Package::RabbitMq | Package::Nginx => parts.iter().any(|part| *part != Part::Site),
                })
                .collect();
        let log = self.directory.join("packages.log");
        packages::ensure(&packages, &log, &self.session.progress, &self.session.interrupt)?;
        for part in parts {
            let outcome = match part {
                Part::Rust => self.rust(),
                Part::Site => self.site(),
                Part::Browser => self.browser(),
                Part::Chaos => self.chaos(),
                Part::Bench => self.bench(),
            };
            if let Err(error) = outcome {
                self.fail(&format!("{part:?}"), error)?;
            }
        }
        Ok(())
    }

    /// Runs one check; `count` reads how many tests ran from what it printed. Failures are noted, not returned.
    fn check(
        &mut self,
        title: &str,
        invocation: &Invocation,
        count: impl FnOnce(&[String]) -> Result<Counts>,
    ) -> Result<()> {
        let log = self.directory.join(format!("{}.log", title.replace(' ', "-")));
        let outcome = self.session.progress.run(title, |step| {
            let finished = invocation.run(&log, step, &self.session.interrupt)?;
            let counted = count(&finished.lines);
            if let Ok(counts) = counted {
                self.counts.add(counts);
            }
            // What failed stands wherever cargo came to it, often far from the end.
            let failures = counts::failures_of_cargo(&finished.lines);
            if !failures.is_empty() {
                let told = process::indent(failures.into_iter(), 300);
                return Err(Error::failed(format!("tests failed; see {}\n{told}", log.display())));
            }
            // A runner that failed says more than the report that it did not write.
            finished.success()?;
            let counts = counted?;
            if counts.failed > 0 {
                return Err(Error::failed(format!(
                    "{} tests failed, were ignored or were skipped; see {}",
                    counts.failed,
                    log.display()
                )));
            }
            Ok(())
        });
        outcome.or_else(|error| self.fail(title, error))
    }

    fn fail(&mut self, title: &str, error: Error) -> Result<()> {
        if matches!(error, Error::Interrupted) {
            return Err(error);
        }
        self.session.progress.line(&format!("\n{title}: {error}\n"));
        self.failures.push(title.to_owned());
        Ok(())
    }
}
