//! A parked message: what it is called, and what it says.

use chrono::{DateTime, Utc};
use identifiers::Reference;
use messaging::{Event, parked::ParkedMessage, topology::Subscription};
use serde::Serialize;
use uuid::Uuid;

use crate::lead::{Form, optional_rfc3339};

/// A message that a service could not deal with. Holds nothing personal but for its contents.
#[derive(Serialize)]
pub(crate) struct Message {
    /// The service that parked it.
    pub(crate) queue: &'static str,
    /// What to call it: the lead's reference, the beginning of its id, or something made of its contents.
    pub(crate) name: String,
    /// Empty when it has none.
    pub(crate) message_id: String,
    /// The lead it is about.
    pub(crate) lead_id: Option<Uuid>,
    pub(crate) reference: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(serialize_with = "optional_rfc3339")]
    pub(crate) parked_at: Option<DateTime<Utc>>,
    pub(crate) attempt: u32,
    pub(crate) replayed: u32,
    pub(crate) class: String,
    pub(crate) detail: String,
    pub(crate) trace_id: Option<String>,
    #[serde(skip)]
    pub(crate) fingerprint: Uuid,
    #[serde(skip)]
    pub(crate) contents: Option<Contents>,
}

/// What a message says.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Contents {
    /// A lead came.
    Submitted(Form),
    /// A recipient was told.
    Notified { recipient: String, mail_message_id: String, server_reply: String },
}

impl Message {
    /// As it lay in the parked queue of a subscription.
    pub(super) fn new(subscription: Subscription, parked: ParkedMessage) -> Self {
        let uuid = |text: &str| Uuid::try_parse(text).ok().filter(|id| !id.is_nil());
        let lead_id = parked.event.as_ref().and_then(|event| uuid(event.lead_id()));
        let lead_id = lead_id.or_else(|| uuid(&parked.message_id));
        let reference = parked.event.as_ref().map(reference).filter(|it| looks_like_one(it));
        Self {
            queue: subscription.service,
            name: name(reference, lead_id, parked.fingerprint),
            message_id: parked.message_id,
            lead_id,
            reference: reference.map(str::to_owned),
            kind: parked.kind,
            parked_at: parked.parked_at,
            attempt: parked.attempt,
            replayed: parked.replayed,
            class: parked.error_class,
            detail: parked.error_detail,
            trace_id: parked.trace.map(|trace| trace.trace_id().to_owned()),
            fingerprint: parked.fingerprint,
            contents: parked.event.map(Contents::from_event),
        }
    }

    /// Whether a person who typed this means it.
    pub(super) fn is_called(&self, typed: &str) -> bool {
        let typed = typed.trim();
        let by_id = Uuid::try_parse(typed).is_ok_and(|id| self.lead_id == Some(id));
        let by_reference =
            typed.parse::<Reference>().is_ok_and(|typed| self.reference.as_deref() == Some(typed.as_str()));
        let is_own_id = !typed.is_empty() && self.message_id == typed;
        by_id || by_reference || self.name.eq_ignore_ascii_case(typed) || is_own_id
    }

    /// What is the same for all that one name may stand for.
    pub(super) fn subject(&self) -> Uuid {
        self.lead_id.unwrap_or(self.fingerprint)
    }
}

impl Contents {
    fn from_event(event: Event) -> Self {
        match event {
            Event::LeadSubmitted(it) => Self::Submitted(Form::from_wire(&it)),
            Event::LeadNotified(it) => Self::Notified {
                recipient: it.recipient,
                mail_message_id: it.mail_message_id,
                server_reply: it.server_reply,
            },
        }
    }
}

fn reference(event: &Event) -> &str {
    match event {
        Event::LeadSubmitted(it) => &it.reference,
        Event::LeadNotified(it) => &it.reference,
    }
}

fn name(reference: Option<&str>, lead_id: Option<Uuid>, fingerprint: Uuid) -> String {
    let beginning = |id: Uuid| id.simple().to_string()[..8].to_owned();
    match (reference, lead_id) {
        (Some(reference), _) => reference.to_owned(),
        (None, Some(id)) => beginning(id),
        (None, None) => format!("m-{}", beginning(fingerprint)),
    }
}

/// References are written `ZG-7F3K-2Q`, whatever a stranger's message may hold in their place.
fn looks_like_one(text: &str) -> bool {
    text.parse::<Reference>().is_ok_and(|reference| reference.as_str() == text)
}

#[cfg(test)]
mod tests {
    use contracts::leads::v1::LeadSubmitted;
    use messaging::topology::NOTIFIER;

    use super::*;

    fn message(message_id: &str, event: Option<Event>) -> Message {
        let parked = ParkedMessage {
            fingerprint: Uuid::from_u128(0xfeed_0000_0000_0000_0000_0000_0000_0001),
            message_id: message_id.to_owned(),
            kind: String::new(),
            attempt: 1,
            error_class: String::new(),
            error_detail: String::new(),
            trace: None,
            parked_at: None,
            replayed: 0,
            event,
        };
        Message::new(NOTIFIER, parked)
    }

    fn lead(reference: &str) -> Message {
        let lead_id = "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned();
        let lead = LeadSubmitted { lead_id, reference: reference.to_owned(), ..Default::default() };
        message("", Some(Event::LeadSubmitted(lead)))
    }

    #[test]
    fn a_lead_is_called_by_reference_or_id() {
        let lead = lead("ZG-7F3K-20");
        assert_eq!(lead.name, "ZG-7F3K-20");
        for typed in ["ZG-7F3K-20", " zg-7f3k-2o", "7F3K20", "6F9619FF-8b86-5011-b42d-00cf4fc964ff"] {
            assert!(lead.is_called(typed), "{typed}");
        }
        for typed in ["", "ZG", "ZG-7F3K-21", "7F3K", "6f9619ff-8b86-5011-b42d-00cf4fc96400"] {
            assert!(!lead.is_called(typed), "{typed}");
        }
    }

    #[test]
    fn every_message_has_a_name() {
        for (message, name) in [
            (lead("\x1b[2J-7F3K-"), "6f9619ff"),
            (message("6f9619ff-8b86-5011-b42d-00cf4fc964ff", None), "6f9619ff"),
            (message("poison", None), "m-feed0000"),
            (message("", None), "m-feed0000"),
        ] {
            assert_eq!(message.name, name);
            assert!(message.is_called(name) && !message.is_called("m-feed0001"));
        }
        assert!(message("poison", None).is_called("poison"));
        assert!(!message("", None).is_called(""));
    }
}
