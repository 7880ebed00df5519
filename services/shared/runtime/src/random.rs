//! Ids as a parameter, which tests control.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use uuid::Uuid;

pub trait Ids: Send + Sync + 'static {
    fn next_id(&self) -> Uuid;
}

pub type SharedIds = Arc<dyn Ids>;

/// Random ids: UUID version 4.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where random ids are made"
    )]
    fn next_id(&self) -> Uuid {
        Uuid::new_v4()
    }
}

/// Ids for tests: 1, 2, 3, ...
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl Ids for SequentialIds {
    fn next_id(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}
