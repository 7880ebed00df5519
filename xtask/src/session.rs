//! What every command shares: the checkout, progress, the interrupt, and the promise to leave nothing running.

use crate::checkout::Checkout;
use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::process;
use crate::progress::Progress;

/// One run of a command. What its processes left behind is ended when it is dropped.
pub struct Session {
    pub checkout: Checkout,
    pub progress: Progress,
    /// Ctrl-C and SIGTERM.
    pub interrupt: Interrupt,
}

impl Session {
    pub fn begin() -> Result<Self> {
        Ok(Self {
            checkout: Checkout::here(),
            progress: Progress::to_stderr(),
            interrupt: Interrupt::from_signals()?,
        })
    }

    /// Runs jobs side by side. When one fails, the others are interrupted and its error is the result.
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

/// Something to do on a thread of its own.
pub type Job<'a> = Box<dyn FnOnce() -> Result<()> + Send + 'a>;
