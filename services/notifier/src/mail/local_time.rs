//! Formats points in time in a time zone.

use chrono::{DateTime, NaiveDate, Offset, TimeDelta, Utc};
use chrono_tz::Tz;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct LocalTime(DateTime<Tz>);

impl LocalTime {
    pub(super) fn new(time: DateTime<Utc>, zone: Tz) -> Self {
        Self(time.with_timezone(&zone))
    }

    pub(super) fn day(self) -> NaiveDate {
        self.0.date_naive()
    }

    /// `Sun 1 Mar 2026, 12:05 (Singapore, UTC+8)`
    pub(super) fn in_full(self) -> String {
        format!("{}, {} ({})", self.date(), self.time(), self.zone())
    }

    /// `Sun 1 Mar 2026`
    pub(super) fn date(self) -> String {
        self.0.format("%a %-d %b %Y").to_string()
    }

    /// `1 Mar 2026`
    pub(super) fn date_alone(self) -> String {
        self.0.format("%-d %b %Y").to_string()
    }

    /// `1 Mar`
    pub(super) fn short_date(self) -> String {
        self.0.format("%-d %b").to_string()
    }

    /// `12:05`
    pub(super) fn time(self) -> String {
        self.0.format("%H:%M").to_string()
    }

    /// `1 March 2026`
    pub(super) fn english_date(self) -> String {
        self.0.format("%-d %B %Y").to_string()
    }

    /// `2026年3月1日`
    pub(super) fn chinese_date(self) -> String {
        self.0.format("%Y年%-m月%-d日").to_string()
    }

    /// `Singapore, UTC+8`
    pub(super) fn zone(self) -> String {
        let seconds = self.0.offset().fix().local_minus_utc();
        let sign = if seconds < 0 { '−' } else { '+' };
        let minutes = seconds.unsigned_abs() / 60;
        let offset = match (minutes / 60, minutes % 60) {
            (0, 0) => "UTC".to_owned(),
            (hours, 0) => format!("UTC{sign}{hours}"),
            (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
        };
        match self.0.timezone().name().rsplit_once('/') {
            Some((_, city)) => format!("{}, {offset}", city.replace('_', " ")),
            None => offset,
        }
    }
}

/// A waiting time in coarse units: `40 min`, `26 h`, `3 days`.
pub(super) fn wait(time: TimeDelta) -> String {
    match time.num_hours() {
        ..1 => format!("{} min", time.num_minutes().max(0)),
        hours @ 1..48 => format!("{hours} h"),
        48.. => format!("{} days", time.num_days()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, zone: &str) -> LocalTime {
        LocalTime::new(DateTime::from_timestamp(seconds, 0).unwrap(), zone.parse().unwrap())
    }

    #[test]
    fn times_name_their_zone() {
        for (zone, time) in [
            ("Asia/Singapore", "Sun 1 Mar 2026, 12:05 (Singapore, UTC+8)"),
            ("Asia/Kolkata", "Sun 1 Mar 2026, 09:35 (Kolkata, UTC+5:30)"),
            ("America/New_York", "Sat 28 Feb 2026, 23:05 (New York, UTC−5)"),
            ("America/St_Johns", "Sun 1 Mar 2026, 00:35 (St Johns, UTC−3:30)"),
            ("Europe/London", "Sun 1 Mar 2026, 04:05 (London, UTC)"),
            ("UTC", "Sun 1 Mar 2026, 04:05 (UTC)"),
        ] {
            assert_eq!(at(1_772_337_906, zone).in_full(), time);
        }
    }

    #[test]
    fn waits_are_said_as_exactly_as_it_matters() {
        for (minutes, text) in [
            (-5, "0 min"),
            (59, "59 min"),
            (60, "1 h"),
            (26 * 60 + 59, "26 h"),
            (48 * 60, "2 days"),
            (99_999, "69 days"),
        ] {
            assert_eq!(wait(TimeDelta::minutes(minutes)), text);
        }
    }

    #[test]
    fn dates_are_said_in_either_language() {
        let local_time = at(1_772_337_906, "Asia/Singapore");
        assert_eq!(local_time.english_date(), "1 March 2026");
        assert_eq!(local_time.chinese_date(), "2026年3月1日");
    }
}
