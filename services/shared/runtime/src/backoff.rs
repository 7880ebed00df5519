//! Exponential backoff for reconnecting.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(2);

/// An unlimited sequence of delays that double from 100 ms up to a maximum, with jitter.
#[derive(Debug)]
pub struct Backoff {
    delays: ExponentialBackoff,
    longest: Duration,
}

impl Backoff {
    pub fn up_to(longest: Duration) -> Self {
        let builder = ExponentialBuilder::new()
            .with_min_delay(FIRST)
            .with_max_delay(longest);
        Self {
            delays: builder.without_max_times().with_jitter().build(),
            longest,
        }
    }

    pub fn next_delay(&mut self) -> Duration {
        self.delays.next().unwrap_or(self.longest).min(self.longest)
    }

    pub fn reset(&mut self) {
        *self = Self::up_to(self.longest);
    }
}

/// A maximum of 2 s.
impl Default for Backoff {
    fn default() -> Self {
        Self::up_to(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_two_seconds() {
        let mut backoff = Backoff::default();
        let waits: Vec<Duration> = (0..1000).map(|_| backoff.next_delay()).collect();
        assert!(waits[0] >= FIRST && waits[0] <= 2 * FIRST, "{:?}", waits[0]);
        assert!(
            waits[10..]
                .iter()
                .all(|wait| *wait <= LONGEST && *wait >= LONGEST / 2)
        );
    }

    #[test]
    fn starts_over_after_a_success() {
        let mut backoff = Backoff::default();
        for _ in 0..10 {
            backoff.next_delay();
        }
        backoff.reset();
        assert!(backoff.next_delay() <= 2 * FIRST);
    }
}
