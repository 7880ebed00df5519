//! Cursors and sizes of pages.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Leads on a page when the caller gives no size.
const DEFAULT_SIZE: u32 = 50;

const LARGEST_SIZE: u32 = 500;

/// Hexadecimal digits of a time in microseconds in a cursor.
const TIME_DIGITS: usize = 16;

/// Leads per page: 1 to 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize(u32);

impl PageSize {
    /// The requested size, at most 500; 0 means the default.
    #[must_use]
    pub fn asked(size: u32) -> Self {
        Self(if size == 0 { DEFAULT_SIZE } else { size.min(LARGEST_SIZE) })
    }

    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

/// The last lead of a page. The next page begins after it, whatever is recorded in the meantime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub submitted_at: DateTime<Utc>,
    pub id: Uuid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid page token: use next_page_token of the previous page")]
pub struct InvalidCursor;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.submitted_at.timestamp_micros();
        write!(f, "{time:0TIME_DIGITS$x}{}", self.id.simple())
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (time, id) = text.split_at_checked(TIME_DIGITS).ok_or(InvalidCursor)?;
        let time = u64::from_str_radix(time, 16).map_err(|_| InvalidCursor)?.cast_signed();
        let submitted_at = DateTime::from_timestamp_micros(time).ok_or(InvalidCursor)?;
        let id = Uuid::try_parse(id).map_err(|_| InvalidCursor)?;
        let cursor = Self { submitted_at, id };
        // Only one spelling is valid, so that clients cannot assemble tokens of their own.
        if cursor.to_string() == text { Ok(cursor) } else { Err(InvalidCursor) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_default_and_a_limit() {
        let sizes = [0, 1, 50, 500, 501, u32::MAX].map(|asked| PageSize::asked(asked).get());
        assert_eq!(sizes, [50, 1, 50, 500, 500, 500]);
    }

    #[test]
    fn a_cursor_survives_being_written_down() {
        for micros in [0, 1, 1_763_654_400_123_456, -1, -62_135_596_800_000_000] {
            let cursor = Cursor {
                submitted_at: DateTime::from_timestamp_micros(micros).unwrap(),
                id: Uuid::from_u128(0xfeed),
            };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let good = Cursor { submitted_at: DateTime::UNIX_EPOCH, id: Uuid::from_u128(1) }.to_string();
        let bad = [
            String::new(),
            "2".to_owned(),
            good[1..].to_owned(),
            format!("{good}0"),
            good.replace('1', "g"),
            good.replace('1', "é"),
            format!("+{}", &good[1..]),
            format!("7fffffffffffffff{}", &good[16..]),
            "界".repeat(16),
        ];
        for text in bad {
            assert_eq!(text.parse::<Cursor>(), Err(InvalidCursor), "{text}");
        }
    }
}
