//! Rate limits. Each process counts separately.

use std::{hash::Hash, num::NonZeroUsize};

use chrono::{DateTime, TimeDelta, Utc};
use lru::LruCache;
use parking_lot::Mutex;

/// Bounds the memory. With more keys, the least recently used keys are dropped and start from zero.
const MAX_KEYS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// Allows `limit` uses of each key in a window of time, which begins with the first use.
pub struct RateLimit<K> {
    limit: u32,
    window: TimeDelta,
    /// Start of the window, and uses in it.
    counts: Mutex<LruCache<K, (DateTime<Utc>, u32)>>,
}

impl<K: Eq + Hash> RateLimit<K> {
    pub fn new(limit: u32, window: TimeDelta) -> Self {
        Self {
            limit,
            window,
            counts: Mutex::new(LruCache::new(MAX_KEYS)),
        }
    }

    /// # Errors
    /// The time until the next use is allowed.
    pub fn try_acquire(&self, key: K, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        let mut counts = self.counts.lock();
        let (since, count) = counts.get_or_insert_mut(key, || (now, 0));
        if now - *since >= self.window {
            (*since, *count) = (now, 0);
        }
        if *count >= self.limit {
            return Err(self.window - (now - *since));
        }
        *count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_each_key() {
        let limit = RateLimit::new(2, TimeDelta::minutes(1));
        let (mei, wei) = ("Mei", "Wei");
        let count = |person, seconds| {
            limit.try_acquire(person, DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds))
        };
        assert!(count(mei, 0).is_ok() && count(mei, 59).is_ok() && count(wei, 59).is_ok());
        assert_eq!(count(mei, 59), Err(TimeDelta::seconds(1)));
        assert!(count(mei, 60).is_ok());
    }

    #[test]
    fn limit_drops_unused_keys_above_the_maximum() {
        let limit = RateLimit::new(1, TimeDelta::minutes(1));
        let count = |key| limit.try_acquire(key, DateTime::UNIX_EPOCH);
        assert!(count(0).is_ok() && count(1).is_ok());
        for key in 2..2 * MAX_KEYS.get() {
            assert!(count(0).is_err(), "in use");
            assert!(count(key).is_ok());
        }
        assert_eq!(limit.counts.lock().len(), MAX_KEYS.get());
        assert!(count(1).is_ok(), "dropped");
    }
}
