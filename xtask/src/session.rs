//! One run of a command: its output, its parallel jobs, Ctrl-C, and the end of its processes.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use parking_lot::{Condvar, Mutex};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::process;

/// Interval of [`Interrupt::poll`].
const POLL: Duration = Duration::from_millis(50);

/// The error of a step that Ctrl-C or SIGTERM ended.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Whether the user wants everything to stop. Clones share one state.
#[derive(Clone, Default)]
pub struct Interrupt {
    shared: Arc<(Mutex<u32>, Condvar)>,
}

impl Interrupt {
    /// Raised by SIGINT, SIGTERM and SIGHUP for the life of the process.
    pub fn from_signals() -> Result<Self> {
        let interrupt = Self::default();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
        let raised = interrupt.clone();
        thread::spawn(move || signals.forever().for_each(|_| raised.raise()));
        Ok(interrupt)
    }

    pub fn raise(&self) {
        let (count, changed) = &*self.shared;
        *count.lock() += 1;
        changed.notify_all();
    }

    /// The number of times it was raised. The second time ends all grace periods.
    pub fn count(&self) -> u32 {
        *self.shared.0.lock()
    }

    /// `Err(Interrupted)` once raised.
    pub fn check(&self) -> Result<()> {
        if self.count() > 0 { Err(Interrupted.into()) } else { Ok(()) }
    }

    /// Waits up to `patience` for it to be raised, and returns whether it was.
    pub fn wait_timeout(&self, patience: Duration) -> bool {
        let (count, changed) = &*self.shared;
        let mut count = count.lock();
        changed.wait_while_for(&mut count, |count| *count == 0, patience);
        *count > 0
    }

    /// Polls `is_ready` until it returns true. Fails with `what` after `patience`, or when raised.
    pub fn poll(
        &self,
        what: &str,
        patience: Duration,
        mut is_ready: impl FnMut() -> Result<bool>,
    ) -> Result<()> {
        let deadline = Instant::now() + patience;
        loop {
            self.check()?;
            if is_ready()? {
                return Ok(());
            }
            if Instant::now() >= deadline {
                bail!("{what} within {} s", patience.as_secs());
            }
            self.wait_timeout(POLL);
        }
    }
}

/// Dropping the session of a command ends all remaining child processes.
pub struct Session {
    /// Ctrl-C and SIGTERM.
    pub interrupt: Interrupt,
    is_command: bool,
}

/// A job for a dedicated thread.
pub type Job<'a> = Box<dyn FnOnce() -> Result<()> + Send + 'a>;

impl Session {
    pub fn begin() -> Result<Self> {
        process::adopt_orphans()?;
        Ok(Self { interrupt: Interrupt::from_signals()?, is_command: true })
    }

    /// For a test, which shares its process with other tests: handles no signal and ends no process.
    pub fn in_test() -> Self {
        Self { interrupt: Interrupt::default(), is_command: false }
    }

    /// Runs jobs in parallel. If one fails, the others are interrupted and its error is returned.
    pub fn side_by_side(&self, jobs: Vec<Job<'_>>) -> Result<()> {
        let watched = |job: Job<'_>| job().inspect_err(|_| self.interrupt.raise());
        let outcomes: Vec<Result<()>> = thread::scope(|scope| {
            let threads: Vec<_> = jobs.into_iter().map(|job| scope.spawn(|| watched(job))).collect();
            let panicked = |_| Err(anyhow!("a step panicked; see its message above"));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
        });
        let (interrupted, failed): (Vec<_>, Vec<_>) =
            outcomes.into_iter().filter_map(Result::err).partition(|error| error.is::<Interrupted>());
        failed.into_iter().chain(interrupted).next().map_or(Ok(()), Err)
    }

    /// Runs a command to its end with its output where ours goes.
    pub fn run(&self, title: &str, command: &mut Command) -> Result<()> {
        step(title, || process::run_in_foreground(command, &self.interrupt))
    }

    pub fn wait_for_interrupt(&self) {
        while !self.interrupt.wait_timeout(Duration::from_secs(3600)) {}
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.is_command {
            process::kill_descendants();
        }
    }
}

/// Prints the error of a command; returns its exit status. Ctrl-C gives 130, as in shells.
pub fn exit(outcome: Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    line(format!("\n{error:#}"));
    if error.is::<Interrupted>() { ExitCode::from(130) } else { ExitCode::FAILURE }
}

/// Prints a result to standard output.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("cannot write to standard output")
}

/// Prints a line of progress to standard error.
pub fn line(text: impl Display) {
    // A terminal that was closed must not stop the system.
    let _ignored = writeln!(io::stderr(), "{text}");
}

/// Prints when a step starts, and how long it took.
pub fn step<T>(title: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    line(format!("… {title}"));
    let started = Instant::now();
    let outcome = work();
    let mark = if outcome.is_ok() { '✓' } else { '✗' };
    line(format!("{mark} {title:<50} {:>10}", elapsed(started.elapsed())));
    outcome
}

/// A readable duration: `0.4 s`, `12.0 s`, `3 min 05 s`.
pub fn elapsed(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 60.. => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}
