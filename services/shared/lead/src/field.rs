//! Validates fields of messages. Errors name the field, never its value.

use chrono::{DateTime, Datelike, SubsecRound, Utc};
use prost_types::Timestamp;
use uuid::Uuid;

use crate::{
    reference::InvalidReference,
    text::{length, storable},
};

/// The reason why a field is invalid, without the field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("{0} is empty")]
    Empty(&'static str),
    #[error("{0} is longer than {1} UTF-16 code units")]
    TooLong(&'static str, usize),
    #[error("{0} is shorter than {1} UTF-16 code units")]
    TooShort(&'static str, usize),
    #[error("{0} has more than {1} entries")]
    TooMany(&'static str, usize),
    #[error("{0} is not a UUID")]
    NotUuid(&'static str),
    /// A time outside the years 1 to 9999, or invalid nanoseconds.
    #[error("{0} is not a valid timestamp")]
    NotTimestamp(&'static str),
    #[error("{0} is in the future")]
    InFuture(&'static str),
    #[error("{0} is not an email address")]
    NotEmail(&'static str),
    /// A negative duration, or zero where that is not allowed.
    #[error("{0} is not a valid duration")]
    NotDuration(&'static str),
    /// An unknown enum number, or zero.
    #[error("{0} has an unknown value")]
    UnknownValue(&'static str),
    #[error(transparent)]
    Reference(#[from] InvalidReference),
}

/// Parses a UUID and rejects the nil UUID.
///
/// # Errors
/// [`FieldError::NotUuid`]
pub fn uuid(field: &'static str, text: &str) -> Result<Uuid, FieldError> {
    Uuid::try_parse(text)
        .ok()
        .filter(|id| !id.is_nil())
        .ok_or(FieldError::NotUuid(field))
}

/// Parses a required time, truncated to microseconds.
///
/// # Errors
/// [`FieldError::Missing`], [`FieldError::NotTimestamp`]
pub fn required_time(
    field: &'static str,
    time: Option<Timestamp>,
) -> Result<DateTime<Utc>, FieldError> {
    optional_time(field, time)?.ok_or(FieldError::Missing(field))
}

/// Truncates to microseconds, the resolution of both databases.
///
/// # Errors
/// [`FieldError::NotTimestamp`]
pub fn optional_time(
    field: &'static str,
    time: Option<Timestamp>,
) -> Result<Option<DateTime<Utc>>, FieldError> {
    let Some(Timestamp { seconds, nanos }) = time else {
        return Ok(None);
    };
    let nanos = u32::try_from(nanos)
        .ok()
        .filter(|nanos| *nanos < 1_000_000_000);
    nanos
        .and_then(|nanos| DateTime::from_timestamp(seconds, nanos))
        .filter(|time| (1..=9999).contains(&time.year()))
        .map(|time| Some(time.trunc_subsecs(6)))
        .ok_or(FieldError::NotTimestamp(field))
}

pub fn timestamp(time: DateTime<Utc>) -> Timestamp {
    // chrono represents a leap second by nanoseconds from 1,000,000,000 to 1,999,999,999.
    let nanos = time.timestamp_subsec_nanos().min(999_999_999).cast_signed();
    Timestamp {
        seconds: time.timestamp(),
        nanos,
    }
}

/// Converts to protobuf; seconds saturate at `i64::MAX`.
pub fn duration(duration: std::time::Duration) -> prost_types::Duration {
    let nanos = duration.subsec_nanos().cast_signed();
    prost_types::Duration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos,
    }
}

/// Parses a required duration.
///
/// # Errors
/// [`FieldError::Missing`], [`FieldError::NotDuration`] for a negative duration
pub fn required_duration(
    field: &'static str,
    duration: Option<prost_types::Duration>,
) -> Result<std::time::Duration, FieldError> {
    let duration = duration.ok_or(FieldError::Missing(field))?;
    std::time::Duration::try_from(duration).map_err(|_| FieldError::NotDuration(field))
}

/// Parses a required duration of more than zero.
///
/// # Errors
/// [`FieldError::Missing`], [`FieldError::NotDuration`]
pub fn positive_duration(
    field: &'static str,
    duration: Option<prost_types::Duration>,
) -> Result<std::time::Duration, FieldError> {
    let duration = required_duration(field, duration)?;
    if duration.is_zero() {
        Err(FieldError::NotDuration(field))
    } else {
        Ok(duration)
    }
}

/// Accepts a non-empty text of at most `longest` UTF-16 code units.
///
/// # Errors
/// [`FieldError::Empty`], [`FieldError::TooLong`]
pub fn required_text(
    field: &'static str,
    text: &str,
    longest: usize,
) -> Result<String, FieldError> {
    if text.is_empty() {
        Err(FieldError::Empty(field))
    } else {
        optional_text(field, text, longest)
    }
}

/// Accepts a text of at most `longest` UTF-16 code units.
///
/// # Errors
/// [`FieldError::TooLong`]
pub fn optional_text(
    field: &'static str,
    text: &str,
    longest: usize,
) -> Result<String, FieldError> {
    if length(text) > longest {
        Err(FieldError::TooLong(field, longest))
    } else {
        Ok(storable(text))
    }
}
