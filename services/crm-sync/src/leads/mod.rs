//! Leads: recorded once, with the person each is from, what happened to it, and how far sales have come.

pub(crate) mod conflict;
pub(crate) mod contact;
mod contact_key;
pub mod keys;
pub(crate) mod lead;
pub(crate) mod leasing;
pub(crate) mod lock;
pub mod progress;
pub mod record;
pub mod recorder;
pub(crate) mod related;
pub(crate) mod set_state;
pub mod source;
pub mod stored;
pub(crate) mod timeline;

use ::lead::{FieldError, Lead, Reference};
use contracts::leads::v1::LeadSubmitted;

use crate::{db::error::StoreError, error::Invalid};

fn reference(column: &str) -> Result<Reference, StoreError> {
    column.parse().map_err(|_| StoreError::Unreadable("reference"))
}

/// The lead of a message, which must be there.
///
/// # Errors
/// [`Invalid`] when it is missing, or is none that lead-intake could have accepted.
pub(crate) fn submission(message: Option<LeadSubmitted>) -> Result<Lead, Invalid> {
    Ok(message.ok_or(FieldError::Missing("lead"))?.try_into()?)
}
