//! A dead letter: what it is called, and what it says.

use chrono::{DateTime, Utc};
use contracts::leads::v1::{self as leads, LeadSubmitted, delivery_report::Outcome};
use lead::Reference;
use messaging::{Event, dead_letters::DeadLetter, topology::Subscription};
use serde::{Serialize, Serializer};
use serde_json::json;
use uuid::Uuid;

use crate::lead::{interest, language, optional_rfc3339};

/// A message that a service could not deal with. Holds nothing personal but for its event.
#[derive(Serialize)]
pub(crate) struct Message {
    /// The service it was for.
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
    pub(crate) since: Option<DateTime<Utc>>,
    pub(crate) replayed: u32,
    pub(crate) class: String,
    pub(crate) detail: String,
    pub(crate) trace_id: Option<String>,
    #[serde(skip)]
    pub(crate) fingerprint: Uuid,
    /// Nothing when it cannot be decoded.
    #[serde(skip)]
    pub(crate) event: Option<Event>,
}

/// What a message says.
#[derive(Serialize)]
pub(crate) struct Contents {
    /// The lead it carries, be it valid or not.
    #[serde(flatten, serialize_with = "form")]
    pub(crate) lead: Option<LeadSubmitted>,
    /// What became of the lead's deliveries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reports: Vec<Report>,
}

/// What became of one delivery.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) recipient: String,
    pub(crate) outcome: &'static str,
    /// What the mail server answered, or why there was no mail.
    pub(crate) detail: String,
}

impl Message {
    /// As it lay in the dead-letter queue of a subscription.
    pub(super) fn new(subscription: Subscription, letter: DeadLetter) -> Self {
        let uuid = |text: &str| Uuid::try_parse(text).ok().filter(|id| !id.is_nil());
        let lead_id = letter.event.as_ref().and_then(|event| uuid(event.lead_id()));
        let lead_id = lead_id.or_else(|| uuid(&letter.message_id));
        let reference = letter.event.as_ref().and_then(lead).map(|lead| lead.reference.as_str());
        let reference = reference.filter(|it| looks_like_one(it));
        Self {
            queue: subscription.service,
            name: name(reference, lead_id, letter.fingerprint),
            message_id: letter.message_id,
            lead_id,
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

    /// The lead it carries.
    pub(crate) fn lead(&self) -> Option<&LeadSubmitted> {
        self.event.as_ref().and_then(lead)
    }

    /// What it says; nothing when it cannot be decoded.
    pub(crate) fn contents(&self) -> Option<Contents> {
        let reports = match self.event.as_ref()? {
            Event::LeadSubmitted(_) => Vec::new(),
            Event::LeadDelivered(it) => it.reports.iter().map(Report::from_wire).collect(),
        };
        Some(Contents { lead: self.lead().cloned(), reports })
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

/// What the visitor filled in, and the language of the page it stood on.
fn form<S: Serializer>(lead: &Option<LeadSubmitted>, serializer: S) -> Result<S::Ok, S::Error> {
    let Some(lead) = lead else { return serializer.serialize_none() };
    serializer.collect_map([
        ("name", json!(lead.name)),
        ("mobile", json!(lead.mobile)),
        ("email", json!(lead.email)),
        ("questions", json!(lead.questions)),
        ("interests", json!(lead.interests().map(interest).collect::<Vec<_>>())),
        ("language", json!(language(lead.language()))),
    ])
}

impl Report {
    fn from_wire(report: &leads::DeliveryReport) -> Self {
        let because = |reason: &Option<leads::Reason>| reason.as_ref().map(|it| it.detail.clone());
        let (outcome, detail) = match &report.outcome {
            Some(Outcome::Delivered(it)) => ("delivered", Some(it.server_reply.clone())),
            Some(Outcome::Again(it)) => ("again", because(&it.reason)),
            Some(Outcome::Dead(it)) => ("dead", because(&it.reason)),
            Some(Outcome::Settled(it)) => ("settled", because(&it.reason)),
            None => ("unknown", None),
        };
        Self { recipient: report.recipient.clone(), outcome, detail: detail.unwrap_or_default() }
    }
}

fn lead(event: &Event) -> Option<&LeadSubmitted> {
    match event {
        Event::LeadSubmitted(lead) => Some(lead),
        Event::LeadDelivered(it) => it.lead.as_ref(),
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
    use contracts::leads::v1::LeadDelivered;
    use messaging::topology::NOTIFIER;

    use super::*;

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
    fn a_lead_is_called_by_reference_or_id() {
        for lead in [lead("ZG-7F3K-20"), delivered(Some(submitted("ZG-7F3K-20")))] {
            assert_eq!(lead.name, "ZG-7F3K-20");
            for typed in ["ZG-7F3K-20", " zg-7f3k-2o", "7F3K20", "6F9619FF-8b86-5011-b42d-00cf4fc964ff"] {
                assert!(lead.is_called(typed), "{typed}");
            }
            for typed in ["", "ZG", "ZG-7F3K-21", "7F3K", "6f9619ff-8b86-5011-b42d-00cf4fc96400"] {
                assert!(!lead.is_called(typed), "{typed}");
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
            assert!(message.is_called(name) && !message.is_called("m-feed0001"));
        }
        assert!(message("poison", None).is_called("poison"));
        assert!(!message("", None).is_called(""));
    }
}
