//! Parses points in time.

use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use runtime::clock::start_of_day;

const LOCAL_TIMES: [&str; 4] = [
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%dT%H:%M",
];

/// With an offset from UTC such as `+08:00`, `+0800`, `+08` or `Z`.
const TIMES_WITH_OFFSET: [&str; 4] = [
    "%Y-%m-%d %H:%M:%S%#z",
    "%Y-%m-%d %H:%M%#z",
    "%Y-%m-%dT%H:%M:%S%#z",
    "%Y-%m-%dT%H:%M%#z",
];

const EXPECTED: &str =
    "expected 30m, 2h, 1d, today, 2026-03-01, \"2026-03-01 12:05\", or 2026-03-01T12:05+08:00";

/// A time as typed. Local times and days are in the configured zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimePoint {
    Exact(DateTime<Utc>),
    Local(NaiveDateTime),
    Day(NaiveDate),
    Today,
    /// A duration before now, or after now for [`TimePoint::to_future`].
    Span(TimeDelta),
}

impl TimePoint {
    /// Returns the start: midnight for a day, and the time before now for a span.
    pub(crate) fn start(self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Exact(time) => time,
            Self::Local(time) => to_utc(time, zone),
            Self::Day(day) => start_of_day(day, &zone).unwrap_or(DateTime::<Utc>::MAX_UTC),
            Self::Today => Self::Day(now.with_timezone(&zone).date_naive()).start(now, zone),
            Self::Span(span) => now
                .checked_sub_signed(span)
                .unwrap_or(DateTime::<Utc>::MIN_UTC),
        }
    }

    /// Returns the next midnight for a day, and [`TimePoint::start`] for other points.
    pub(crate) fn end(self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Day(day) => Self::Day(day.succ_opt().unwrap_or(day)).start(now, zone),
            Self::Today => Self::Day(now.with_timezone(&zone).date_naive()).end(now, zone),
            Self::Exact(_) | Self::Local(_) | Self::Span(_) => self.start(now, zone),
        }
    }

    /// Returns the time after now for a span, and [`TimePoint::start`] for other points.
    pub(crate) fn to_future(self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Span(span) => now
                .checked_add_signed(span)
                .unwrap_or(DateTime::<Utc>::MAX_UTC),
            Self::Exact(_) | Self::Local(_) | Self::Day(_) | Self::Today => self.start(now, zone),
        }
    }
}

impl FromStr for TimePoint {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let local = |format| NaiveDateTime::parse_from_str(text, format).ok();
        let with_offset = |format| DateTime::parse_from_str(text, format).ok();
        if text.eq_ignore_ascii_case("today") {
            Ok(Self::Today)
        } else if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            Ok(Self::Exact(time.to_utc()))
        } else if let Some(time) = TIMES_WITH_OFFSET.into_iter().find_map(with_offset) {
            Ok(Self::Exact(time.to_utc()))
        } else if let Ok(day) = text.parse() {
            Ok(Self::Day(day))
        } else if let Some(time) = LOCAL_TIMES.into_iter().find_map(local) {
            Ok(Self::Local(time))
        } else {
            let span = humantime::parse_duration(text).map_err(|_| EXPECTED)?;
            TimeDelta::from_std(span)
                .map(Self::Span)
                .map_err(|_| EXPECTED)
        }
    }
}

fn to_utc(time: NaiveDateTime, zone: Tz) -> DateTime<Utc> {
    let convert = |time: NaiveDateTime| time.and_local_timezone(zone).earliest();
    // The time may be within an hour that clocks skip.
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
        (
            when.start(now(), zone).to_rfc3339(),
            when.end(now(), zone).to_rfc3339(),
        )
    }

    #[test]
    fn spans_are_before_or_after_now() {
        for (text, seconds) in [
            ("90s", 90),
            ("30m", 1800),
            ("2 h", 7200),
            ("1d", 86_400),
            ("2w", 1_209_600),
            ("1h 30m", 5400),
            ("0h", 0),
        ] {
            let when = text.parse::<TimePoint>().unwrap();
            assert_eq!(
                (now() - when.start(now(), Singapore)).num_seconds(),
                seconds,
                "{text}"
            );
            assert_eq!(
                (when.to_future(now(), Singapore) - now()).num_seconds(),
                seconds,
                "{text}"
            );
            assert_eq!(
                when.start(now(), Berlin),
                when.end(now(), Singapore),
                "{text}"
            );
        }
        let day: TimePoint = "2026-03-02".parse().unwrap();
        assert_eq!(day.to_future(now(), Singapore), day.start(now(), Singapore));
    }

    #[test]
    fn local_times_are_in_the_zone() {
        let same = |time: &str| (time.to_owned(), time.to_owned());
        for text in [
            "2026-03-01T04:05:06Z",
            "2026-03-01T12:05:06+08:00",
            "2026-03-01 12:05:06",
        ] {
            assert_eq!(
                span(text, Singapore),
                same("2026-03-01T04:05:06+00:00"),
                "{text}"
            );
        }
        for text in [
            "2026-03-01T12:05+08:00",
            "2026-03-01 12:05 +08:00",
            "2026-03-01T12:05+08",
            "2026-03-01T04:05Z",
            "2026-02-28T23:05:00-0500",
        ] {
            assert_eq!(
                span(text, Berlin),
                same("2026-03-01T04:05:00+00:00"),
                "{text}"
            );
        }
        assert_eq!(
            span("2026-07-01 12:05", Berlin),
            same("2026-07-01T10:05:00+00:00")
        );
        // 02:30 is skipped in March, and occurs twice in October.
        assert_eq!(
            span("2026-03-29T02:30", Berlin),
            same("2026-03-29T01:30:00+00:00")
        );
        assert_eq!(
            span("2026-10-25T02:30", Berlin),
            same("2026-10-25T00:30:00+00:00")
        );
    }

    #[test]
    fn days_have_a_start_and_an_end() {
        let from_to = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        let first = from_to("2026-02-28T16:00:00+00:00", "2026-03-01T16:00:00+00:00");
        let second = from_to("2026-03-01T16:00:00+00:00", "2026-03-02T16:00:00+00:00");
        assert_eq!(span("2026-03-01", Singapore), first);
        // In this zone it is 2 March, two hours after midnight.
        assert_eq!(span("Today", Singapore), second);
        // In Santiago, clocks change at midnight.
        let short = from_to("2026-09-06T04:00:00+00:00", "2026-09-07T03:00:00+00:00");
        assert_eq!(span("2026-09-06", Santiago), short);
    }

    #[test]
    fn rejects_texts_that_are_no_point_in_time() {
        for text in [
            "",
            "2",
            "h",
            "-2h",
            "2x",
            "ago",
            "2h ago",
            "2026-13-01",
            "2026-03-01 25:00",
            "陈",
        ] {
            assert_eq!(text.parse::<TimePoint>(), Err(EXPECTED), "{text}");
        }
    }
}
