//! The circuit breaker for the mail server, shared by all deliveries.

use std::time::Duration;

use opentelemetry::metrics::Gauge;
use parking_lot::Mutex;
use runtime::backoff::Backoff;
use tokio::time::Instant;
use tracing::{info, warn};

use crate::smtp::{ReplyClass, SendError};

/// Maximum wait, which matters for a server that accepts every probe and refuses every email.
const MAX_WAIT: Duration = Duration::from_secs(30);

pub(crate) struct CircuitBreaker {
    state: Mutex<State>,
    probing: tokio::sync::Mutex<()>,
    paused: Gauge<u64>,
}

struct State {
    /// Earliest time of the next probe. `None` while the breaker is closed.
    open_until: Option<Instant>,
    /// Grow until the server accepts an email.
    waits: Backoff,
}

impl CircuitBreaker {
    pub(crate) fn new(paused: Gauge<u64>) -> Self {
        paused.record(0, &[]);
        let state = State {
            open_until: None,
            waits: Backoff::up_to(MAX_WAIT),
        };
        Self {
            state: Mutex::new(state),
            probing: tokio::sync::Mutex::default(),
            paused,
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().open_until.is_none()
    }

    /// Permission to probe the server while the breaker is open, for one task at a time and after the wait.
    pub(super) fn acquire_probe(&self) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        let is_due = self
            .state
            .lock()
            .open_until
            .is_some_and(|until| until <= Instant::now());
        self.probing.try_lock().ok().filter(|_| is_due)
    }

    /// Opens the breaker after an error that affects all emails.
    pub(super) fn record(&self, result: &Result<String, SendError>) {
        let mut state = self.state.lock();
        let Err(error) = result else {
            state.waits.reset();
            return;
        };
        let is_general = matches!(
            error.class,
            ReplyClass::ServerDown | ReplyClass::SenderRefused
        );
        if !is_general || state.open_until.is_some() {
            return;
        }
        let wait = state.waits.next_delay();
        state.open_until = Some(Instant::now() + wait);
        self.paused.record(1, &[]);
        warn!(%error, ?wait, "mail server unavailable, sending paused");
    }

    pub(super) fn close(&self) {
        if self.state.lock().open_until.take().is_some() {
            self.paused.record(0, &[]);
            info!("mail server available again, sending resumed");
        }
    }
}
