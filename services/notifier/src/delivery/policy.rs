//! The policy of retries after a failed email: one table, which the section "Retries" of `docs/email.md` shows.

use std::{fmt, time::Duration};

use uuid::Uuid;

use super::delays::{RetryDelays, jitter};
use crate::{routes::Destination, smtp::ReplyClass};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Whom the email is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumIter)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Audience {
    Sales,
    /// The sales team, for a reminder.
    Reminder,
    Visitor,
}

/// When a failed email is attempted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    waits: Waits,
    last: Last,
}

/// The waits between attempts, each up to a quarter longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// Until the mail server accepts a probe. The attempt does not count.
    Probe,
    /// `RETRY_DELAYS`, and the longest again and again.
    Setting,
    Doubling {
        first: Duration,
        longest: Duration,
    },
}

/// The attempt after which the delivery ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Attempt(u32),
    /// The one after the last of `RETRY_DELAYS`.
    OfSetting,
    /// The cause is on our side and will be fixed.
    Never,
}

/// What follows a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// An attempt after a probe, with the same number.
    AfterProbe,
    Wait(Duration),
    End,
}

/// The table.
pub(super) const fn rule(class: ReplyClass, audience: Audience) -> Rule {
    use Audience::{Reminder, Sales, Visitor};
    use ReplyClass::{BadAddress, MailboxFull, SenderRefused, ServerDown, TryLater};

    let (waits, last) = match (class, audience) {
        (ServerDown, Sales | Reminder) => (Waits::Probe, Last::Never),
        // A failure for a visitor's address is no evidence of a fault of the server or of ours, so it pauses nothing.
        (ServerDown, Visitor) => (Waits::Setting, Last::OfSetting),
        (SenderRefused, Sales | Reminder) => (Waits::Setting, Last::Never),
        // Providers lift limits after minutes, hours or a day. More attempts would prolong them.
        (SenderRefused, Visitor) => (doubling(MINUTE.saturating_mul(10)), Last::Attempt(14)),
        // About five days, as mail servers do.
        (MailboxFull, Sales | Visitor) => (doubling(HOUR), Last::Attempt(24)),
        // Too late to be useful, and the email about the lead waits for the same mailbox.
        (MailboxFull, Reminder) => (Waits::Setting, Last::Attempt(1)),
        (TryLater, Sales | Reminder | Visitor) => (Waits::Setting, Last::OfSetting),
        (BadAddress, Sales | Reminder | Visitor) => (Waits::Setting, Last::Attempt(1)),
    };
    Rule { waits, last }
}

const fn doubling(first: Duration) -> Waits {
    Waits::Doubling {
        first,
        longest: HOUR.saturating_mul(6),
    }
}

impl Next {
    pub(super) fn from_wait(wait: Option<Duration>) -> Self {
        wait.map_or(Self::End, Self::Wait)
    }
}

impl Audience {
    pub(super) fn from_destination(destination: &Destination) -> Self {
        if destination.is_visitor() {
            Self::Visitor
        } else if destination.is_reminder() {
            Self::Reminder
        } else {
            Self::Sales
        }
    }
}

impl Rule {
    /// `attempt` counts from 1.
    pub(super) fn next(self, attempt: u32, delays: &RetryDelays, lead: Uuid) -> Next {
        if self
            .last_attempt(delays)
            .is_some_and(|last| attempt >= last)
        {
            return Next::End;
        }
        match self.waits {
            Waits::Probe => Next::AfterProbe,
            Waits::Setting => Next::Wait(
                delays
                    .delay_after(attempt, lead)
                    .unwrap_or_else(|| delays.longest(lead)),
            ),
            Waits::Doubling { first, longest } => {
                let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
                let wait = first.saturating_mul(doubled).min(longest);
                Next::Wait(wait + jitter(wait / 4, lead))
            }
        }
    }

    /// `None` if attempts never end.
    fn last_attempt(self, delays: &RetryDelays) -> Option<u32> {
        match self.last {
            Last::Attempt(last) => Some(last),
            Last::OfSetting => Some(delays.attempts()),
            Last::Never => None,
        }
    }
}

impl fmt::Display for Rule {
    /// The cells of the table: first wait, growth and last attempt.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.last == Last::Attempt(1) {
            return f.write_str("none | - | 1st");
        }
        match self.waits {
            Waits::Probe => f.write_str("until a probe succeeds | not counted")?,
            Waits::Setting => f.write_str("first of `RETRY_DELAYS` | `RETRY_DELAYS`")?,
            Waits::Doubling { first, longest } => write!(
                f,
                "{} | doubles, up to {}",
                humantime::format_duration(first),
                humantime::format_duration(longest)
            )?,
        }
        match self.last {
            Last::Attempt(last) => write!(f, " | {last}th"),
            Last::OfSetting => f.write_str(" | after the last of `RETRY_DELAYS`"),
            Last::Never => f.write_str(" | none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    fn delays() -> RetryDelays {
        "5s,30s,2m".parse().unwrap()
    }

    /// The waits until the end, in seconds, at most 30.
    fn waits(class: ReplyClass, audience: Audience) -> Vec<u64> {
        let rule = rule(class, audience);
        (1..=30)
            .map_while(|attempt| match rule.next(attempt, &delays(), Uuid::nil()) {
                Next::AfterProbe => Some(0),
                Next::Wait(wait) => Some(wait.as_secs()),
                Next::End => None,
            })
            .collect()
    }

    #[test]
    fn documentation_has_the_table() {
        let docs = include_str!("../../../../docs/email.md");
        for class in ReplyClass::iter() {
            let sales = rule(class, Audience::Sales);
            let rows = if Audience::iter().all(|audience| rule(class, audience) == sales) {
                vec![format!("| `{class}` | everyone | {sales} |\n")]
            } else {
                // A reminder without a row follows the row of sales.
                Audience::iter()
                    .filter(|it| *it != Audience::Reminder || rule(class, *it) != sales)
                    .map(|it| format!("| `{class}` | {it} | {} |\n", rule(class, it)))
                    .collect()
            };
            for row in rows {
                assert!(docs.contains(&row), "docs/email.md must have:\n{row}");
            }
        }
        let rows = docs.lines().filter(|line| {
            let audience = line.split(" | ").nth(1).unwrap_or_default();
            line.starts_with("| `")
                && ["sales", "reminder", "visitor", "everyone"].contains(&audience)
        });
        assert_eq!(rows.count(), 9);
    }

    #[test]
    fn only_a_bad_address_and_late_reminders_end_at_the_first_attempt() {
        for class in ReplyClass::iter() {
            for audience in Audience::iter() {
                let ends = rule(class, audience).next(1, &delays(), Uuid::nil()) == Next::End;
                let is_late_reminder =
                    (class, audience) == (ReplyClass::MailboxFull, Audience::Reminder);
                let expected = class == ReplyClass::BadAddress || is_late_reminder;
                assert_eq!(ends, expected, "{class} {audience}");
            }
        }
    }

    #[test]
    fn full_mailbox_is_retried_hourly_at_first_and_for_days() {
        let sales = waits(ReplyClass::MailboxFull, Audience::Sales);
        assert_eq!(sales[..4], [3600, 7200, 14400, 21600]);
        let days = sales.iter().sum::<u64>() / (24 * 3600);
        assert_eq!((sales.len(), days), (23, 5));
        assert_eq!(waits(ReplyClass::MailboxFull, Audience::Visitor), sales);
    }

    #[test]
    fn our_own_faults_never_end_a_sales_email() {
        let refused = waits(ReplyClass::SenderRefused, Audience::Sales);
        assert_eq!((refused.len(), &refused[..4]), (30, &[5, 30, 120, 120][..]));
        assert_eq!(waits(ReplyClass::ServerDown, Audience::Sales), [0; 30]);
    }

    #[test]
    fn other_failures_follow_the_setting() {
        for (class, audience) in [
            (ReplyClass::TryLater, Audience::Sales),
            (ReplyClass::TryLater, Audience::Visitor),
            (ReplyClass::ServerDown, Audience::Visitor),
        ] {
            assert_eq!(waits(class, audience), [5, 30, 120], "{class}");
        }
    }

    #[test]
    fn refused_visitor_email_waits_longer_than_a_providers_daily_limit() {
        let waits = waits(ReplyClass::SenderRefused, Audience::Visitor);
        assert_eq!(waits[0], 600);
        assert!(waits.iter().sum::<u64>() > 2 * 24 * 3600);
    }

    #[test]
    fn simultaneous_failures_come_back_at_different_times() {
        let rule = rule(ReplyClass::MailboxFull, Audience::Sales);
        let waits: std::collections::HashSet<_> = (0..100)
            .filter_map(
                |lead| match rule.next(1, &delays(), Uuid::from_u128(lead)) {
                    Next::Wait(wait) => Some(wait),
                    Next::AfterProbe | Next::End => None,
                },
            )
            .collect();
        assert_eq!(waits.len(), 100);
    }
}
