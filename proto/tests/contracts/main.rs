//! The contract as code and as JSON.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod fields;
#[cfg(feature = "generator")]
mod generator;
mod json;
mod record;

use std::{env, path::PathBuf};

/// A file of this package.
fn path(file: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), file].iter().collect()
}

fn is_update() -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "a developer's switch of these tests alone"
    )]
    env::var_os("UPDATE_CONTRACTS").is_some()
}
