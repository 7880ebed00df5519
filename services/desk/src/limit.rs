//! Limits what one person may do in a time. Counted by this process alone; people are few, so that all are remembered.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use uuid::Uuid;

pub(crate) struct Limit {
    most: u32,
    within: TimeDelta,
    /// Since when, and how often.
    counts: Mutex<HashMap<Uuid, (DateTime<Utc>, u32)>>,
}

/// The limit was reached, until this much later.
pub(crate) struct Reached(pub(crate) TimeDelta);

impl Limit {
    pub(crate) fn new(most: u32, within: TimeDelta) -> Self {
        Self { most, within, counts: Mutex::default() }
    }

    pub(crate) fn count(&self, person: Uuid, now: DateTime<Utc>) -> Result<(), Reached> {
        let mut counts = self.counts.lock();
        let (since, count) = counts.entry(person).or_insert((now, 0));
        if now - *since >= self.within {
            (*since, *count) = (now, 0);
        }
        if *count >= self.most {
            return Err(Reached(self.within - (now - *since)));
        }
        *count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_person_has_so_many_within_a_time() {
        let limit = Limit::new(2, TimeDelta::minutes(1));
        let (mei, wei) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let count = |person, seconds| limit.count(person, DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds));
        assert!(count(mei, 0).is_ok() && count(mei, 59).is_ok() && count(wei, 59).is_ok());
        assert_eq!(count(mei, 59).err().map(|it| it.0), Some(TimeDelta::seconds(1)));
        assert!(count(mei, 60).is_ok());
    }
}
