//! A point in time, as one types it.

use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};

/// Since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// From this time on.
    At(DateTime<Utc>),
    /// From so long ago on.
    Ago(TimeDelta),
}

/// A text is no such point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write 30m, 2h or 1d, or a time like 2026-03-01T04:05:06Z")]
pub(crate) struct InvalidSince;

impl Since {
    /// When that is, as seen from `now`.
    pub(crate) fn from(self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::At(time) => time,
            Self::Ago(span) => now.checked_sub_signed(span).unwrap_or(DateTime::<Utc>::MIN_UTC),
        }
    }
}

impl FromStr for Since {
    type Err = InvalidSince;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Ok(Self::At(time.to_utc()));
        }
        let unit = text.chars().next_back().ok_or(InvalidSince)?;
        let number = text.strip_suffix(unit).and_then(|number| number.parse::<u32>().ok());
        let number = i64::from(number.ok_or(InvalidSince)?);
        let span = match unit {
            's' => TimeDelta::try_seconds(number),
            'm' => TimeDelta::try_minutes(number),
            'h' => TimeDelta::try_hours(number),
            'd' => TimeDelta::try_days(number),
            _ => None,
        };
        span.map(Self::Ago).ok_or(InvalidSince)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_or_how_long_ago() {
        let now = DateTime::from_timestamp(1_772_337_906, 0).unwrap();
        for (text, seconds) in [("90s", 90), ("30m", 1800), ("2h", 7200), ("1d", 86_400), ("0h", 0)] {
            let since = text.parse::<Since>().unwrap();
            assert_eq!((now - since.from(now)).num_seconds(), seconds, "{text}");
        }
        for text in ["2026-03-01T04:05:06Z", "2026-03-01T12:05:06+08:00"] {
            assert_eq!(text.parse::<Since>().unwrap().from(DateTime::UNIX_EPOCH), now, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "2", "h", "-2h", "2w", "2 h", "yesterday", "2026-03-01", "2026-03-01T04:05:06"] {
            assert_eq!(text.parse::<Since>(), Err(InvalidSince), "{text}");
        }
    }
}
