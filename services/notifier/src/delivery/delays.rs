//! The waits between attempts that `RETRY_DELAYS` sets.

use std::{str::FromStr, time::Duration};

use uuid::Uuid;

const MAX_DELAY: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The waits before the second, third, ... attempt. A delivery fails after the last attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryDelays(Vec<Duration>);

impl RetryDelays {
    /// The wait after this failed attempt; `None` if no attempt is left. Up to a quarter longer than configured, depending
    /// on the lead: the deliveries of one lead are retried together, and leads that failed together at different times.
    pub(super) fn delay_after(&self, attempt: u32, lead: Uuid) -> Option<Duration> {
        let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        self.0
            .get(index)
            .map(|delay| *delay + jitter(*delay / 4, lead))
    }

    /// The number of attempts with these delays.
    pub(super) fn attempts(&self) -> u32 {
        u32::try_from(self.0.len()).map_or(u32::MAX, |delays| delays.saturating_add(1))
    }

    pub(super) fn longest(&self, lead: Uuid) -> Duration {
        let longest = self.0.last().copied().unwrap_or(MAX_DELAY);
        longest + jitter(longest / 4, lead)
    }
}

/// From zero to the whole duration in steps of a hundredth, depending on the id.
pub(crate) fn jitter(duration: Duration, id: Uuid) -> Duration {
    let percent = u32::try_from(id.as_u128() % 101).unwrap_or_default();
    duration * percent / 100
}

impl FromStr for RetryDelays {
    type Err = &'static str;

    /// Parses delays separated by commas: `5s,30s,2m`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const INVALID: &str = "must be delays such as 5s,2m,6h, each from 1 second to 30 days and not shorter than the previous delay";
        let delays = text
            .split(',')
            .map(str::trim)
            .filter(|delay| !delay.is_empty());
        let delays = delays
            .map(humantime::parse_duration)
            .collect::<Result<Vec<_>, _>>();
        let delays = delays.map_err(|_| INVALID)?;
        let is_in_range = |delay: &Duration| (Duration::from_secs(1)..=MAX_DELAY).contains(delay);
        let is_valid = !delays.is_empty() && delays.iter().all(is_in_range) && delays.is_sorted();
        if is_valid {
            Ok(Self(delays))
        } else {
            Err(INVALID)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn delays_must_grow() {
        for text in [
            "",
            " , ",
            "0s",
            "10ms",
            "721h",
            "9999999999999999999h",
            "2m,30s",
            "5",
            "5s,soon",
            "-5s",
        ] {
            assert!(text.parse::<RetryDelays>().is_err(), "{text}");
        }
    }

    #[test]
    fn each_attempt_but_the_last_has_a_delay() {
        let delays: RetryDelays = "60s, 1m, 2m".parse().unwrap();
        let seconds = [1, 2, 3, 4].map(|attempt| {
            delays
                .delay_after(attempt, Uuid::nil())
                .map(|delay| delay.as_secs())
        });
        assert_eq!(seconds, [Some(60), Some(60), Some(120), None]);
        assert_eq!(delays.longest(Uuid::nil()), Duration::from_secs(120));
    }

    #[test]
    fn delays_of_simultaneous_failures_differ() {
        let delays: RetryDelays = "60s".parse().unwrap();
        let delays: BTreeSet<_> = (0..100)
            .map(|lead| delays.delay_after(1, Uuid::from_u128(lead)).unwrap())
            .collect();
        assert_eq!(delays.len(), 100);
        assert!(*delays.last().unwrap() <= Duration::from_secs(75));
    }
}
