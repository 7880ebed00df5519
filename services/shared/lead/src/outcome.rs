//! The outcome of an attempt to deliver a lead, which notifier reports and crm-sync records.

use std::time::Duration;

use chrono::{DateTime, Utc};
pub use contracts::leads::v1::Reason;
use contracts::leads::v1::{
    DeliveryReport,
    delivery_report::{self as report},
};

use crate::{
    FieldError, Recipient,
    field::{duration, optional_text, required_duration, required_time, timestamp},
    text::storable,
};

/// Maximum length of a reason's class.
const CLASS_LENGTH: usize = 50;

/// The outcome of an attempt. Its snake_case name is a metric label.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// The receiver's server accepted the email or the request.
    Delivered(Receipt),
    /// A later attempt may succeed.
    Retry {
        /// The minimum wait before the next attempt.
        after: Duration,
        /// Why the attempt failed.
        reason: Reason,
        /// Whether the attempt counts, so the deliveries of a recipient that never answers end.
        counts: bool,
    },
    /// No later attempt can succeed. An operator must retry or discard the delivery.
    Failed(Reason),
    /// Ended without delivery. Requires no action by an operator.
    Cancelled(Reason),
}

/// What the receiver's server answered to a delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// `Message-ID` header of the email, or the id of the request to a webhook.
    pub mail_message_id: String,
    /// The server's reply, for a visitor's email only its codes.
    pub server_reply: String,
    /// The time of the reply.
    pub delivered_at: DateTime<Utc>,
}

impl Outcome {
    /// Reads the outcome of a report.
    ///
    /// # Errors
    /// [`FieldError`] of the outcome's first invalid field.
    pub fn from_report(message: DeliveryReport) -> Result<Self, FieldError> {
        let outcome = message
            .outcome
            .ok_or(FieldError::Missing("reports.outcome"))?;
        let outcome = match outcome {
            report::Outcome::Delivered(delivered) => Self::Delivered(Receipt {
                mail_message_id: storable(&delivered.mail_message_id),
                server_reply: storable(&delivered.server_reply),
                delivered_at: required_time("reports.delivered_at", delivered.delivered_at)?,
            }),
            report::Outcome::Retry(retry) => Self::Retry {
                after: required_duration("reports.after", retry.after)?,
                reason: parse_reason(retry.reason)?,
                counts: retry.counts,
            },
            report::Outcome::Failed(failed) => Self::Failed(parse_reason(failed.reason)?),
            report::Outcome::Cancelled(cancelled) => {
                Self::Cancelled(parse_reason(cancelled.reason)?)
            }
        };
        Ok(outcome)
    }

    /// The report of this outcome for a recipient.
    #[must_use]
    pub fn to_report(&self, recipient: &Recipient) -> DeliveryReport {
        let outcome = match self.clone() {
            Self::Delivered(receipt) => report::Outcome::Delivered(report::Delivered {
                mail_message_id: receipt.mail_message_id,
                server_reply: receipt.server_reply,
                delivered_at: Some(timestamp(receipt.delivered_at)),
            }),
            Self::Retry {
                after,
                reason,
                counts,
            } => report::Outcome::Retry(report::Retry {
                after: Some(duration(after)),
                reason: Some(reason),
                counts,
            }),
            Self::Failed(reason) => report::Outcome::Failed(report::Failed {
                reason: Some(reason),
            }),
            Self::Cancelled(reason) => report::Outcome::Cancelled(report::Cancelled {
                reason: Some(reason),
            }),
        };
        DeliveryReport {
            recipient: recipient.to_string(),
            outcome: Some(outcome),
        }
    }
}

fn parse_reason(reason: Option<Reason>) -> Result<Reason, FieldError> {
    let reason = reason.ok_or(FieldError::Missing("reports.reason"))?;
    Ok(Reason {
        class: optional_text("reason.class", &reason.class, CLASS_LENGTH)?,
        detail: storable(&reason.detail),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason() -> Reason {
        Reason {
            class: "smtp".to_owned(),
            detail: "451 4.3.0 try later".to_owned(),
        }
    }

    #[test]
    fn report_keeps_recipient_and_outcome() {
        let recipient = Recipient::from("webhook:crm");
        for outcome in [
            Outcome::Delivered(Receipt {
                mail_message_id: "<1@zyongrand.example>".to_owned(),
                server_reply: "250 2.0.0".to_owned(),
                delivered_at: DateTime::UNIX_EPOCH,
            }),
            Outcome::Retry {
                after: Duration::from_millis(2500),
                reason: reason(),
                counts: true,
            },
            Outcome::Failed(reason()),
            Outcome::Cancelled(reason()),
        ] {
            let report = outcome.to_report(&recipient);
            assert_eq!(report.recipient, "webhook:crm");
            assert_eq!(Outcome::from_report(report), Ok(outcome));
        }
    }

    #[test]
    fn report_without_outcome_or_reason_is_invalid() {
        let report = |outcome| DeliveryReport {
            recipient: "visitor".to_owned(),
            outcome,
        };
        let failed = report::Outcome::Failed(report::Failed { reason: None });
        for (outcome, field) in [(None, "reports.outcome"), (Some(failed), "reports.reason")] {
            let error = Outcome::from_report(report(outcome)).err();
            assert_eq!(error, Some(FieldError::Missing(field)));
        }
    }
}
