//! Delivery errors and the outcomes they lead to.

use std::time::Duration;

use messaging::Reason;
use uuid::Uuid;

use crate::{
    crm::outcome::Outcome,
    mail::ComposeError,
    recipients::Recipient,
    retry_delays::RetryDelays,
    smtp::{ReplyClass, SendError},
    webhook::WebhookError,
};

/// The wait when too much is being sent to visitors or webhooks.
const BUSY: Duration = Duration::from_secs(10);

/// The wait for a brochure, which this process does not ask for while the site has none.
const UNTIL_PUBLISHED: Duration = Duration::from_secs(60 * 60);

#[derive(Debug, thiserror::Error)]
pub(crate) enum DeliveryError {
    #[error("the address cannot be used for email, or is no visitor's")]
    Unaddressable,
    #[error("no person of this name in the routes file")]
    NotInRoutes,
    #[error("no brochure published yet")]
    NoBrochure,
    #[error(transparent)]
    Compose(#[from] ComposeError),
    #[error(transparent)]
    Send(#[from] SendError),
    #[error(transparent)]
    Webhook(#[from] WebhookError),
    #[error("claim too old, not sent")]
    Late,
    #[error("mail server unavailable")]
    Unavailable,
    #[error("too many concurrent deliveries")]
    Busy,
    #[error("delivery panicked")]
    Panicked,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Remedy {
    /// Retry after this wait; does not count as an attempt.
    Soon(Duration),
    /// Retry as the schedule allows.
    Later,
    /// Retry without limit: the cause is on our side and will be fixed.
    LaterWithoutEnd,
    Never,
}

impl DeliveryError {
    /// The outcome of a failed attempt. The delivery of a visitor's confirmation, of a brochure whose address is rejected,
    /// and to a person who has left becomes cancelled instead of failed: nobody can decide anything about it.
    pub(super) fn outcome(
        &self,
        recipient: Recipient<'_>,
        attempt: u32,
        retry_delays: &RetryDelays,
        lead: Uuid,
    ) -> Outcome {
        let reason = Reason::new(self.class(), self.to_string());
        let is_cancelled = match recipient {
            Recipient::Visitor => true,
            Recipient::Brochure => self.is_final(),
            Recipient::Sales(_) | Recipient::Webhook(_) | Recipient::Requested(_) => {
                matches!(self, Self::NotInRoutes)
            }
        };
        let is_visitor = matches!(recipient, Recipient::Visitor | Recipient::Brochure);
        let scheduled = || retry_delays.next(attempt, lead);
        let after = match self.remedy(is_visitor) {
            Remedy::Soon(after) => return Outcome::Retry { after, reason, counts: false },
            Remedy::Later => scheduled(),
            Remedy::LaterWithoutEnd => scheduled().or_else(|| Some(retry_delays.longest(lead))),
            Remedy::Never => None,
        };
        match after {
            Some(after) => Outcome::Retry { after, reason, counts: true },
            None if is_cancelled => Outcome::Cancelled(reason),
            None => Outcome::Failed(reason),
        }
    }

    /// Whether a retry can never succeed.
    pub(crate) fn is_final(&self) -> bool {
        self.remedy(false) == Remedy::Never
    }

    fn remedy(&self, is_visitor: bool) -> Remedy {
        match self {
            Self::Unaddressable
            | Self::NotInRoutes
            | Self::Compose(_)
            | Self::Webhook(WebhookError::Gone) => Remedy::Never,
            Self::Late | Self::Unavailable => Remedy::Soon(Duration::ZERO),
            Self::Busy => Remedy::Soon(BUSY),
            Self::NoBrochure => Remedy::Soon(UNTIL_PUBLISHED),
            Self::Panicked | Self::Webhook(_) => Remedy::Later,
            Self::Send(error) => match error.class {
                ReplyClass::Rejected => Remedy::Never,
                ReplyClass::TryLater => Remedy::Later,
                // A reply about a visitor's address is no evidence of a fault of the server or on our side.
                ReplyClass::ServerDown | ReplyClass::OverQuota if is_visitor => Remedy::Later,
                ReplyClass::ServerDown => Remedy::Soon(Duration::ZERO),
                ReplyClass::OverQuota => Remedy::LaterWithoutEnd,
            },
        }
    }

    /// The error's kind, for logs and reports.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Self::Unaddressable => "address",
            Self::NotInRoutes => "routes",
            Self::NoBrochure => "brochure",
            Self::Compose(_) => "compose",
            Self::Send(_) if self.is_final() => "smtp-rejected",
            Self::Send(_) | Self::Unavailable => "smtp",
            Self::Webhook(_) => "webhook",
            Self::Late => "late",
            Self::Busy => "busy",
            Self::Panicked => "panic",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpublished_brochure_is_no_attempt() {
        let retry_delays = "1s,2s".parse().unwrap();
        let outcome = DeliveryError::NoBrochure.outcome(Recipient::Brochure, 99, &retry_delays, Uuid::nil());
        assert!(matches!(outcome, Outcome::Retry { after: UNTIL_PUBLISHED, counts: false, .. }));
    }
}
