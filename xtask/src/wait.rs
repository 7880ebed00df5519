//! Waits for a condition with a deadline.

use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::interrupt::Interrupt;

const POLL: Duration = Duration::from_millis(50);

/// Polls `ready` until it returns true. Fails with `what` after `patience`, or on an interrupt.
pub fn until(
    what: &str,
    patience: Duration,
    interrupt: &Interrupt,
    mut ready: impl FnMut() -> Result<bool>,
) -> Result<()> {
    let deadline = Instant::now() + patience;
    loop {
        interrupt.check()?;
        if ready()? {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(Error::failed(format!("{what} within {} s", patience.as_secs())));
        }
        interrupt.wait_timeout(POLL);
    }
}
