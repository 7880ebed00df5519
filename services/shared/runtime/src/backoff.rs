//! Exponential backoff for reconnecting.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(2);

/// Unlimited waits from 100 ms, doubling up to 2 s, with jitter.
#[derive(Debug)]
pub struct Backoff(ExponentialBackoff);

impl Backoff {
    /// The next wait, at most 2 s.
    pub fn next_delay(&mut self) -> Duration {
        self.0.next().unwrap_or(LONGEST).min(LONGEST)
    }

    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

impl Default for Backoff {
    fn default() -> Self {
        let builder = ExponentialBuilder::new().with_min_delay(FIRST).with_max_delay(LONGEST);
        Self(builder.without_max_times().with_jitter().build())
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
        assert!(waits[10..].iter().all(|wait| *wait <= LONGEST && *wait >= LONGEST / 2));
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
