//! The waits before further attempts.

use std::{str::FromStr, time::Duration};

use runtime::random::SharedIds;

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
    /// The wait after this attempt failed, counted from 1; `None`: no attempt is left. Up to a quarter is added at random,
    /// so that deliveries that failed together are not repeated together.
    #[must_use]
    pub fn next(&self, attempt: u32, ids: &SharedIds) -> Option<Duration> {
        let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        self.0.get(index).map(|delay| *delay + random_part(*delay / 4, ids))
    }

    #[must_use]
    pub fn longest(&self, ids: &SharedIds) -> Duration {
        let longest = self.0.last().copied().unwrap_or(LONGEST);
        longest + random_part(longest / 4, ids)
    }
}

/// A random duration up to this one.
pub(crate) fn random_part(duration: Duration, ids: &SharedIds) -> Duration {
    let percent = u32::try_from(ids.next().as_u128() % 101).unwrap_or_default();
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
    use std::{collections::BTreeSet, sync::Arc};

    use runtime::random::CountingIds;

    use super::*;

    fn ids() -> SharedIds {
        Arc::new(CountingIds::default())
    }

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
        let (delays, ids): (RetryDelays, _) = ("60s, 1m, 2m".parse().unwrap(), ids());
        for (attempt, expected) in [(1, 60), (2, 60), (3, 120)] {
            let delay = delays.next(attempt, &ids).unwrap().as_secs();
            assert!((expected..expected * 5 / 4).contains(&delay), "{attempt}: {delay}");
        }
        assert_eq!(delays.next(4, &ids), None);
        assert!(delays.longest(&ids) >= Duration::from_secs(120));
    }

    #[test]
    fn delays_of_simultaneous_failures_differ() {
        let (delays, ids): (RetryDelays, _) = ("60s".parse().unwrap(), ids());
        let delays: BTreeSet<_> = (0..100).map(|_| delays.next(1, &ids).unwrap()).collect();
        assert_eq!(delays.len(), 100);
        assert!(*delays.last().unwrap() <= Duration::from_secs(75));
    }
}
