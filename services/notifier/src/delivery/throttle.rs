//! Limits single mails per recipient; further leads go into a digest.

use parking_lot::Mutex;
use std::{collections::HashMap, time::Duration};

use lettre::Address;
use runtime::clock::SharedClock;

use crate::config::Digests;

/// Counts this process's mails per recipient and interval.
pub(super) struct DigestThrottle {
    digests: Digests,
    clock: SharedClock,
    latest: Mutex<HashMap<String, Interval>>,
}

#[derive(Clone, Copy, Default)]
struct Interval {
    number: i64,
    mails: u32,
}

impl DigestThrottle {
    pub(super) fn new(digests: Digests, clock: SharedClock) -> Self {
        Self { digests, clock, latest: Mutex::default() }
    }

    /// Counts a mail and returns true, unless the interval's limit is reached.
    pub(super) fn try_acquire(&self, recipient: &Address) -> bool {
        let mut latest = self.latest.lock();
        let interval = self.interval(&mut latest, recipient);
        let is_free = self.digests.above == 0 || interval.mails < self.digests.above;
        if is_free {
            interval.mails = interval.mails.saturating_add(1);
        }
        is_free
    }

    /// Counts a mail that is sent regardless of the limit.
    pub(super) fn count(&self, recipient: &Address) {
        let mut latest = self.latest.lock();
        let interval = self.interval(&mut latest, recipient);
        interval.mails = interval.mails.saturating_add(1);
    }

    /// Time left in the current interval.
    pub(super) fn until_next(&self) -> Duration {
        let length = self.length();
        let gone = self.clock.now().timestamp_millis().rem_euclid(length);
        Duration::from_millis((length - gone).unsigned_abs())
    }

    fn interval<'a>(
        &self,
        latest: &'a mut HashMap<String, Interval>,
        recipient: &Address,
    ) -> &'a mut Interval {
        let number = self.clock.now().timestamp_millis().div_euclid(self.length());
        let interval = latest.entry(recipient.to_string().to_ascii_lowercase()).or_default();
        if interval.number != number {
            *interval = Interval { number, mails: 0 };
        }
        interval
    }

    fn length(&self) -> i64 {
        i64::try_from(self.digests.interval.as_millis()).unwrap_or(i64::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::DateTime;
    use runtime::clock::ManualClock;

    use super::*;

    const INTERVAL: Duration = Duration::from_secs(600);

    fn throttle(above: u32) -> (DigestThrottle, ManualClock) {
        // 04:05:06, almost five minutes before the next interval.
        let clock = ManualClock::new(DateTime::from_timestamp(1_772_337_906, 0).unwrap());
        (DigestThrottle::new(Digests { above, interval: INTERVAL }, Arc::new(clock.clone())), clock)
    }

    #[test]
    fn each_recipient_gets_so_many_mails_an_interval() {
        let (throttle, clock) = throttle(2);
        let [one, other] = ["a@x.co", "b@x.co"].map(|address| address.parse().unwrap());
        assert_eq!(
            [throttle.try_acquire(&one), throttle.try_acquire(&one), throttle.try_acquire(&one)],
            [true, true, false]
        );
        assert!(throttle.try_acquire(&other));
        assert_eq!(throttle.until_next(), Duration::from_secs(294));
        clock.advance(throttle.until_next());
        throttle.count(&one);
        assert_eq!([throttle.try_acquire(&one), throttle.try_acquire(&one)], [true, false]);
        assert_eq!(throttle.until_next(), INTERVAL);
    }

    #[test]
    fn without_a_limit_every_mail_is_sent() {
        let (throttle, _) = throttle(0);
        let recipient = "a@x.co".parse().unwrap();
        assert!((0..1000).all(|_| throttle.try_acquire(&recipient)));
    }
}
