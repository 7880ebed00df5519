//! The shared state of every command: checkout, progress, interrupt, and the cleanup of processes.

use crate::checkout::Checkout;
use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::process;
use crate::progress::Progress;

/// One run of a command. Dropping it ends all remaining processes.
pub struct Session {
    pub checkout: Checkout,
    pub progress: Progress,
    /// Ctrl-C and SIGTERM.
    pub interrupt: Interrupt,
}

impl Session {
    pub fn begin() -> Result<Self> {
        Ok(Self { checkout: Checkout::here(), progress: Progress, interrupt: Interrupt::from_signals()? })
    }

    /// Runs jobs in parallel. If one fails, the others are interrupted and its error is returned.
    pub fn side_by_side(&self, jobs: Vec<Job<'_>>) -> Result<()> {
        let outcomes: Vec<Result<()>> = std::thread::scope(|scope| {
            let threads: Vec<_> = jobs
                .into_iter()
                .map(|job| {
                    scope.spawn(|| {
                        let outcome = job();
                        if outcome.is_err() {
                            self.interrupt.raise();
                        }
                        outcome
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| {
                    thread
                        .join()
                        .unwrap_or_else(|_| Err(Error::failed("a step panicked; see its message above")))
                })
                .collect()
        });
        let mut errors: Vec<Error> = outcomes.into_iter().filter_map(Result::err).collect();
        let cause = errors.iter().position(|error| !matches!(error, Error::Interrupted)).unwrap_or(0);
        if errors.is_empty() { Ok(()) } else { Err(errors.swap_remove(cause)) }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        process::end_descendants();
    }
}

/// A job for a thread of its own.
pub type Job<'a> = Box<dyn FnOnce() -> Result<()> + Send + 'a>;
