//! The waits before further attempts.

use std::{str::FromStr, time::Duration};

use uuid::Uuid;

const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The waits before the second, third, ... attempt. After the last one a delivery fails.
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
    /// The wait after this attempt failed, counted from 1; `None`: no attempt is left. It is up to a quarter longer than
    /// configured, differently for each lead: leads whose deliveries failed together are not repeated together, and the
    /// emails of one lead are.
    #[must_use]
    pub fn next(&self, attempt: u32, lead: Uuid) -> Option<Duration> {
        let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        self.0.get(index).map(|delay| *delay + part_of(*delay / 4, lead))
    }

    #[must_use]
    pub fn longest(&self, lead: Uuid) -> Duration {
        let longest = self.0.last().copied().unwrap_or(LONGEST);
        longest + part_of(longest / 4, lead)
    }
}

/// From zero to the whole duration, in hundredths, depending on the id.
pub(crate) fn part_of(duration: Duration, id: Uuid) -> Duration {
    let percent = u32::try_from(id.as_u128() % 101).unwrap_or_default();
    duration * percent / 100
}

impl FromStr for RetryDelays {
    type Err = InvalidRetryDelays;

    /// Parses delays separated by commas: `5s,30s,2m`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let delays = text.split(',').map(str::trim).filter(|delay| !delay.is_empty());
        let parse = |delay| {
            humantime::parse_duration(delay).map_err(|_| InvalidRetryDelays::Unreadable(delay.to_owned()))
        };
        let delays = delays.map(parse).collect::<Result<Vec<_>, _>>()?;
        if delays.is_empty() {
            Err(InvalidRetryDelays::Empty)
        } else if !delays.iter().all(|delay| *delay >= Duration::from_secs(1) && *delay <= LONGEST) {
            Err(InvalidRetryDelays::OutOfRange)
        } else if !delays.is_sorted() {
            Err(InvalidRetryDelays::Decreasing)
        } else {
            Ok(Self(delays))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn delays_must_grow() {
        use InvalidRetryDelays::{Decreasing, Empty, OutOfRange};
        let unreadable = |text: &str| InvalidRetryDelays::Unreadable(text.to_owned());
        for (text, expected) in [
            ("", Empty),
            (" , ", Empty),
            ("0s", OutOfRange),
            ("10ms", OutOfRange),
            ("721h", OutOfRange),
            ("9999999999999999999h", unreadable("9999999999999999999h")),
            ("2m,30s", Decreasing),
            ("5", unreadable("5")),
            ("5s,soon", unreadable("soon")),
            ("-5s", unreadable("-5s")),
        ] {
            assert_eq!(text.parse::<RetryDelays>(), Err(expected), "{text}");
        }
    }

    #[test]
    fn each_attempt_has_its_delay_and_the_last_has_none() {
        let delays: RetryDelays = "60s, 1m, 2m".parse().unwrap();
        let seconds =
            [1, 2, 3, 4].map(|attempt| delays.next(attempt, Uuid::nil()).map(|delay| delay.as_secs()));
        assert_eq!(seconds, [Some(60), Some(60), Some(120), None]);
        assert_eq!(delays.longest(Uuid::nil()), Duration::from_secs(120));
    }

    #[test]
    fn delays_of_simultaneous_failures_differ() {
        let delays: RetryDelays = "60s".parse().unwrap();
        let delays: BTreeSet<_> =
            (0..100).map(|lead| delays.next(1, Uuid::from_u128(lead)).unwrap()).collect();
        assert_eq!(delays.len(), 100);
        assert!(*delays.last().unwrap() <= Duration::from_secs(75));
    }
}
