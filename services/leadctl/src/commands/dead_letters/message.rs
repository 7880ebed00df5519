//! A dead letter and its name.

use chrono::{DateTime, Utc};
use contracts::leads::v1::LeadSubmitted;
use lead::Reference;
use messaging::{Event, dead_letters::DeadLetter, topology::Subscription};
use serde::Serialize;
use uuid::Uuid;

/// Only `event` is personal.
#[derive(Serialize)]
pub(crate) struct Message {
    /// The service that the message was for.
    pub(crate) queue: &'static str,
    /// The lead's reference, the beginning of its id, or one made of the message's contents.
    pub(crate) name: String,
    /// Empty when the message has none.
    pub(crate) message_id: String,
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
    /// `None` when it cannot be decoded.
    #[serde(skip)]
    pub(crate) event: Option<Event>,
}

impl Message {
    pub(super) fn new(subscription: Subscription, letter: DeadLetter) -> Self {
        let uuid = |text: &str| Uuid::try_parse(text).ok().filter(|id| !id.is_nil());
        let lead_id = letter.event.as_ref().and_then(|event| uuid(event.lead_id()));
        let lead_id = lead_id.or_else(|| uuid(&letter.message_id));
        let reference = letter.event.as_ref().and_then(event_lead).map(|lead| lead.reference.as_str());
        let reference = reference.filter(|text| is_reference(text));
        Self {
            queue: subscription.service,
            name: name(reference, lead_id, letter.fingerprint),
            message_id: letter.message_id,
            lead_id: lead_id.map(|id| id.to_string()),
            reference: reference.map(str::to_owned),
            kind: letter.kind,
            since: letter.dead_lettered_at,
            replayed: letter.replayed,
            class: letter.error_class,
            detail: letter.error_detail,
            trace_id: letter.trace.map(|trace| trace.trace_id().to_owned()),
            fingerprint: letter.fingerprint,
            event: letter.event,
        }
    }

    pub(crate) fn lead(&self) -> Option<&LeadSubmitted> {
        self.event.as_ref().and_then(event_lead)
    }

    /// Whether `typed` is this message's name, message id, lead id or reference.
    pub(crate) fn matches_name(&self, typed: &str) -> bool {
        let typed = typed.trim();
        let by_id = Uuid::try_parse(typed).is_ok_and(|id| self.lead_id == Some(id.to_string()));
        let by_reference =
            typed.parse::<Reference>().is_ok_and(|typed| self.reference.as_deref() == Some(typed.as_str()));
        let is_own_id = !typed.is_empty() && self.message_id == typed;
        by_id || by_reference || self.name.eq_ignore_ascii_case(typed) || is_own_id
    }

    /// Equal for all messages about one lead.
    pub(crate) fn subject(&self) -> String {
        self.lead_id.clone().unwrap_or_else(|| self.fingerprint.to_string())
    }
}

fn event_lead(event: &Event) -> Option<&LeadSubmitted> {
    match event {
        Event::LeadSubmitted(lead) => Some(lead),
        Event::LeadDelivered(delivered) => delivered.lead.as_ref(),
        Event::LeadWithdrawn(_) => None,
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

/// A stranger's message may hold any text instead of a reference.
fn is_reference(text: &str) -> bool {
    text.parse::<Reference>().is_ok_and(|reference| reference.as_str() == text)
}

#[cfg(test)]
pub(crate) use self::tests::dead_letter;

#[cfg(test)]
mod tests {
    use contracts::leads::v1::LeadDelivered;
    use messaging::topology::NOTIFIER;

    use super::*;

    pub(crate) fn dead_letter(queue: &'static str, name: &str, class: &str, detail: &str) -> Message {
        Message {
            queue,
            name: name.to_owned(),
            message_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            lead_id: Some("6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned()),
            reference: Some(name.to_owned()),
            kind: "lead.submitted.v1".to_owned(),
            since: DateTime::from_timestamp(1_772_337_906, 0),
            replayed: 1,
            class: class.to_owned(),
            detail: detail.to_owned(),
            trace_id: Some("4bf92f3577b34da6a3ce929d0e0e4736".to_owned()),
            fingerprint: Uuid::nil(),
            event: None,
        }
    }

    fn message(message_id: &str, event: Option<Event>) -> Message {
        let letter = DeadLetter {
            fingerprint: Uuid::from_u128(0xfeed_0000_0000_0000_0000_0000_0000_0001),
            message_id: message_id.to_owned(),
            kind: String::new(),
            error_class: String::new(),
            error_detail: String::new(),
            trace: None,
            dead_lettered_at: None,
            replayed: 0,
            event,
        };
        Message::new(NOTIFIER, letter)
    }

    fn submitted(reference: &str) -> LeadSubmitted {
        let lead_id = "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned();
        LeadSubmitted { lead_id, reference: reference.to_owned(), ..Default::default() }
    }

    fn lead(reference: &str) -> Message {
        message("", Some(Event::LeadSubmitted(submitted(reference))))
    }

    fn delivered(lead: Option<LeadSubmitted>) -> Message {
        message("", Some(Event::LeadDelivered(LeadDelivered { lead, ..Default::default() })))
    }

    #[test]
    fn leads_match_by_reference_or_id() {
        for lead in [lead("ZG-7F3K-20"), delivered(Some(submitted("ZG-7F3K-20")))] {
            assert_eq!(lead.name, "ZG-7F3K-20");
            for typed in ["ZG-7F3K-20", " zg-7f3k-2o", "7F3K20", "6F9619FF-8b86-5011-b42d-00cf4fc964ff"] {
                assert!(lead.matches_name(typed), "{typed}");
            }
            for typed in ["", "ZG", "ZG-7F3K-21", "7F3K", "6f9619ff-8b86-5011-b42d-00cf4fc96400"] {
                assert!(!lead.matches_name(typed), "{typed}");
            }
        }
    }

    #[test]
    fn every_message_has_a_name() {
        for (message, name) in [
            (lead("\x1b[2J-7F3K-"), "6f9619ff"),
            (message("6f9619ff-8b86-5011-b42d-00cf4fc964ff", None), "6f9619ff"),
            (message("poison", None), "m-feed0000"),
            (message("", None), "m-feed0000"),
            (delivered(None), "m-feed0000"),
        ] {
            assert_eq!(message.name, name);
            assert!(message.matches_name(name) && !message.matches_name("m-feed0001"));
        }
        assert!(message("poison", None).matches_name("poison"));
        assert!(!message("", None).matches_name(""));
    }
}
