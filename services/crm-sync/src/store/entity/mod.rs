//! The tables: rows as the database sees them, and what they mean.

pub(super) mod conflict;
pub(super) mod contact_key;
pub(crate) mod delivery;
pub(crate) mod lead;
pub(crate) mod leasing;
pub(super) mod task;
pub(crate) mod timeline;

use ::lead::Reference;

use super::error::StoreError;

pub(super) fn reference(column: &str) -> Result<Reference, StoreError> {
    column.parse().map_err(|_| StoreError::Unreadable("reference"))
}

/// The one that is called so.
fn by_tag<T: Copy, const N: usize>(all: [T; N], tag: fn(T) -> &'static str, text: &str) -> Option<T> {
    all.into_iter().find(|one| tag(*one) == text)
}
