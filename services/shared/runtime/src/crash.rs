//! Crash points, at which tests abort the process between two steps.

use std::{process, sync::OnceLock};

static CRASH_AT: OnceLock<String> = OnceLock::new();

/// Selects the crash point. [`crate::service`] calls this once, before anything starts.
pub(crate) fn select(place: &str) {
    let _ = CRASH_AT.set(place.to_owned());
}

/// Aborts the process like `kill -9` if `CRASH_AT` names this crash point, e.g. `notifier-mailed`. Does nothing in release
/// builds.
#[inline]
pub fn point(place: &str) {
    if cfg!(debug_assertions) && CRASH_AT.get().is_some_and(|at| at == place) {
        process::abort();
    }
}
