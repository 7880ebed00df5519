//! Formats points in time for the sales team.

use chrono::{DateTime, Offset, TimeDelta};
use chrono_tz::Tz;

/// `Sun 1 Mar 2026`
pub(super) const DATE: &str = "%a %-d %b %Y";

/// `1 Mar 2026`
pub(super) const DATE_WITHOUT_WEEKDAY: &str = "%-d %b %Y";

/// `1 Mar`
pub(super) const SHORT_DATE: &str = "%-d %b";

/// `Sun 1 Mar 2026, 12:05`
pub(super) const DATE_AND_TIME: &str = "%a %-d %b %Y, %H:%M";

/// `Sun 1 Mar 2026, 12:05 (Singapore, UTC+8)`
pub(super) fn in_full(time: DateTime<Tz>) -> String {
    let seconds = time.offset().fix().local_minus_utc();
    let sign = if seconds < 0 { '−' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    let offset = match (minutes / 60, minutes % 60) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
    };
    let zone = match time.timezone().name().rsplit_once('/') {
        Some((_, city)) => format!("{}, {offset}", city.replace('_', " ")),
        None => offset,
    };
    format!("{} ({zone})", time.format(DATE_AND_TIME))
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

    #[test]
    fn times_name_their_zone() {
        for (zone, expected) in [
            ("Asia/Singapore", "Sun 1 Mar 2026, 12:05 (Singapore, UTC+8)"),
            ("Asia/Kolkata", "Sun 1 Mar 2026, 09:35 (Kolkata, UTC+5:30)"),
            ("America/New_York", "Sat 28 Feb 2026, 23:05 (New York, UTC−5)"),
            ("America/St_Johns", "Sun 1 Mar 2026, 00:35 (St Johns, UTC−3:30)"),
            ("Europe/London", "Sun 1 Mar 2026, 04:05 (London, UTC)"),
            ("UTC", "Sun 1 Mar 2026, 04:05 (UTC)"),
        ] {
            let time = DateTime::from_timestamp(1_772_337_906, 0).unwrap();
            assert_eq!(in_full(time.with_timezone(&zone.parse().unwrap())), expected);
        }
    }

    #[test]
    fn waits_have_coarse_units() {
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
}
