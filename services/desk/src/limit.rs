//! Limits how often something is done in a time. Counted by this process alone.

use std::{collections::HashMap, hash::Hash};

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;

use crate::http::DeskError;

/// From so many counts on, those whose time is over are dropped.
const MANY: usize = 1000;

/// Allows `most` uses of each `K` within a time.
pub(crate) struct Limit<K> {
    most: u32,
    within: TimeDelta,
    /// Since when, and how often.
    counts: Mutex<HashMap<K, (DateTime<Utc>, u32)>>,
}

impl<K: Eq + Hash> Limit<K> {
    pub(crate) fn new(most: u32, within: TimeDelta) -> Self {
        Self { most, within, counts: Mutex::default() }
    }

    /// Counts a use, or returns when the next one is allowed.
    pub(crate) fn count(&self, key: K, now: DateTime<Utc>) -> Result<(), DeskError> {
        let mut counts = self.counts.lock();
        if counts.len() >= MANY {
            counts.retain(|_, (since, _)| now - *since < self.within);
        }
        let (since, count) = counts.entry(key).or_insert((now, 0));
        if now - *since >= self.within {
            (*since, *count) = (now, 0);
        }
        if *count >= self.most {
            return Err(DeskError::RateLimited(self.within - (now - *since)));
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
        assert!(matches!(count(mei, 59), Err(DeskError::RateLimited(wait)) if wait == TimeDelta::seconds(1)));
        assert!(count(mei, 60).is_ok());
    }

    #[test]
    fn drops_counts_whose_time_is_over() {
        let limit = Limit::new(1, TimeDelta::minutes(1));
        let later = DateTime::UNIX_EPOCH + TimeDelta::minutes(1);
        for number in 0..MANY {
            assert!(limit.count(number, DateTime::UNIX_EPOCH).is_ok());
        }
        assert!(limit.count(MANY, later).is_ok());
        assert_eq!(limit.counts.lock().len(), 1);
    }
}
