//! Delivery outcomes and the messages that report them.

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::leads::v1::{
    self as leads, DeliveryReport,
    delivery_report::{self as report, Outcome as Reported},
};
use lead::field::{duration, timestamp};
use messaging::Reason;

use crate::{mail::Mail, recipients::Recipient, smtp::Accepted, webhook::Posted};

#[derive(Clone)]
pub(crate) enum Outcome {
    /// The mail server accepted the mail.
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

#[derive(Clone)]
pub(crate) struct Delivered(report::Delivered);

impl Delivered {
    pub(crate) fn new(recipient: Recipient<'_>, mail: &Mail, accepted: &Accepted, at: DateTime<Utc>) -> Self {
        Self(report::Delivered {
            mail_message_id: mail.message_id.to_string(),
            server_reply: match recipient {
                Recipient::Sales(_) | Recipient::Webhook(_) | Recipient::Requested(_) => {
                    accepted.reply.clone()
                }
                Recipient::Visitor | Recipient::Brochure => codes(&accepted.reply),
            },
            delivered_at: Some(timestamp(at)),
        })
    }

    pub(crate) fn posted(Posted { id, status }: Posted, at: DateTime<Utc>) -> Self {
        Self(report::Delivered {
            mail_message_id: id,
            server_reply: status.to_string(),
            delivered_at: Some(timestamp(at)),
        })
    }
}

pub(super) fn message((recipient, outcome): &(String, Outcome)) -> DeliveryReport {
    let outcome = match outcome {
        Outcome::Delivered(Delivered(delivered)) => Reported::Delivered(delivered.clone()),
        Outcome::Retry { after, reason, counts } => Reported::Retry(report::Retry {
            after: Some(duration(*after)),
            reason: Some(why(reason)),
            counts: *counts,
        }),
        Outcome::Failed(reason) => Reported::Failed(report::Failed { reason: Some(why(reason)) }),
        Outcome::Cancelled(reason) => Reported::Cancelled(report::Cancelled { reason: Some(why(reason)) }),
    };
    DeliveryReport { recipient: recipient.clone(), outcome: Some(outcome) }
}

fn why(reason: &Reason) -> leads::Reason {
    leads::Reason { class: reason.class.to_owned(), detail: reason.detail.clone() }
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
    fn a_reply_without_its_words_quotes_nobody() {
        assert_eq!(codes("250 2.0.0 Ok: queued for mei@x.co"), "250 2.0.0");
        assert_eq!(codes("250 mei@x.co 2.0.0"), "250");
        assert_eq!(codes(""), "");
    }
}
