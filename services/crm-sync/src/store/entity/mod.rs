//! The tables: rows as the database sees them, and what they mean.

pub(super) mod lead;
pub(super) mod notification;

use super::error::StoreError;
use crate::domain::reference::Reference;

fn reference(column: &str) -> Result<Reference, StoreError> {
    column.parse().map_err(|_| StoreError::Unreadable("reference"))
}
