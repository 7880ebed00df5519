//! The schedule of retries.

use std::{str::FromStr, time::Duration};

const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The waits before the second, third, ... attempt. After the last one a delivery is failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryDelays(Vec<Duration>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRetryDelays {
    #[error("must have at least one delay")]
    Empty,
    #[error("{0:?} is not a delay, e.g. 5s, 2m or 6h")]
    Unreadable(String),
    #[error("each delay must be from 1 second to 30 days")]
    OutOfRange,
    #[error("a delay must not be shorter than the one before it")]
    Decreasing,
}

impl RetryDelays {
    /// The wait after this attempt failed, counted from 1; `None`: no attempt is left.
    #[must_use]
    pub fn next(&self, attempt: u32) -> Option<Duration> {
        let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        self.0.get(index).copied()
    }

    #[must_use]
    pub fn longest(&self) -> Duration {
        self.0.last().copied().unwrap_or(LONGEST)
    }
}

impl FromStr for RetryDelays {
    type Err = InvalidRetryDelays;

    /// Parses waits separated by commas, each a number with `s`, `m` or `h`: `5s,30s,2m`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let waits = text.split(',').map(str::trim).filter(|wait| !wait.is_empty());
        let waits = waits.map(wait).collect::<Result<Vec<_>, _>>()?;
        if waits.is_empty() {
            Err(InvalidRetryDelays::Empty)
        } else if !waits.iter().all(|wait| !wait.is_zero() && *wait <= LONGEST) {
            Err(InvalidRetryDelays::OutOfRange)
        } else if !waits.is_sorted() {
            Err(InvalidRetryDelays::Decreasing)
        } else {
            Ok(Self(waits))
        }
    }
}

fn wait(text: &str) -> Result<Duration, InvalidRetryDelays> {
    let unreadable = || InvalidRetryDelays::Unreadable(text.to_owned());
    let units = [('s', 1), ('m', 60), ('h', 60 * 60)];
    let (number, seconds) = units
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))
        .ok_or_else(unreadable)?;
    let number = number.parse::<u64>().map_err(|_| unreadable())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or(InvalidRetryDelays::OutOfRange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_waits_that_grow_pass() {
        use InvalidRetryDelays::{Decreasing, Empty, OutOfRange};
        let unreadable = |text: &str| InvalidRetryDelays::Unreadable(text.to_owned());
        for (text, expected) in [
            ("", Empty),
            (" , ", Empty),
            ("0s", OutOfRange),
            ("721h", OutOfRange),
            ("9999999999999999999h", OutOfRange),
            ("2m,30s", Decreasing),
            ("5", unreadable("5")),
            ("5s,soon", unreadable("soon")),
            ("1.5s", unreadable("1.5s")),
            ("-5s", unreadable("-5s")),
        ] {
            assert_eq!(text.parse::<RetryDelays>(), Err(expected), "{text}");
        }
    }

    #[test]
    fn each_attempt_has_its_wait_and_the_last_has_none() {
        let waits: RetryDelays = "60s, 1m, 2m".parse().unwrap();
        let seconds = [1, 2, 3, 4].map(|attempt| waits.next(attempt).map(|wait| wait.as_secs()));
        assert_eq!(seconds, [Some(60), Some(60), Some(120), None]);
        assert_eq!(waits.longest(), Duration::from_secs(120));
    }
}
