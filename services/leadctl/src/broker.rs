//! Reads, replays and deletes dead letters in the broker.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use contracts::leads::v1::LeadSubmitted;
use lead::{Reference, field::uuid, text::single_line};
use messaging::{
    ConnectionError, Event, Settings,
    dead_letters::{DeadLetter, DeadLetters, DeadLettersError},
    topology::{CRM_SYNC, NOTIFIER},
};
use secrecy::ExposeSecret;
use serde::Serialize;
use ureq::http::{Uri, uri::Authority};
use uuid::Uuid;

use crate::{
    config::Config,
    crm::unreachable_error,
    error::{Error, Exit},
};

pub(crate) struct DeadLetterQueues<'a> {
    /// The queues, each with the name of its service.
    queues: Vec<(&'static str, DeadLetters)>,
    config: &'a Config,
}

impl<'a> DeadLetterQueues<'a> {
    /// Connects to the queue of the service `only`, or to the queues of all services.
    pub(crate) async fn connect(config: &'a Config, only: Option<&str>) -> Result<Self, Error> {
        let url = config.amqp.as_ref().ok_or_else(|| {
            Exit::Usage.error(format!(
                "{} has no `amqp` entry, which dead letters require.\n\
                 Add amqp = \"amqp://operator:PASSWORD@HOST:PORT/%2f\" with the password of the operator user.",
                config.path.display()
            ))
        })?;
        let mut queues = Vec::new();
        for subscription in [NOTIFIER, CRM_SYNC] {
            if only.is_none_or(|only| only == subscription.service) {
                let letters = DeadLetters::connect(Settings::new(url.clone()), subscription).await;
                queues.push((
                    subscription.service,
                    letters.map_err(|error| explain(&error, config))?,
                ));
            }
        }
        Ok(Self { queues, config })
    }

    /// Returns the messages of each queue in turn, oldest first.
    pub(crate) async fn list(&self) -> Result<Vec<Message>, Error> {
        self.in_each(async |_, queue| queue.list().await).await
    }

    /// Moves messages back to the queues of their services. Returns the messages that still existed.
    pub(crate) async fn replay(&self, messages: &[Message]) -> Result<Vec<Message>, Error> {
        self.in_each(async |service, queue| queue.replay(&select(messages, service)).await)
            .await
    }

    /// Deletes messages. Returns the messages that still existed.
    pub(crate) async fn delete(&self, messages: &[Message]) -> Result<Vec<Message>, Error> {
        self.in_each(async |service, queue| queue.discard(&select(messages, service)).await)
            .await
    }

    async fn in_each(
        &self,
        call: impl AsyncFn(&'static str, &DeadLetters) -> Result<Vec<DeadLetter>, DeadLettersError>,
    ) -> Result<Vec<Message>, Error> {
        let mut messages = Vec::new();
        for (service, queue) in &self.queues {
            let letters = call(service, queue).await.map_err(|error| match error {
                DeadLettersError::Connection(error) if error.is_refusal() => {
                    explain(&error, self.config)
                }
                error
                @ (DeadLettersError::Connection(_) | DeadLettersError::Interrupted { .. }) => {
                    Exit::Failed.error(format!("the broker failed: {error}"))
                }
            })?;
            messages.extend(
                letters
                    .into_iter()
                    .map(|letter| Message::new(service, letter)),
            );
        }
        Ok(messages)
    }
}

/// Returns the fingerprints of one service's messages.
fn select(messages: &[Message], service: &str) -> HashSet<Uuid> {
    messages
        .iter()
        .filter(|message| message.queue == service)
        .map(|message| message.fingerprint)
        .collect()
}

/// Explains a failed connection. The broker's errors may contain the user's name but never the password.
fn explain(error: &ConnectionError, config: &Config) -> Error {
    let url = config
        .amqp
        .as_ref()
        .map(ExposeSecret::expose_secret)
        .unwrap_or_default();
    let (address, path) = (host_and_port(url), config.path.display());
    let cause = single_line(&error.to_string());
    if matches!(error, ConnectionError::Address(_)) {
        Exit::Usage.error(format!(
            "{path} is invalid: `amqp` must be amqp://USER:PASSWORD@HOST:PORT/VHOST"
        ))
    } else if error.is_refusal() {
        Exit::Denied.error(format!(
            "permission denied: the broker at {address} rejected the user in {path}: {cause}.\n\
             The user needs read access to the dead-letter queues and, to replay, write access to the exchange dead-letters."
        ))
    } else {
        unreachable_error("the broker", &address, &cause, config)
    }
}

/// Returns `host:port` of an AMQP address, without the user and the password.
fn host_and_port(url: &str) -> String {
    let uri = url.parse::<Uri>().ok();
    let authority = uri
        .as_ref()
        .and_then(Uri::authority)
        .map_or("", Authority::as_str);
    authority.rsplit('@').next().unwrap_or_default().to_owned()
}

/// A dead letter. Only `event` contains personal data.
#[derive(Serialize)]
pub(crate) struct Message {
    /// The service that could not process the message.
    pub(crate) queue: &'static str,
    /// The first 8 hexadecimal digits of the fingerprint. A message has the same id in both queues.
    pub(crate) id: String,
    pub(crate) lead_id: Option<String>,
    pub(crate) reference: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) since: Option<DateTime<Utc>>,
    pub(crate) replayed: u32,
    pub(crate) class: String,
    pub(crate) detail: String,
    pub(crate) trace_id: Option<String>,
    #[serde(skip)]
    pub(crate) fingerprint: Uuid,
    /// `None` if the message cannot be decoded.
    #[serde(skip)]
    pub(crate) event: Option<Event>,
}

impl Message {
    fn new(queue: &'static str, letter: DeadLetter) -> Self {
        let parse_id = |text: &str| uuid("lead_id", text).ok();
        let lead_id = letter
            .event
            .as_ref()
            .and_then(|event| parse_id(event.lead_id()));
        let mut message = Self {
            queue,
            id: letter.fingerprint.simple().to_string()[..8].to_owned(),
            lead_id: lead_id
                .or_else(|| parse_id(&letter.message_id))
                .map(|id| id.to_string()),
            reference: None,
            kind: letter.kind,
            since: letter.dead_lettered_at,
            replayed: letter.replayed,
            class: letter.error_class,
            detail: letter.error_detail,
            trace_id: letter.trace_id,
            fingerprint: letter.fingerprint,
            event: letter.event,
        };
        message.reference = message.lead().map(|lead| lead.reference.clone());
        message
    }

    pub(crate) fn lead(&self) -> Option<&LeadSubmitted> {
        match self.event.as_ref()? {
            Event::LeadSubmitted(lead) => Some(lead),
            Event::LeadDelivered(delivered) => delivered.lead.as_ref(),
            Event::LeadWithdrawn(_) | Event::LeadConsented(_) => None,
        }
    }

    /// Whether `typed` is the message's id, or the id or the reference of its lead.
    pub(crate) fn matches(&self, typed: &str) -> bool {
        let typed = typed.trim();
        let is_lead_id =
            Uuid::try_parse(typed).is_ok_and(|id| self.lead_id == Some(id.to_string()));
        let reference = typed.parse::<Reference>().ok();
        let is_reference =
            reference.is_some_and(|it| self.reference.as_deref() == Some(it.as_str()));
        self.id.eq_ignore_ascii_case(typed) || is_lead_id || is_reference
    }
}

#[cfg(test)]
mod tests {
    use contracts::leads::v1::LeadDelivered;

    use super::*;

    fn message(message_id: &str, event: Option<Event>) -> Message {
        let letter = DeadLetter {
            fingerprint: Uuid::from_u128(0xfeed_0000_0000_0000_0000_0000_0000_0001),
            message_id: message_id.to_owned(),
            kind: String::new(),
            error_class: String::new(),
            error_detail: String::new(),
            trace_id: None,
            dead_lettered_at: None,
            replayed: 0,
            event,
        };
        Message::new("notifier", letter)
    }

    #[test]
    fn messages_match_by_lead_or_own_id() {
        let submitted = LeadSubmitted {
            lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            reference: "ZG-7F3K-20".to_owned(),
            ..Default::default()
        };
        let delivered = LeadDelivered {
            lead: Some(submitted.clone()),
            ..Default::default()
        };
        for event in [
            Event::LeadSubmitted(submitted),
            Event::LeadDelivered(delivered),
        ] {
            let message = message("", Some(event));
            for typed in [
                "ZG-7F3K-20",
                " zg-7f3k-2o",
                "7F3K20",
                "6F9619FF-8b86-5011-b42d-00cf4fc964ff",
                "FEED0000",
            ] {
                assert!(message.matches(typed), "{typed}");
            }
            for typed in [
                "",
                "ZG",
                "ZG-7F3K-21",
                "7F3K",
                "6f9619ff-8b86-5011-b42d-00cf4fc96400",
                "feed0001",
            ] {
                assert!(!message.matches(typed), "{typed}");
            }
        }
    }

    #[test]
    fn unreadable_messages_have_an_id() {
        let about_a_lead = message("6f9619ff-8b86-5011-b42d-00cf4fc964ff", None);
        assert_eq!(
            about_a_lead.lead_id.as_deref(),
            Some("6f9619ff-8b86-5011-b42d-00cf4fc964ff")
        );
        let poison = message("poison", None);
        assert_eq!(
            (poison.id.as_str(), poison.lead_id.as_deref()),
            ("feed0000", None)
        );
        assert!(poison.matches("feed0000") && !poison.matches(""));
    }

    #[test]
    fn address_omits_user_and_password() {
        for (url, shown) in [
            ("amqp://operator:secret@rabbit:5672/%2f", "rabbit:5672"),
            ("amqps://operator:secret@10.0.0.1/%2f", "10.0.0.1"),
            ("amqp://operator:sec@ret@rabbit", "rabbit"),
            ("amqp://operator:sec ret@rabbit", ""),
        ] {
            assert_eq!(host_and_port(url), shown);
        }
    }
}
