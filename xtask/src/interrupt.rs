//! Ctrl-C and SIGTERM as a shared state that every wait can check.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use parking_lot::{Condvar, Mutex};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

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
