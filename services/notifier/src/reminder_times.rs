//! When the sales team is reminded of a lead that nobody has contacted. No I/O.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Timelike, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use tokens::ReminderMinutes;

/// The sales team's hours in its time zone, the same on every day, e.g. `09:00-21:00`. Reminders are sent within them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Hours {
    /// Minutes since midnight.
    from: u32,
    /// Minutes since midnight, at most those of a day.
    until: u32,
}

/// The leads that are due for a reminder, if nobody has contacted their visitors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Older leads are in the daily summary.
    pub(crate) submitted_after: DateTime<Utc>,
    /// The sales team must have had the leads at this time.
    pub(crate) since: DateTime<Utc>,
}

const MINUTES_OF_DAY: u32 = 24 * 60;

/// Leads that waited longer get no reminder, for example because reminders were off. Hours open every day, so a lead that
/// has waited long enough while they are closed is reminded of within this time.
const LONGEST_CLOSED: TimeDelta = TimeDelta::days(1);

impl Hours {
    /// The time until the hours begin, zero within them. An hour wrong if the local clock changes before.
    pub(crate) fn wait_until_open(self, now: DateTime<Utc>, zone: Tz) -> Duration {
        let local = now.with_timezone(&zone).time();
        let minute = local.num_seconds_from_midnight() / 60;
        if (self.from..self.until).contains(&minute) {
            return Duration::ZERO;
        }
        let minutes = (self.from + MINUTES_OF_DAY - minute) % MINUTES_OF_DAY;
        let passed = Duration::from_secs(local.second().into());
        Duration::from_secs(60 * u64::from(minutes)).saturating_sub(passed)
    }

    fn is_open(self, now: DateTime<Utc>, zone: Tz) -> bool {
        self.wait_until_open(now, zone).is_zero()
    }
}

impl Default for Hours {
    /// From 9 to 21 o'clock.
    fn default() -> Self {
        Self {
            from: 9 * 60,
            until: 21 * 60,
        }
    }
}

impl TryFrom<String> for Hours {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let parse = || {
            let (from, until) = text.split_once('-')?;
            let from = parse_time(from.trim())?;
            let until = parse_time(until.trim())?;
            (from < until).then_some(Self { from, until })
        };
        parse().ok_or("must be two times of one day such as 09:00-21:00, at most 24:00")
    }
}

/// Parses `HH:MM` into minutes since midnight.
fn parse_time(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let parse = |digits: &str| {
        let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse::<u32>().ok()).flatten()
    };
    let minutes = parse(minutes).filter(|minutes| *minutes < 60)?;
    let time = parse(hours)? * 60 + minutes;
    (time <= MINUTES_OF_DAY).then_some(time)
}

/// The leads that are due at `now`. `None` outside the hours, and without reminders. A lead whose wait ends while the hours
/// are closed is due when they open.
pub(crate) fn find_waiting(
    minutes: ReminderMinutes,
    hours: Hours,
    now: DateTime<Utc>,
    zone: Tz,
) -> Option<Waiting> {
    let wait = minutes.wait()?;
    hours.is_open(now, zone).then(|| Waiting {
        submitted_after: now - wait - LONGEST_CLOSED,
        since: now - wait,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZONE: Tz = Tz::Asia__Singapore;

    fn hours(text: &str) -> Result<Hours, &'static str> {
        Hours::try_from(text.to_owned())
    }

    /// A time in Singapore on 1 March 2026, or on 2 March with `+` before it.
    fn at(time: &str) -> DateTime<Utc> {
        let (day, time) = time.strip_prefix('+').map_or((1, time), |time| (2, time));
        let text = format!("2026-03-0{day}T{time}+08:00");
        DateTime::parse_from_rfc3339(&text).unwrap().to_utc()
    }

    /// Whether a lead that was submitted at a time is due at another.
    fn is_due(submitted: &str, now: &str) -> bool {
        let waiting = find_waiting(ReminderMinutes::default(), Hours::default(), at(now), ZONE);
        waiting.is_some_and(|leads| {
            let submitted = at(submitted);
            submitted > leads.submitted_after && submitted <= leads.since
        })
    }

    #[test]
    fn lead_is_due_after_the_minutes_within_the_hours() {
        for (submitted, first_due) in [
            ("12:00:00", "12:15:00"),
            ("20:44:59", "20:59:59"),
            // The hours end first.
            ("20:45:00", "+09:00:00"),
            ("20:59:00", "+09:00:00"),
            ("23:00:00", "+09:00:00"),
            ("03:00:00", "09:00:00"),
            ("08:50:00", "09:05:00"),
        ] {
            assert!(is_due(submitted, first_due), "{submitted} at {first_due}");
            let before = at(first_due) - TimeDelta::seconds(1);
            let waiting = find_waiting(ReminderMinutes::default(), Hours::default(), before, ZONE);
            let was_due = waiting.is_some_and(|leads| at(submitted) <= leads.since);
            assert!(!was_due, "{submitted} before {first_due}");
        }
    }

    #[test]
    fn reminder_that_is_a_day_late_is_not_sent() {
        assert!(is_due("12:00:00", "+12:14:59"));
        assert!(!is_due("12:00:00", "+12:15:00"));
    }

    #[test]
    fn zero_minutes_send_no_reminders() {
        let off = ReminderMinutes::try_from(0).unwrap();
        let never = find_waiting(off, Hours::default(), at("12:00:00"), ZONE);
        assert_eq!(never, None);
    }

    #[test]
    fn wait_ends_when_the_hours_begin() {
        for (hours_of_day, now, seconds) in [
            ("09:00-21:00", "09:00:00", 0),
            ("09:00-21:00", "20:59:59", 0),
            ("09:00-21:00", "21:00:00", 12 * 3600),
            ("09:00-21:00", "08:59:30", 30),
            ("09:30-09:31", "09:31:00", 24 * 3600 - 60),
            ("00:00-24:00", "23:59:59", 0),
        ] {
            let hours = hours(hours_of_day).unwrap();
            let wait = hours.wait_until_open(at(now), ZONE);
            assert_eq!(wait.as_secs(), seconds, "{hours_of_day} at {now}");
        }
    }

    #[test]
    fn hours_are_two_times_of_one_day() {
        assert_eq!(hours("09:00 - 21:00"), Ok(Hours::default()));
        assert!(hours("00:00-24:00").is_ok());
        for text in [
            "",
            "09:00",
            "9:00-21:00",
            "09:00-24:01",
            "09:60-21:00",
            "21:00-09:00",
            "09:00-09:00",
            "09:00-21:00-22:00",
            "+9:00-21:00",
        ] {
            assert!(hours(text).is_err(), "{text}");
        }
    }
}
