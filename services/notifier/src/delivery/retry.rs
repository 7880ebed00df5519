//! Decides after a failed attempt whether and when to retry.

use std::time::Duration;

use lead::Outcome;
use messaging::Reason;
use uuid::Uuid;

use super::{
    delays::{RetryDelays, jitter},
    policy::{self, Audience, Next},
};
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
    #[error("outside the hours of the sales team")]
    Closed {
        /// The time until the hours begin.
        opens_after: Duration,
    },
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
            Self::Closed { opens_after } => ("hours", Retry::Uncounted(*opens_after)),
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
    /// nothing: a confirmation, a brochure to a bad address, a reminder, which the daily summary replaces, or an email to a
    /// person who has left.
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
            Destination::Requested { .. } if destination.is_reminder() => true,
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

#[cfg(test)]
mod tests {
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
    fn reminder_never_needs_an_operator() {
        let delays = "1s".parse().unwrap();
        let address: lettre::Address = "mei@x.co".parse().unwrap();
        let reminder = Destination::Requested {
            recipient: "reminder:Mei".into(),
            address: Some(address),
        };
        let outcome = |error: DeliveryError, attempt| {
            error.to_outcome(&reminder, attempt, &delays, Uuid::nil())
        };
        for (error, attempt) in [
            (DeliveryError::Panicked, 2),
            (DeliveryError::Compose(ComposeError::NotInRoutes), 1),
            (DeliveryError::Compose(ComposeError::Unaddressable), 1),
        ] {
            assert!(matches!(outcome(error, attempt), Outcome::Cancelled(_)));
        }
        let opens_after = Duration::from_secs(3600);
        let closed = outcome(DeliveryError::Closed { opens_after }, 1);
        let Outcome::Retry { after, counts, .. } = closed else {
            panic!("no retry");
        };
        assert_eq!((after, counts), (opens_after, false));
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
}
