//! Crash points, where a test can abort the process between two steps.

use std::{process, sync::OnceLock};

static CRASH_AT: OnceLock<String> = OnceLock::new();

/// Selects the crash point. Called by [`crate::service`] before anything starts.
pub(crate) fn select(place: &str) {
    // Called once, at the start; a second value would be ignored.
    let _ = CRASH_AT.set(place.to_owned());
}

/// A named crash point, e.g. `notifier-mailed`. Aborts like `kill -9` when `CRASH_AT` names it; does nothing in release
/// builds.
#[inline]
pub fn point(place: &str) {
    if cfg!(debug_assertions) && CRASH_AT.get().is_some_and(|at| at == place) {
        process::abort();
    }
}
