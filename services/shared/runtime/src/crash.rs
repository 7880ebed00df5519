//! Places between two steps where a test has the process crash, to see what is kept.

use std::{process, sync::OnceLock};

static CRASH_AT: OnceLock<String> = OnceLock::new();

/// Has this process crash at the place of this name. For [`crate::service`], before anything has started.
pub(crate) fn at(place: String) {
    // Set once, at the start: a second value has no meaning.
    let _ = CRASH_AT.set(place);
}

/// A place by name, e.g. `notifier-mailed`. Debug builds told so with `CRASH_AT` end here as `kill -9` would end them;
/// others, and all release builds, pass.
#[inline]
pub fn point(place: &str) {
    if cfg!(debug_assertions) && CRASH_AT.get().is_some_and(|at| at == place) {
        process::abort();
    }
}
