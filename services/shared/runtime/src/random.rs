//! Randomness as a parameter.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use uuid::Uuid;

/// Makes ids nobody has used before.
pub trait Ids: Send + Sync + 'static {
    /// A new id.
    fn next(&self) -> Uuid;
}

/// A source of ids that may be handed around.
pub type SharedIds = Arc<dyn Ids>;

/// Ids from the operating system's randomness (UUID version 4).
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    #[expect(clippy::disallowed_methods, reason = "the one place where random ids are made")]
    fn next(&self) -> Uuid {
        Uuid::new_v4()
    }
}

/// Ids that count from one: the same in every run.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl Ids for CountingIds {
    fn next(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}
