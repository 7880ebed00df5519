//! Limits how often something is done in a time. Counted by this process alone.

use std::{collections::HashMap, hash::Hash};

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;

/// Bounds the memory: with so many keys, those that have not reached the limit are dropped, and start again.
const MANY: usize = 10_000;

/// Allows `most` uses of each `K` within a time.
pub struct Limit<K> {
    most: u32,
    within: TimeDelta,
    /// Since when, and how often.
    counts: Mutex<HashMap<K, (DateTime<Utc>, u32)>>,
}

impl<K: Eq + Hash> Limit<K> {
    pub fn new(most: u32, within: TimeDelta) -> Self {
        Self { most, within, counts: Mutex::default() }
    }

    /// Counts a use.
    ///
    /// # Errors
    /// The time until the next use is allowed.
    pub fn count(&self, key: K, now: DateTime<Utc>) -> Result<(), TimeDelta> {
        let mut counts = self.counts.lock();
        if counts.len() >= MANY {
            counts.retain(|_, (since, count)| now - *since < self.within && *count >= self.most);
        }
        if counts.len() >= MANY {
            counts.clear();
        }
        let (since, count) = counts.entry(key).or_insert((now, 0));
        if now - *since >= self.within {
            (*since, *count) = (now, 0);
        }
        if *count >= self.most {
            return Err(self.within - (now - *since));
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
        let limit = Limit::new(2, TimeDelta::minutes(1));
        let (mei, wei) = ("Mei", "Wei");
        let count = |person, seconds| limit.count(person, DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds));
        assert!(count(mei, 0).is_ok() && count(mei, 59).is_ok() && count(wei, 59).is_ok());
        assert_eq!(count(mei, 59), Err(TimeDelta::seconds(1)));
        assert!(count(mei, 60).is_ok());
    }

    #[test]
    fn bounds_the_number_of_keys() {
        let limit = Limit::new(2, TimeDelta::minutes(1));
        let count = |key| limit.count(key, DateTime::UNIX_EPOCH);
        assert!(count(0).is_ok() && count(0).is_ok());
        for key in 1..=MANY {
            assert!(count(key).is_ok());
        }
        assert_eq!(limit.counts.lock().len(), 2);
        assert!(count(0).is_err(), "a key that has reached the limit is kept");
        for key in 1..2 * MANY {
            let _ = (count(key), count(key));
            assert!(limit.counts.lock().len() <= MANY);
        }
    }
}
