//! `cargo xtask test`: all checks.

mod bench;
mod browser;
mod chaos;
mod collector;
mod outcomes;
mod prometheus;
mod rust;
mod site;
mod time;

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
use crate::stack::rabbitmq::Source;
use crate::system::packages::{self, Package};

use outcomes::Outcomes;
use time::{PartClock, PartTime};

/// Runs the chosen parts in turn, as often as requested, and prints the number of tests passed and failed.
pub fn run(options: &TestOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin()?;
    let directory = session.checkout.throw_away("test");
    let _lock = Lock::take(&directory, "cargo xtask test")?;
    files::empty_directory(&directory)?;
    let mut rounds = Vec::new();
    for round in 1..=options.repeat {
        if options.repeat > 1 {
            session.progress.line(&format!("\nround {round} of {}", options.repeat));
        }
        match Run::new(&session, directory.join(format!("round-{round}")), options.rabbitmq)?
            .parts(&options.parts())
        {
            Ok(outcomes) => rounds.push(outcomes),
            Err(Error::Interrupted) => {
                files::remove(&directory)?;
                return Err(Error::Interrupted);
            }
            Err(error) => return Err(error),
        }
    }
    session.progress.line(&format!("\nThat took {}.", elapsed(started.elapsed())));
    close(&rounds, &session, &directory)
}

/// Prints failures, and tests whose outcome differs between rounds.
fn close(rounds: &[Outcomes], session: &Session, directory: &std::path::Path) -> Result<()> {
    let differences = outcomes::differences(rounds);
    for (round, outcomes) in rounds.iter().enumerate() {
        for failure in outcomes.failures() {
            session.progress.line(&format!("failed in round {}: {failure}", round + 1));
        }
    }
    if rounds.len() > 1 {
        for difference in &differences {
            session.progress.line(&format!("differs between rounds: {difference}"));
        }
        session.progress.line(&format!(
            "{} rounds, {} tests with different outcomes",
            rounds.len(),
            differences.len()
        ));
    }
    let passed: usize = rounds.iter().map(Outcomes::passed).sum();
    let failed: usize = rounds.iter().map(|outcomes| outcomes.failures().count()).sum();
    let is_good = failed == 0 && differences.is_empty();
    if is_good {
        files::remove(directory)?;
    } else {
        session.progress.line(&format!("The logs are in {}/.", session.checkout.shown(directory)));
    }
    output::print(&format!("{passed} passed, {failed} failed\n"))?;
    if is_good { Ok(()) } else { Err(Error::Reported) }
}

struct Run<'a> {
    session: &'a Session,
    directory: PathBuf,
    rabbitmq: Source,
    outcomes: Outcomes,
}

/// For a check that counts as a single test.
fn no_tests(_: &[String]) -> Result<Outcomes> {
    Ok(Outcomes::default())
}

impl<'a> Run<'a> {
    fn new(session: &'a Session, directory: PathBuf, rabbitmq: Source) -> Result<Self> {
        files::directory(&directory)?;
        Ok(Self { session, directory, rabbitmq, outcomes: Outcomes::default() })
    }

    fn parts(mut self, parts: &[Part]) -> Result<Outcomes> {
        let packages: Vec<Package> = [
            Package::RabbitMq,
            Package::Nginx,
            Package::Postgres,
            Package::Chromium,
            Package::Prometheus,
            Package::Mtail,
            Package::Kubectl,
            Package::Wrk,
        ]
        .into_iter()
        .filter(|package| match package {
            Package::Prometheus => parts.contains(&Part::Browser),
            Package::Mtail | Package::Kubectl => parts.contains(&Part::Rust),
            Package::Chromium => parts.contains(&Part::Browser) || parts.contains(&Part::Bench),
            Package::Wrk => parts.contains(&Part::Bench),
            Package::Postgres => {
                [Part::Rust, Part::Chaos, Part::Bench].iter().any(|part| parts.contains(part))
            }
            Package::Nginx => parts.iter().any(|part| *part != Part::Site),
            Package::RabbitMq => {
                self.rabbitmq == Source::Package && parts.iter().any(|part| *part != Part::Site)
            }
        })
        .collect();
        let log = self.directory.join("packages.log");
        packages::ensure(&packages, &log, &self.session.progress, &self.session.interrupt)?;
        let mut times: Vec<PartTime> = Vec::new();
        for part in parts {
            let clock = PartClock::start();
            let outcome = match part {
                Part::Rust => self.rust(),
                Part::Site => self.site(),
                Part::Browser => self.browser(),
                Part::Chaos => self.chaos(),
                Part::Bench => self.bench(),
            };
            if let Err(error) = outcome {
                self.fail(part.into_str(), error)?;
            }
            times.push(clock.stop(part.into_str(), self.session.progress.take_ended()));
        }
        self.session.progress.line(&format!("\n{}", time::table(&times)));
        Ok(self.outcomes)
    }

    /// Runs one check. `read` extracts the tests' outcomes from its output; without any, the check counts as one test.
    /// Failures are recorded, not returned.
    fn check(
        &mut self,
        title: &str,
        invocation: &Invocation,
        read: impl FnOnce(&[String]) -> Result<Outcomes>,
    ) -> Result<()> {
        let log = self.directory.join(format!("{}.log", title.replace(' ', "-")));
        let mut seen = Outcomes::default();
        let outcome = self.session.progress.run(title, |step| {
            let finished = invocation.run(&log, step, &self.session.interrupt)?;
            let tests = read(&finished.lines);
            if let Ok(tests) = &tests {
                seen.add(tests);
            }
            // Cargo prints failures where they happen, often far from the end.
            let failures = outcomes::failures_of_cargo(&finished.lines);
            if !failures.is_empty() {
                let told = process::indent(failures.into_iter(), 300);
                return Err(Error::failed(format!("tests failed; see {}\n{told}", log.display())));
            }
            // A failed runner is reported first: its error explains a missing report.
            finished.success()?;
            tests?;
            let failed: Vec<&str> = seen.failures().collect();
            if !failed.is_empty() {
                let told = process::indent(failed.into_iter(), 300);
                return Err(Error::failed(format!(
                    "tests failed, were ignored or were skipped; see {}\n{told}",
                    log.display()
                )));
            }
            Ok(())
        });
        self.outcomes.add(&seen);
        match outcome {
            Ok(()) if seen.is_empty() => self.outcomes.note(title, true),
            Ok(()) => {}
            Err(error) if seen.failures().next().is_none() => return self.fail(title, error),
            Err(error) => return self.tell(title, error),
        }
        Ok(())
    }

    /// Records a failure that belongs to no test.
    fn fail(&mut self, title: &str, error: Error) -> Result<()> {
        self.outcomes.note(title, false);
        self.tell(title, error)
    }

    fn tell(&self, title: &str, error: Error) -> Result<()> {
        if matches!(error, Error::Interrupted) {
            return Err(error);
        }
        self.session.progress.line(&format!("\n{title}: {error}\n"));
        Ok(())
    }
}
