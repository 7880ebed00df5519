//! Parses points in time.

use std::str::FromStr;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;

const LOCAL_TIMES: [&str; 4] = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"];

/// A time as typed. Local times and days are in the configured zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimePoint {
    Exact(DateTime<Utc>),
    Local(NaiveDateTime),
    Day(NaiveDate),
    /// Negative: ahead.
    Ago(TimeDelta),
    /// Calendar days: 0 is today.
    DaysAgo(u32),
}

const EXPECTED: &str = "expected 30m, 2h, 1d (ago), today, yesterday, 2026-03-01, or \"2026-03-01 12:05\"";

const EXPECTED_FUTURE: &str = "expected 30m, 2h, 1d (from now), 2026-03-01, or \"2026-03-01 12:05\"";

impl TimePoint {
    /// Parses a time to come: a span is ahead.
    pub(crate) fn parse_future(text: &str) -> Result<Self, &'static str> {
        match text.parse().map_err(|_| EXPECTED_FUTURE)? {
            Self::Ago(_) if text.trim().ends_with("ago") => Err(EXPECTED_FUTURE),
            Self::Ago(span) => Ok(Self::Ago(-span)),
            Self::DaysAgo(1..) => Err(EXPECTED_FUTURE),
            time @ (Self::Exact(_) | Self::Local(_) | Self::Day(_) | Self::DaysAgo(_)) => Ok(time),
        }
    }

    pub(crate) fn start(self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Exact(time) => time,
            Self::Local(time) => in_zone(time, zone),
            Self::Day(day) => midnight(day, zone),
            Self::Ago(span) => now.checked_sub_signed(span).unwrap_or(DateTime::<Utc>::MIN_UTC),
            Self::DaysAgo(days) => midnight(days_before(now, zone, days), zone),
        }
    }

    /// A day ends at the next midnight; a time is its own end.
    pub(crate) fn end(self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Day(day) => midnight(next_day(day), zone),
            Self::DaysAgo(days) => midnight(next_day(days_before(now, zone, days)), zone),
            Self::Exact(_) | Self::Local(_) | Self::Ago(_) => self.start(now, zone),
        }
    }
}

impl FromStr for TimePoint {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        match text.to_ascii_lowercase().as_str() {
            "now" => return Ok(Self::Ago(TimeDelta::zero())),
            "today" => return Ok(Self::DaysAgo(0)),
            "yesterday" => return Ok(Self::DaysAgo(1)),
            _ => {}
        }
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Ok(Self::Exact(time.to_utc()));
        }
        if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
            return Ok(Self::Day(day));
        }
        if let Some(time) =
            LOCAL_TIMES.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
        {
            return Ok(Self::Local(time));
        }
        let span = humantime::parse_duration(text.strip_suffix("ago").unwrap_or(text));
        span.ok().and_then(|span| TimeDelta::from_std(span).ok()).map(Self::Ago).ok_or(EXPECTED)
    }
}

/// The start of a day; an hour later where clocks go forward at midnight.
pub(crate) fn midnight(day: NaiveDate, zone: Tz) -> DateTime<Utc> {
    in_zone(day.and_time(NaiveTime::MIN), zone)
}

fn days_before(now: DateTime<Utc>, zone: Tz, days: u32) -> NaiveDate {
    let today = now.with_timezone(&zone).date_naive();
    today.checked_sub_days(Days::new(u64::from(days))).unwrap_or(NaiveDate::MIN)
}

fn next_day(day: NaiveDate) -> NaiveDate {
    day.succ_opt().unwrap_or(NaiveDate::MAX)
}

fn in_zone(time: NaiveDateTime, zone: Tz) -> DateTime<Utc> {
    let convert = |time: NaiveDateTime| time.and_local_timezone(zone).earliest();
    // The time may be within the hour that clocks skip.
    let found = convert(time).or_else(|| convert(time + TimeDelta::hours(1)));
    found.map_or_else(|| time.and_utc(), |time| time.to_utc())
}

#[cfg(test)]
mod tests {
    use chrono_tz::{America::Santiago, Asia::Singapore, Europe::Berlin};

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-03-01T18:05:06Z".parse().unwrap()
    }

    fn span(text: &str, zone: Tz) -> (String, String) {
        let when: TimePoint = text.parse().unwrap();
        (when.start(now(), zone).to_rfc3339(), when.end(now(), zone).to_rfc3339())
    }

    #[test]
    fn spans_are_counted_back() {
        for (text, seconds) in [
            ("90s", 90),
            ("30m", 1800),
            ("2h", 7200),
            ("2 h ago", 7200),
            ("1d ago", 86_400),
            ("2w", 1_209_600),
            ("1h 30m", 5400),
            ("0h", 0),
            ("now", 0),
        ] {
            let when = text.parse::<TimePoint>().unwrap();
            assert_eq!((now() - when.start(now(), Singapore)).num_seconds(), seconds, "{text}");
            assert_eq!(when.start(now(), Berlin), when.end(now(), Singapore), "{text}");
        }
    }

    #[test]
    fn future_spans_are_counted_ahead() {
        for (text, seconds) in [("30m", 1800), ("2h", 7200), ("1 d", 86_400), ("now", 0)] {
            let next = TimePoint::parse_future(text).unwrap();
            assert_eq!((next.start(now(), Singapore) - now()).num_seconds(), seconds, "{text}");
        }
        assert_eq!(TimePoint::parse_future("2026-03-02"), "2026-03-02".parse());
        for text in ["2h ago", "yesterday", "soon"] {
            assert_eq!(TimePoint::parse_future(text), Err(EXPECTED_FUTURE), "{text}");
        }
    }

    #[test]
    fn local_times_are_in_the_zone() {
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
    fn days_have_a_start_and_an_end() {
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
    fn rejects_anything_else() {
        for text in ["", "2", "h", "-2h", "2x", "ago", "tomorrow", "2026-13-01", "2026-03-01 25:00", "陈"] {
            assert_eq!(text.parse::<TimePoint>(), Err(EXPECTED), "{text}");
        }
    }
}
