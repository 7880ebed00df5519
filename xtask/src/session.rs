//! One run of a command: its lock, output, parallel jobs and child processes, and Ctrl-C.

use std::fmt::Display;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use fs_err as fs;
use parking_lot::{Condvar, Mutex};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tempfile::TempDir;

use crate::{files, process};

/// Interval of [`Interrupt::poll`].
const POLL: Duration = Duration::from_millis(50);

/// The error of a step that a signal or a failed parallel job ended.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// A request to stop everything. Clones share one state.
#[derive(Clone, Default)]
pub struct Interrupt {
    shared: Arc<(Mutex<u32>, Condvar)>,
}

impl Interrupt {
    pub fn raise(&self) {
        let (count, changed) = &*self.shared;
        *count.lock() += 1;
        changed.notify_all();
    }

    /// The number of requests. The second ends all grace periods.
    pub fn count(&self) -> u32 {
        *self.shared.0.lock()
    }

    /// Fails with [`Interrupted`] once raised.
    pub fn check(&self) -> Result<()> {
        if self.count() > 0 {
            Err(Interrupted.into())
        } else {
            Ok(())
        }
    }

    /// Waits at most `patience` until raised. Returns whether it was raised.
    pub fn wait_timeout(&self, patience: Duration) -> bool {
        let (count, changed) = &*self.shared;
        let mut count = count.lock();
        changed.wait_while_for(&mut count, |count| *count == 0, patience);
        *count > 0
    }

    /// Polls `is_ready` until it returns true. Fails when raised, and after `patience` with the message `what`.
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

/// A command of xtask. Dropping it kills all remaining child processes, and removes their temporary files.
pub struct Session {
    /// Raised by SIGINT, SIGTERM and SIGHUP.
    pub interrupt: Interrupt,
    /// For the temporary files of child processes, because an interrupted pip, linker or test leaves its own.
    temporary: Option<TempDir>,
    /// Excludes a second command of the same name. The kernel releases it however the process ends.
    lock: Option<fs::File>,
}

/// A job for a dedicated thread.
pub type Job<'a> = Box<dyn FnOnce() -> Result<()> + Send + 'a>;

impl Session {
    /// Starts the command `name`. Fails if it already runs in this checkout.
    pub fn begin(name: &str) -> Result<Self> {
        process::adopt_orphans()?;
        let directory = files::path("target/test-stack");
        fs::create_dir_all(&directory)?;
        let lock = fs::File::create(directory.join(format!("{name}.lock")))?;
        lock.try_lock().with_context(|| {
            format!("cargo xtask {name} already runs in this checkout: stop it with Ctrl-C, or use another checkout")
        })?;
        let interrupt = Interrupt::default();
        let raised = interrupt.clone();
        let mut signals =
            Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
        thread::spawn(move || signals.forever().for_each(|_| raised.raise()));
        let temporary = TempDir::with_prefix("zyon-grand-")?;
        // Tests run PostgreSQL in it, as another user.
        fs::set_permissions(temporary.path(), Permissions::from_mode(0o711))?;
        Ok(Self {
            interrupt,
            temporary: Some(temporary),
            lock: Some(lock),
        })
    }

    /// For a test, which shares its process with other tests: handles no signal and kills no process.
    pub fn in_test() -> Self {
        Self {
            interrupt: Interrupt::default(),
            temporary: None,
            lock: None,
        }
    }

    /// Runs jobs in parallel. If a job fails, interrupts the others and returns its error.
    pub fn side_by_side(&self, jobs: Vec<Job<'_>>) -> Result<()> {
        let watched = |job: Job<'_>| job().inspect_err(|_| self.interrupt.raise());
        let outcomes: Vec<Result<()>> = thread::scope(|scope| {
            let threads: Vec<_> = jobs
                .into_iter()
                .map(|job| scope.spawn(|| watched(job)))
                .collect();
            let panicked = |_| Err(anyhow!("a step panicked; see its message above"));
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(panicked))
                .collect()
        });
        let (interrupted, failed): (Vec<_>, Vec<_>) = outcomes
            .into_iter()
            .filter_map(Result::err)
            .partition(|error| error.is::<Interrupted>());
        failed
            .into_iter()
            .chain(interrupted)
            .next()
            .map_or(Ok(()), Err)
    }

    /// Runs a command to its end. Its output goes to the terminal.
    pub fn run(&self, title: &str, command: &mut Command) -> Result<()> {
        step(title, || {
            self.interrupt.check()?;
            let command = self.with_temporary(command);
            process::wait(
                command.spawn().context("cannot start setpriv")?,
                &self.interrupt,
            )
        })
    }

    /// Runs a command to its end. Its output goes to a file.
    pub fn run_with_log(&self, title: &str, command: &mut Command, log: &Path) -> Result<()> {
        step(title, || {
            process::run(self.with_temporary(command), log, &self.interrupt)
        })
    }

    fn with_temporary<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let directory = self.temporary.iter();
        command.envs(directory.map(|directory| ("TMPDIR", directory.path())))
    }

    /// Runs a command that must not be stopped half-way. An interrupt takes effect at its end.
    pub fn run_to_end(&self, title: &str, command: &mut Command) -> Result<()> {
        step(title, || {
            self.interrupt.check()?;
            let mut child = command.spawn().context("cannot start setpriv")?;
            let mut is_told = false;
            let status = loop {
                if let Some(status) = child.try_wait()? {
                    break status;
                }
                if self.interrupt.count() == 0 {
                    self.interrupt.wait_timeout(POLL);
                    continue;
                }
                if !is_told {
                    line(format!("Stopping after this step: {title}"));
                    is_told = true;
                }
                thread::sleep(POLL);
            };
            self.interrupt.check()?;
            ensure!(status.success(), "{status}");
            Ok(())
        })
    }

    /// Prints a question and returns the line that the user types, without spaces around it.
    pub fn ask(&self, question: &str) -> Result<String> {
        print(question)?;
        let (sender, answers) = mpsc::channel();
        // This thread waits forever if an interrupt ends the question.
        thread::spawn(move || {
            let mut answer = String::new();
            let outcome = io::stdin().read_line(&mut answer).map(|_| answer);
            let _interrupted = sender.send(outcome);
        });
        loop {
            self.interrupt.check()?;
            match answers.recv_timeout(POLL) {
                Ok(answer) => return Ok(answer?.trim().to_owned()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => bail!("cannot read the answer"),
            }
        }
    }

    pub fn wait_for_interrupt(&self) {
        while !self.interrupt.wait_timeout(Duration::from_secs(3600)) {}
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.lock.is_some() {
            process::kill_descendants();
        }
    }
}

/// Prints the error of a command and returns its exit status, which is 130 after Ctrl-C, as in shells.
pub fn exit(outcome: Result<()>) -> ExitCode {
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    line(format!("\n{error:#}"));
    if error.is::<Interrupted>() {
        ExitCode::from(130)
    } else {
        ExitCode::FAILURE
    }
}

/// Prints a result to standard output.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .context("cannot write to standard output")
}

/// Prints a line of progress to standard error.
pub fn line(text: impl Display) {
    // A terminal that was closed must not stop the system.
    let _ignored = writeln!(io::stderr(), "{text}");
}

/// Prints when a step starts and how long it took. Adds its title to its error.
pub fn step<T>(title: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    line(format!("… {title}"));
    let started = Instant::now();
    let outcome = work().with_context(|| title.to_owned());
    let mark = if outcome.is_ok() { '✓' } else { '✗' };
    line(format!(
        "{mark} {title:<50} {:>10}",
        elapsed(started.elapsed())
    ));
    outcome
}

/// A readable duration: `0.4 s`, `12.0 s`, `3 min 05 s`.
pub fn elapsed(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 60.. => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}
