//! Time as a parameter, which tests control.

use parking_lot::Mutex;
use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};

pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> DateTime<Utc>;
}

pub type SharedClock = Arc<dyn Clock>;

#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the machine's clock is read"
    )]
    fn now(&self) -> DateTime<Utc> {
        SystemTime::now().into()
    }
}

/// A clock for tests, moved only by [`ManualClock::advance`].
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Mutex<DateTime<Utc>>>);

impl ManualClock {
    pub fn new(now: DateTime<Utc>) -> Self {
        Self(Arc::new(Mutex::new(now)))
    }

    /// Moves the clock forward for all clones.
    pub fn advance(&self, by: Duration) {
        let mut now = self.0.lock();
        *now += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock()
    }
}

/// The start of a day in a time zone: midnight, or the first existing local time where clocks skip midnight. `None` beyond
/// the range of dates.
pub fn start_of_day(day: NaiveDate, zone: &impl TimeZone) -> Option<DateTime<Utc>> {
    // A zone that crossed the date line skipped a whole day.
    let times = (0..=24 * 60).map_while(|minute| {
        day.and_time(NaiveTime::MIN)
            .checked_add_signed(TimeDelta::minutes(minute))
    });
    times
        .filter_map(|time| time.and_local_timezone(zone.clone()).earliest())
        .map(|time| time.to_utc())
        .next()
}

#[cfg(test)]
mod tests {
    use chrono_tz::{America::Santiago, Asia::Singapore, Pacific::Apia, Tz};

    use super::*;

    #[test]
    fn day_starts_at_its_first_minute() {
        let begins = |day: &str, zone: Tz| {
            start_of_day(day.parse().unwrap(), &zone)
                .unwrap()
                .to_rfc3339()
        };
        assert_eq!(begins("2026-03-02", Singapore), "2026-03-01T16:00:00+00:00");
        // In Santiago, clocks change at midnight.
        assert_eq!(begins("2026-09-06", Santiago), "2026-09-06T04:00:00+00:00");
        assert_eq!(begins("2026-09-07", Santiago), "2026-09-07T03:00:00+00:00");
        // Samoa had no 30th of December.
        assert_eq!(begins("2011-12-30", Apia), begins("2011-12-31", Apia));
    }
}
