//! Fields of messages, checked as they come in. An error names the field and repeats nothing of its value.

use chrono::{DateTime, Datelike, SubsecRound, Utc};
use prost_types::Timestamp;
use uuid::Uuid;

use crate::{
    reference::InvalidReference,
    text::{length, storable},
};

/// Why a message could never have been sent by one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// A message that must be there is not.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// An empty text or list.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// More UTF-16 code units than the contract allows.
    #[error("{0} is longer than {1} UTF-16 code units")]
    TooLong(&'static str, usize),
    /// More elements than the contract allows.
    #[error("{0} are more than {1}")]
    TooMany(&'static str, usize),
    /// Not a UUID.
    #[error("{0} is not a UUID")]
    NotUuid(&'static str),
    /// No point in time of the years 1 to 9999.
    #[error("{0} is not a valid timestamp")]
    NotTimestamp(&'static str),
    /// A length of time that is negative, or that must not be nothing and is.
    #[error("{0} is not a length of time that can be used")]
    NotDuration(&'static str),
    /// A number the enum does not have, or its zero.
    #[error("{0} holds an unknown value")]
    UnknownValue(&'static str),
    /// Not a reference.
    #[error(transparent)]
    Reference(#[from] InvalidReference),
}

/// An id that is not nil.
///
/// # Errors
/// [`FieldError::NotUuid`].
pub fn uuid(field: &'static str, text: &str) -> Result<Uuid, FieldError> {
    Uuid::try_parse(text).ok().filter(|id| !id.is_nil()).ok_or(FieldError::NotUuid(field))
}

/// A time that must be there.
///
/// # Errors
/// [`FieldError::Missing`], [`FieldError::NotTimestamp`].
pub fn required_time(field: &'static str, time: Option<Timestamp>) -> Result<DateTime<Utc>, FieldError> {
    optional_time(field, time)?.ok_or(FieldError::Missing(field))
}

/// To the microsecond, which is what both databases can tell apart.
///
/// # Errors
/// [`FieldError::NotTimestamp`].
pub fn optional_time(
    field: &'static str,
    time: Option<Timestamp>,
) -> Result<Option<DateTime<Utc>>, FieldError> {
    let Some(Timestamp { seconds, nanos }) = time else { return Ok(None) };
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000);
    nanos
        .and_then(|nanos| DateTime::from_timestamp(seconds, nanos))
        .filter(|time| (1..=9999).contains(&time.year()))
        .map(|time| Some(time.trunc_subsecs(6)))
        .ok_or(FieldError::NotTimestamp(field))
}

/// A point in time as messages have it.
#[must_use]
pub fn timestamp(time: DateTime<Utc>) -> Timestamp {
    // A leap second has up to two thousand million.
    let nanos = time.timestamp_subsec_nanos().min(999_999_999).cast_signed();
    Timestamp { seconds: time.timestamp(), nanos }
}

/// A length of time as messages have it.
#[must_use]
pub fn duration(duration: std::time::Duration) -> prost_types::Duration {
    let nanos = duration.subsec_nanos().cast_signed();
    prost_types::Duration { seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX), nanos }
}

/// A text that is not empty, of at most so many UTF-16 code units.
///
/// # Errors
/// [`FieldError::Empty`], [`FieldError::TooLong`].
pub fn filled(field: &'static str, text: &str, longest: usize) -> Result<String, FieldError> {
    if text.is_empty() { Err(FieldError::Empty(field)) } else { limited(field, text, longest) }
}

/// A text of at most so many UTF-16 code units.
///
/// # Errors
/// [`FieldError::TooLong`].
pub fn limited(field: &'static str, text: &str, longest: usize) -> Result<String, FieldError> {
    if length(text) > longest { Err(FieldError::TooLong(field, longest)) } else { Ok(storable(text)) }
}
