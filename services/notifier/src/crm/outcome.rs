//! Delivery outcomes and the messages that report them.

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::leads::v1::{
    self as leads, DeliveryReport,
    delivery_report::{self as report, Outcome as Reported},
};
use lead::field::{duration, timestamp};
use messaging::Reason;

use crate::recipients::Recipient;

#[derive(Clone)]
pub(crate) enum Outcome {
    Delivered(Delivered),
    Retry {
        /// The minimum wait before the next attempt.
        after: Duration,
        reason: Reason,
        counts: bool,
    },
    Failed(Reason),
    /// Final without delivery; no decision by staff is needed.
    Cancelled(Reason),
}

/// The mail server accepted the email, or the receiver the request.
#[derive(Clone)]
pub(crate) struct Delivered(report::Delivered);

impl Delivered {
    pub(crate) fn new(recipient: &Recipient, message_id: String, reply: &str, at: DateTime<Utc>) -> Self {
        let server_reply = if recipient.is_visitor() { codes(reply) } else { reply.to_owned() };
        let delivered_at = Some(timestamp(at));
        Self(report::Delivered { mail_message_id: message_id, server_reply, delivered_at })
    }
}

impl Outcome {
    pub(super) fn report(&self, recipient: String) -> DeliveryReport {
        let message = |Reason { class, detail }: &Reason| {
            Some(leads::Reason { class: (*class).to_owned(), detail: detail.clone() })
        };
        let outcome = match self {
            Self::Delivered(Delivered(delivered)) => Reported::Delivered(delivered.clone()),
            Self::Retry { after, reason, counts } => {
                let after = Some(duration(*after));
                Reported::Retry(report::Retry { after, reason: message(reason), counts: *counts })
            }
            Self::Failed(reason) => Reported::Failed(report::Failed { reason: message(reason) }),
            Self::Cancelled(reason) => Reported::Cancelled(report::Cancelled { reason: message(reason) }),
        };
        DeliveryReport { recipient, outcome: Some(outcome) }
    }
}

/// The leading status codes of a reply (`250 2.0.0`), without text that may contain an address.
fn codes(reply: &str) -> String {
    let is_code = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    reply.split_whitespace().take(2).take_while(is_code).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_codes_of_a_reply() {
        assert_eq!(codes("250 2.0.0 Ok: queued for mei@x.co"), "250 2.0.0");
        assert_eq!(codes("250 mei@x.co 2.0.0"), "250");
        assert_eq!(codes(""), "");
    }
}
