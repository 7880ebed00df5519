//! The days and weeks of a report, in the sales team's time zone.

use chrono::{Datelike, Days, NaiveDate, TimeDelta};
use chrono_tz::Tz;
use contracts::crm::v1::{GetReportRequest, ReportDay};
use lead::{FieldError, field::timestamp};
use runtime::clock::start_of_day;
use sea_orm::prelude::DateTimeUtc;

use crate::error::Invalid;

const MOST_DAYS: u32 = 1000;

/// The last days up to a moment, and the weeks of the headline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    pub(super) zone: Tz,
    /// The end of the period.
    pub(super) now: DateTimeUtc,
    /// Oldest first; at least one.
    days: Vec<Span>,
    pub(super) this_week: Span,
    pub(super) week_before: Span,
    /// The part of the week before that is as long as this week so far.
    pub(super) week_before_so_far: Span,
}

/// From `from` until before `before`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    date: NaiveDate,
    pub(super) from: DateTimeUtc,
    pub(super) before: DateTimeUtc,
}

impl Span {
    pub(super) fn contains(&self, time: DateTimeUtc) -> bool {
        self.from <= time && time < self.before
    }

    pub(super) fn to_report(self, now: DateTimeUtc) -> ReportDay {
        ReportDay {
            day: self.date.to_string(),
            from: Some(timestamp(self.from)),
            before: Some(timestamp(self.before)),
            is_unfinished: now < self.before,
            ..ReportDay::default()
        }
    }
}

impl Period {
    /// Parses a request at the time `now`.
    pub fn parse(request: &GetReportRequest, now: DateTimeUtc) -> Result<Self, Invalid> {
        let zone: Tz = request
            .time_zone
            .parse()
            .map_err(|_| FieldError::UnknownValue("time_zone"))?;
        if !(1..=MOST_DAYS).contains(&request.days) {
            return Err(Invalid::NumberOfDays);
        }
        let period = Self::new(request.days, zone, now);
        period.ok_or_else(|| FieldError::NotTimestamp("days").into())
    }

    /// `None` beyond the range of dates.
    fn new(days: u32, zone: Tz, now: DateTimeUtc) -> Option<Self> {
        let today = now.with_timezone(&zone).date_naive();
        let first = today.checked_sub_days(Days::new(u64::from(days) - 1))?;
        let days = first
            .iter_days()
            .take_while(|date| *date <= today)
            .map(|date| span(date, 1, zone))
            .collect::<Option<_>>()?;
        let since_monday = u64::from(today.weekday().num_days_from_monday());
        let monday = today.checked_sub_days(Days::new(since_monday))?;
        let this_week = Span {
            before: now,
            ..span(monday, 7, zone)?
        };
        let week_before = span(monday.checked_sub_days(Days::new(7))?, 7, zone)?;
        let week_before_so_far = Span {
            // Clocks that change between the weeks could move the end before the start.
            before: (now - TimeDelta::weeks(1)).max(week_before.from),
            ..week_before
        };
        Some(Self {
            zone,
            now,
            days,
            this_week,
            week_before,
            week_before_so_far,
        })
    }

    pub(super) fn days(&self) -> &[Span] {
        &self.days
    }

    /// The start of the first day.
    pub(super) fn from(&self) -> DateTimeUtc {
        self.days.first().map_or(self.now, |day| day.from)
    }

    /// The times that divide the days and weeks into parts, ascending, from the earliest to the end. Each part belongs to one day
    /// and one week.
    pub(super) fn boundaries(&self) -> Vec<DateTimeUtc> {
        let weeks = [self.this_week, self.week_before, self.week_before_so_far];
        let spans = self.days.iter().chain(&weeks);
        let mut times: Vec<DateTimeUtc> = spans
            .flat_map(|span| [span.from, span.before])
            .chain([self.now])
            .filter(|time| *time <= self.now)
            .collect();
        times.sort_unstable();
        times.dedup();
        times
    }
}

/// A number of days from the start of `date`.
fn span(date: NaiveDate, days: u64, zone: Tz) -> Option<Span> {
    let end = date.checked_add_days(Days::new(days))?;
    Some(Span {
        date,
        from: start_of_day(date, &zone)?,
        before: start_of_day(end, &zone)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(days: u32, zone: &str, now: &str) -> Period {
        let request = GetReportRequest {
            days,
            time_zone: zone.to_owned(),
        };
        Period::parse(&request, now.parse().unwrap()).unwrap()
    }

    fn to_strings(times: impl IntoIterator<Item = DateTimeUtc>) -> Vec<String> {
        times
            .into_iter()
            .map(|time| time.format("%m-%d %H:%M").to_string())
            .collect()
    }

    #[test]
    fn days_and_weeks_begin_in_the_time_zone() {
        // A Wednesday, 00:30 in Singapore.
        let period = period(2, "Asia/Singapore", "2026-03-03T16:30:00Z");
        let days: Vec<_> = period
            .days()
            .iter()
            .map(|day| day.to_report(period.now))
            .map(|day| (day.day, day.is_unfinished))
            .collect();
        let expected = [("2026-03-03", false), ("2026-03-04", true)];
        assert_eq!(days, expected.map(|(day, is)| (day.to_owned(), is)));
        assert_eq!(
            to_strings([period.this_week.from, period.week_before.from]),
            ["03-01 16:00", "02-22 16:00"]
        );
        assert_eq!(
            to_strings([period.week_before_so_far.before]),
            ["02-24 16:30"]
        );
        assert_eq!(
            to_strings(period.boundaries()),
            [
                "02-22 16:00",
                "02-24 16:30",
                "03-01 16:00",
                "03-02 16:00",
                "03-03 16:00",
                "03-03 16:30"
            ]
        );
    }

    #[test]
    fn week_so_far_is_not_negative_when_clocks_change() {
        // Clocks in Berlin moved forward on Sunday the 29th of March, so Monday began an hour earlier in UTC.
        let monday = period(1, "Europe/Berlin", "2026-03-29T22:30:00Z");
        assert_eq!(
            monday.week_before_so_far.before,
            monday.week_before_so_far.from
        );
    }

    #[test]
    fn rejects_invalid_days_and_time_zones() {
        let parse = |days, time_zone: &str| {
            let request = GetReportRequest {
                days,
                time_zone: time_zone.to_owned(),
            };
            Period::parse(&request, DateTimeUtc::UNIX_EPOCH).err()
        };
        assert_eq!(parse(1000, "Asia/Singapore"), None);
        assert_eq!(parse(0, "Asia/Singapore"), Some(Invalid::NumberOfDays));
        assert_eq!(parse(1001, "Asia/Singapore"), Some(Invalid::NumberOfDays));
        let unknown = FieldError::UnknownValue("time_zone");
        assert_eq!(parse(30, "Singapur"), Some(unknown.into()));
    }
}
