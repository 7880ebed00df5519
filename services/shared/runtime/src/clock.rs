//! Time as a parameter, so that tests are exact.

use parking_lot::Mutex;
use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, Utc};

/// A source of the current time.
pub trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> DateTime<Utc>;
}

/// A clock shared between tasks.
pub type SharedClock = Arc<dyn Clock>;

/// The system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the machine's clock is read")]
    fn now(&self) -> DateTime<Utc> {
        SystemTime::now().into()
    }
}

/// A clock for tests that moves only on request.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Mutex<DateTime<Utc>>>);

impl ManualClock {
    /// Starts at `now`.
    #[must_use]
    pub fn new(now: DateTime<Utc>) -> Self {
        Self(Arc::new(Mutex::new(now)))
    }

    /// Moves the clock forward for all clones.
    pub fn advance(&self, by: Duration) {
        let mut now = self.0.lock();
        *now += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock()
    }
}
