//! Ctrl-C and SIGTERM as a shared state that every wait can check.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::{Error, Result};

/// Whether the user wants everything to stop. Clones share one state.
#[derive(Clone, Default)]
pub struct Interrupt {
    shared: Arc<(Mutex<u32>, Condvar)>,
}

impl Interrupt {
    /// Raised by SIGINT, SIGTERM and SIGHUP for the life of the process.
    pub fn from_signals() -> Result<Self> {
        let interrupt = Self::default();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
            .map_err(|error| Error::failed(format!("cannot listen for signals: {error}")))?;
        let raised = interrupt.clone();
        thread::spawn(move || {
            for _ in signals.forever() {
                raised.raise();
            }
        });
        Ok(interrupt)
    }

    pub fn raise(&self) {
        let (count, changed) = &*self.shared;
        *count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        changed.notify_all();
    }

    /// The number of times it was raised. The second time ends all grace periods.
    pub fn count(&self) -> u32 {
        *self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `Err(Interrupted)` once raised.
    pub fn check(&self) -> Result<()> {
        if self.count() > 0 { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Waits up to `patience` for it to be raised, and returns whether it was.
    pub fn wait_timeout(&self, patience: Duration) -> bool {
        let (count, changed) = &*self.shared;
        let count = count.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, _) = changed
            .wait_timeout_while(count, patience, |count| *count == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *count > 0
    }
}
