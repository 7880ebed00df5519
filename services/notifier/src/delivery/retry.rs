//! Decides after a failed attempt whether and when to retry.

use std::{str::FromStr, time::Duration};

use lead::Outcome;
use messaging::Reason;
use uuid::Uuid;

use super::policy::{self, Audience, Next};
use crate::{
    mail::ComposeError,
    routes::Destination,
    smtp::{ReplyClass, SendError},
    webhook::WebhookError,
};

/// The wait if too many deliveries to visitors or webhooks are in progress.
const BUSY_WAIT: Duration = Duration::from_secs(10);

/// The wait for a brochure. While the site has none, this process leases no brochures.
const UNPUBLISHED_WAIT: Duration = Duration::from_secs(60 * 60);

const MAX_DELAY: Duration = Duration::from_secs(30 * 24 * 60 * 60);

#[derive(Debug, thiserror::Error)]
pub(crate) enum DeliveryError {
    #[error(transparent)]
    Compose(#[from] ComposeError),
    #[error(transparent)]
    Send(#[from] SendError),
    #[error(transparent)]
    Webhook(#[from] WebhookError),
    #[error("claim too old, not sent")]
    OldClaim,
    #[error("mail server unavailable")]
    Unavailable,
    #[error("too many concurrent deliveries")]
    Busy,
    #[error("delivery panicked")]
    Panicked,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Retry {
    /// Retry after this wait. Does not count as an attempt.
    Uncounted(Duration),
    /// Retry by the policy of emails.
    Policy(ReplyClass),
    /// Retry after the next of `RETRY_DELAYS`.
    Delays,
    /// Like [`Retry::Delays`], but not before this wait, or the longest delay if that is shorter.
    NotBefore(Duration),
    Never,
}

impl DeliveryError {
    /// The error's class, for logs and reports.
    fn classify(&self) -> (&'static str, Retry) {
        match self {
            Self::Compose(ComposeError::NoBrochure) => {
                ("brochure", Retry::Uncounted(UNPUBLISHED_WAIT))
            }
            Self::Compose(ComposeError::Unaddressable) => ("address", Retry::Never),
            Self::Compose(ComposeError::NotInRoutes) => ("routes", Retry::Never),
            Self::Compose(ComposeError::Template(_) | ComposeError::Message(_)) => {
                ("compose", Retry::Never)
            }
            Self::Webhook(WebhookError::Gone) => ("webhook", Retry::Never),
            Self::Webhook(WebhookError::Replied {
                retry_after: Some(wait),
                ..
            }) => ("webhook", Retry::NotBefore(*wait)),
            Self::Webhook(_) => ("webhook", Retry::Delays),
            Self::Send(error) => (reason_class(error.class), Retry::Policy(error.class)),
            Self::Unavailable => ("smtp", Retry::Uncounted(Duration::ZERO)),
            Self::OldClaim => ("late", Retry::Uncounted(Duration::ZERO)),
            Self::Busy => ("busy", Retry::Uncounted(BUSY_WAIT)),
            Self::Panicked => ("panic", Retry::Delays),
        }
    }

    pub(crate) fn class(&self) -> &'static str {
        self.classify().0
    }

    /// Whether no later attempt can succeed.
    pub(crate) fn is_final(&self) -> bool {
        matches!(
            self.classify().1,
            Retry::Never | Retry::Policy(ReplyClass::BadAddress)
        )
    }

    /// The outcome of a failed attempt, counted from 1. Instead of failing, a delivery is cancelled if an operator can do
    /// nothing: a confirmation, a brochure to a bad address, or an email to a person who has left.
    pub(super) fn to_outcome(
        &self,
        destination: &Destination,
        attempt: u32,
        delays: &RetryDelays,
        lead: Uuid,
    ) -> Outcome {
        let (class, retry) = self.classify();
        let reason = to_reason(Reason::new(class, self.to_string()));
        let next = match retry {
            Retry::Uncounted(after) => {
                return Outcome::Retry {
                    after,
                    reason,
                    counts: false,
                };
            }
            Retry::Policy(reply) => {
                let rule = policy::rule(reply, Audience::from_destination(destination));
                rule.next(attempt, delays, lead)
            }
            Retry::Delays => Next::from_wait(delays.delay_after(attempt, lead)),
            Retry::NotBefore(least) => {
                let least = (least + jitter(least / 4, lead)).min(delays.longest(lead));
                let delay = delays.delay_after(attempt, lead);
                Next::from_wait(delay.map(|delay| delay.max(least)))
            }
            Retry::Never => Next::End,
        };
        match next {
            Next::AfterProbe => Outcome::Retry {
                after: Duration::ZERO,
                reason,
                counts: false,
            },
            Next::Wait(after) => Outcome::Retry {
                after,
                reason,
                counts: true,
            },
            Next::End if self.is_cancelled_for(destination) => Outcome::Cancelled(reason),
            Next::End => Outcome::Failed(reason),
        }
    }

    /// Whether an operator can do nothing about a delivery that has ended with this error.
    fn is_cancelled_for(&self, destination: &Destination) -> bool {
        match destination {
            Destination::Visitor => true,
            Destination::Brochure => self.is_final(),
            Destination::Sales(_) | Destination::Webhook(_) | Destination::Requested { .. } => {
                matches!(self, Self::Compose(ComposeError::NotInRoutes))
            }
        }
    }
}

/// The reason class of a failed email. crm-sync reads those about the address and the mailbox.
fn reason_class(class: ReplyClass) -> &'static str {
    match class {
        ReplyClass::ServerDown | ReplyClass::SenderRefused | ReplyClass::TryLater => "smtp",
        ReplyClass::MailboxFull => "mailbox-full",
        ReplyClass::BadAddress => "smtp-rejected",
    }
}

/// The reason in a report.
pub(super) fn to_reason(reason: Reason) -> lead::Reason {
    lead::Reason {
        class: reason.class.to_owned(),
        detail: reason.detail,
    }
}

/// The waits before the second, third, ... attempt. A delivery fails after the last attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryDelays(Vec<Duration>);

impl RetryDelays {
    /// The wait after this failed attempt; `None` if no attempt is left. Up to a quarter longer than configured, depending
    /// on the lead: deliveries of one lead are retried together, and those of leads that failed at the same time are not.
    pub(super) fn delay_after(&self, attempt: u32, lead: Uuid) -> Option<Duration> {
        let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        self.0
            .get(index)
            .map(|delay| *delay + jitter(*delay / 4, lead))
    }

    /// The number of attempts with these delays.
    pub(super) fn attempts(&self) -> u32 {
        u32::try_from(self.0.len()).map_or(u32::MAX, |delays| delays.saturating_add(1))
    }

    pub(super) fn longest(&self, lead: Uuid) -> Duration {
        let longest = self.0.last().copied().unwrap_or(MAX_DELAY);
        longest + jitter(longest / 4, lead)
    }
}

/// From zero to the whole duration in steps of a hundredth, depending on the id.
pub(crate) fn jitter(duration: Duration, id: Uuid) -> Duration {
    let percent = u32::try_from(id.as_u128() % 101).unwrap_or_default();
    duration * percent / 100
}

impl FromStr for RetryDelays {
    type Err = &'static str;

    /// Parses delays separated by commas: `5s,30s,2m`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const INVALID: &str = "must be delays such as 5s,2m,6h, each from 1 second to 30 days and not shorter than the previous delay";
        let delays = text
            .split(',')
            .map(str::trim)
            .filter(|delay| !delay.is_empty());
        let delays = delays
            .map(humantime::parse_duration)
            .collect::<Result<Vec<_>, _>>();
        let delays = delays.map_err(|_| INVALID)?;
        let is_in_range = |delay: &Duration| (Duration::from_secs(1)..=MAX_DELAY).contains(delay);
        let is_valid = !delays.is_empty() && delays.iter().all(is_in_range) && delays.is_sorted();
        if is_valid {
            Ok(Self(delays))
        } else {
            Err(INVALID)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn unpublished_brochure_costs_no_attempt() {
        let delays = "1s,2s".parse().unwrap();
        let error = DeliveryError::Compose(ComposeError::NoBrochure);
        let outcome = error.to_outcome(&Destination::Brochure, 99, &delays, Uuid::nil());
        assert!(matches!(
            outcome,
            Outcome::Retry {
                after: UNPUBLISHED_WAIT,
                counts: false,
                ..
            }
        ));
    }

    #[test]
    fn retry_after_extends_a_wait_within_the_schedule() {
        let delays = "10s,60s".parse().unwrap();
        for (retry_after, attempt, expected) in [
            (None, 1, Some(10)),
            (Some(5), 1, Some(10)),
            (Some(30), 1, Some(30)),
            (Some(999), 1, Some(60)),
            (Some(30), 3, None),
        ] {
            let error = WebhookError::Replied {
                status: 429,
                retry_after: retry_after.map(Duration::from_secs),
            };
            let destination = Destination::Sales("a@x.co".parse().unwrap());
            let outcome = DeliveryError::Webhook(error).to_outcome(
                &destination,
                attempt,
                &delays,
                Uuid::nil(),
            );
            let wait = if let Outcome::Retry { after, .. } = outcome {
                Some(after.as_secs())
            } else {
                None
            };
            assert_eq!(wait, expected, "{retry_after:?}");
        }
    }

    #[test]
    fn delays_must_grow() {
        for text in [
            "",
            " , ",
            "0s",
            "10ms",
            "721h",
            "9999999999999999999h",
            "2m,30s",
            "5",
            "5s,soon",
            "-5s",
        ] {
            assert!(text.parse::<RetryDelays>().is_err(), "{text}");
        }
    }

    #[test]
    fn each_attempt_but_the_last_has_a_delay() {
        let delays: RetryDelays = "60s, 1m, 2m".parse().unwrap();
        let seconds = [1, 2, 3, 4].map(|attempt| {
            delays
                .delay_after(attempt, Uuid::nil())
                .map(|delay| delay.as_secs())
        });
        assert_eq!(seconds, [Some(60), Some(60), Some(120), None]);
        assert_eq!(delays.longest(Uuid::nil()), Duration::from_secs(120));
    }

    #[test]
    fn delays_of_simultaneous_failures_differ() {
        let delays: RetryDelays = "60s".parse().unwrap();
        let delays: BTreeSet<_> = (0..100)
            .map(|lead| delays.delay_after(1, Uuid::from_u128(lead)).unwrap())
            .collect();
        assert_eq!(delays.len(), 100);
        assert!(*delays.last().unwrap() <= Duration::from_secs(75));
    }
}
