//! Stores leads with their person, timeline and progress.

pub(crate) mod conflict;
pub(crate) mod contact;
mod contact_key;
pub(crate) mod do_not_contact;
pub mod keys;
pub(crate) mod lead;
pub(crate) mod leasing;
pub(crate) mod lock;
pub mod progress;
pub mod record;
pub mod recorder;
pub(crate) mod related;
pub mod source;
pub mod stored;
pub mod suppression;
pub(crate) mod timeline;
pub(crate) mod withdrawal;

use ::lead::{FieldError, Lead, Reference};
use contracts::leads::v1::LeadSubmitted;

use crate::{db::error::StoreError, error::Invalid};

fn reference(column: &str) -> Result<Reference, StoreError> {
    column.parse().map_err(|_| StoreError::Unreadable("reference"))
}

/// Reads the lead of a message.
///
/// # Errors
/// [`Invalid`] when it is missing, or lead-intake could not have accepted it.
pub(crate) fn submission(message: Option<LeadSubmitted>) -> Result<Lead, Invalid> {
    Ok(message.ok_or(FieldError::Missing("lead"))?.try_into()?)
}
