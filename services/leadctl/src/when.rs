//! Parses points in time.

use std::str::FromStr;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;

const LOCAL_TIMES: [&str; 4] = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    At(DateTime<Utc>),
    /// In the configured zone.
    Local(NaiveDateTime),
    /// In the configured zone.
    Day(NaiveDate),
    /// Negative: ahead.
    Ago(TimeDelta),
    /// Calendar days: 0 is today.
    DaysAgo(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 30m, 2h, 1d (ago), today, yesterday, 2026-03-01, or \"2026-03-01 12:05\"")]
pub(crate) struct InvalidWhen;

/// What is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 30m, 2h, 1d (from now), 2026-03-01, or \"2026-03-01 12:05\"")]
pub(crate) struct InvalidNext;

impl When {
    /// Parses a time to come: a span is ahead.
    pub(crate) fn next(text: &str) -> Result<Self, InvalidNext> {
        match text.parse().map_err(|_| InvalidNext)? {
            Self::Ago(_) if text.trim().ends_with("ago") => Err(InvalidNext),
            Self::Ago(span) => Ok(Self::Ago(-span)),
            Self::DaysAgo(1..) => Err(InvalidNext),
            when @ (Self::At(_) | Self::Local(_) | Self::Day(_) | Self::DaysAgo(_)) => Ok(when),
        }
    }

    pub(crate) fn begins(self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::At(time) => time,
            Self::Local(time) => in_zone(time, zone),
            Self::Day(day) => midnight(day, zone),
            Self::Ago(span) => now.checked_sub_signed(span).unwrap_or(DateTime::<Utc>::MIN_UTC),
            Self::DaysAgo(days) => midnight(days_before(now, zone, days), zone),
        }
    }

    /// A day ends at the next midnight; a time is its own end.
    pub(crate) fn ends(self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Day(day) => midnight(next(day), zone),
            Self::DaysAgo(days) => midnight(next(days_before(now, zone, days)), zone),
            Self::At(_) | Self::Local(_) | Self::Ago(_) => self.begins(now, zone),
        }
    }
}

impl FromStr for When {
    type Err = InvalidWhen;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        match text.to_ascii_lowercase().as_str() {
            "now" => return Ok(Self::Ago(TimeDelta::zero())),
            "today" => return Ok(Self::DaysAgo(0)),
            "yesterday" => return Ok(Self::DaysAgo(1)),
            _ => {}
        }
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Ok(Self::At(time.to_utc()));
        }
        if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
            return Ok(Self::Day(day));
        }
        let local = LOCAL_TIMES.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
        local.map(Self::Local).map_or_else(|| ago(text), Ok)
    }
}

/// The beginning of a day; an hour later where clocks go forward at midnight.
pub(crate) fn midnight(day: NaiveDate, zone: Tz) -> DateTime<Utc> {
    in_zone(day.and_time(NaiveTime::MIN), zone)
}

fn days_before(now: DateTime<Utc>, zone: Tz, days: u32) -> NaiveDate {
    let today = now.with_timezone(&zone).date_naive();
    today.checked_sub_days(Days::new(u64::from(days))).unwrap_or(NaiveDate::MIN)
}

pub(crate) fn next(day: NaiveDate) -> NaiveDate {
    day.succ_opt().unwrap_or(NaiveDate::MAX)
}

fn in_zone(time: NaiveDateTime, zone: Tz) -> DateTime<Utc> {
    let is_there = |time: NaiveDateTime| time.and_local_timezone(zone).earliest();
    // The time may be within the hour that clocks skip.
    let found = is_there(time).or_else(|| is_there(time + TimeDelta::hours(1)));
    found.map_or_else(|| time.and_utc(), |time| time.to_utc())
}

fn ago(text: &str) -> Result<When, InvalidWhen> {
    let text = text.strip_suffix("ago").map_or(text, str::trim_end);
    let unit = text.chars().next_back().ok_or(InvalidWhen)?;
    let number = text.strip_suffix(unit).and_then(|number| number.trim_end().parse::<u32>().ok());
    let number = i64::from(number.ok_or(InvalidWhen)?);
    let span = match unit {
        's' => TimeDelta::try_seconds(number),
        'm' => TimeDelta::try_minutes(number),
        'h' => TimeDelta::try_hours(number),
        'd' => TimeDelta::try_days(number),
        'w' => TimeDelta::try_weeks(number),
        _ => None,
    };
    span.map(When::Ago).ok_or(InvalidWhen)
}

#[cfg(test)]
mod tests {
    use chrono_tz::{America::Santiago, Asia::Singapore, Europe::Berlin};

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-03-01T18:05:06Z".parse().unwrap()
    }

    fn span(text: &str, zone: Tz) -> (String, String) {
        let when: When = text.parse().unwrap();
        (when.begins(now(), zone).to_rfc3339(), when.ends(now(), zone).to_rfc3339())
    }

    #[test]
    fn so_long_ago() {
        for (text, seconds) in [
            ("90s", 90),
            ("30m", 1800),
            ("2h", 7200),
            ("2 h ago", 7200),
            ("1d ago", 86_400),
            ("2w", 1_209_600),
            ("0h", 0),
            ("now", 0),
        ] {
            let when = text.parse::<When>().unwrap();
            assert_eq!((now() - when.begins(now(), Singapore)).num_seconds(), seconds, "{text}");
            assert_eq!(when.begins(now(), Berlin), when.ends(now(), Singapore), "{text}");
        }
    }

    #[test]
    fn what_comes_next_is_ahead() {
        for (text, seconds) in [("30m", 1800), ("2h", 7200), ("1 d", 86_400), ("now", 0)] {
            let next = When::next(text).unwrap();
            assert_eq!((next.begins(now(), Singapore) - now()).num_seconds(), seconds, "{text}");
        }
        assert_eq!(When::next("2026-03-02"), "2026-03-02".parse().map_err(|_| InvalidNext));
        for text in ["2h ago", "yesterday", "soon"] {
            assert_eq!(When::next(text), Err(InvalidNext), "{text}");
        }
    }

    #[test]
    fn a_time_is_where_one_is_unless_it_says_otherwise() {
        let same = |time: &str| (time.to_owned(), time.to_owned());
        for text in ["2026-03-01T04:05:06Z", "2026-03-01T12:05:06+08:00", "2026-03-01 12:05:06"] {
            assert_eq!(span(text, Singapore), same("2026-03-01T04:05:06+00:00"), "{text}");
        }
        assert_eq!(span("2026-07-01 12:05", Berlin), same("2026-07-01T10:05:00+00:00"));
        // 02:30 is skipped in March, and occurs twice in October.
        assert_eq!(span("2026-03-29T02:30", Berlin), same("2026-03-29T01:30:00+00:00"));
        assert_eq!(span("2026-10-25T02:30", Berlin), same("2026-10-25T00:30:00+00:00"));
    }

    #[test]
    fn a_day_is_meant_whole() {
        let from_to = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        let first = from_to("2026-02-28T16:00:00+00:00", "2026-03-01T16:00:00+00:00");
        let second = from_to("2026-03-01T16:00:00+00:00", "2026-03-02T16:00:00+00:00");
        assert_eq!(span("2026-03-01", Singapore), first);
        // It is the second already, two hours past midnight.
        assert_eq!(span("today", Singapore), second);
        assert_eq!(span("Yesterday", Singapore), first);
        // Santiago puts its clocks forward at midnight.
        let short = from_to("2026-09-06T04:00:00+00:00", "2026-09-07T03:00:00+00:00");
        assert_eq!(span("2026-09-06", Santiago), short);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "2", "h", "-2h", "2y", "ago", "tomorrow", "2026-13-01", "2026-03-01 25:00", "陈"] {
            assert_eq!(text.parse::<When>(), Err(InvalidWhen), "{text}");
        }
    }
}
