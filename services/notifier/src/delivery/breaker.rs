//! The circuit breaker for the mail server, shared by all deliveries.

use std::time::Duration;

use opentelemetry::metrics::Gauge;
use parking_lot::Mutex;
use tokio::time::Instant;
use tracing::{info, warn};

use crate::smtp::{ReplyClass, SendError};

/// Upper bound, needed for a server that answers every probe and still refuses every email.
const LONGEST_REST: Duration = Duration::from_secs(30);

pub(crate) struct CircuitBreaker {
    state: Mutex<State>,
    probing: tokio::sync::Mutex<()>,
    paused: Gauge<u64>,
}

#[derive(Default)]
struct State {
    /// When open: the earliest time of the next probe.
    open_until: Option<Instant>,
    /// How often it was opened since the last accepted email.
    in_a_row: u32,
}

impl CircuitBreaker {
    pub(crate) fn new(paused: Gauge<u64>) -> Self {
        paused.record(0, &[]);
        Self { state: Mutex::default(), probing: tokio::sync::Mutex::default(), paused }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state.lock().open_until.is_none()
    }

    /// Permission to probe an open breaker's server: one task at a time, once the rest is over.
    pub(super) fn may_probe(&self) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        let is_due = self.state.lock().open_until.is_some_and(|until| until <= Instant::now());
        self.probing.try_lock().ok().filter(|_| is_due)
    }

    /// Opens after an error that concerns all emails.
    pub(super) fn record(&self, result: &Result<String, SendError>) {
        let mut state = self.state.lock();
        let Err(error) = result else {
            state.in_a_row = 0;
            return;
        };
        let is_general = matches!(error.class, ReplyClass::ServerDown | ReplyClass::OverQuota);
        if !is_general || state.open_until.is_some() {
            return;
        }
        let rest = rest(state.in_a_row);
        state.in_a_row = state.in_a_row.saturating_add(1);
        state.open_until = Some(Instant::now() + rest);
        self.paused.record(1, &[]);
        warn!(%error, ?rest, "mail server unavailable, sending paused");
    }

    pub(super) fn close(&self) {
        if self.state.lock().open_until.take().is_some() {
            self.paused.record(0, &[]);
            info!("mail server available again, sending resumed");
        }
    }
}

/// Zero the first time, then 1 s, doubling up to [`LONGEST_REST`].
fn rest(opened_before: u32) -> Duration {
    match opened_before.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => Duration::from_secs(1 << doublings.min(5)).min(LONGEST_REST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaker_waits_longer_after_each_failure() {
        let waits: Vec<_> = (0..8).map(|opened_before| rest(opened_before).as_secs()).collect();
        assert_eq!(waits, [0, 1, 2, 4, 8, 16, 30, 30]);
    }
}
