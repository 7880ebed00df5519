//! A lead as stored and as sent to clients, and where it came from. [`StoredLead`] does not implement `Debug`: it holds personal data.

use ::lead::{Language, Lead, field::timestamp};
use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;
use strum::{EnumString, IntoStaticStr};

use super::{keys::Contact, progress::Progress};

/// Where the CRM first received a lead from. Stored and counted under its snake_case name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Source {
    Broker,
    /// The fallback path: a call of RecordLead.
    Grpc,
    /// A notifier's claim that arrived before the message.
    Claim,
    /// An erasure: the row is a tombstone that blocks copies of the erased lead.
    Erasure,
}

impl From<Source> for crm::Source {
    fn from(source: Source) -> Self {
        match source {
            Source::Erasure => Self::Unspecified,
            Source::Broker => Self::Broker,
            Source::Grpc => Self::Grpc,
            Source::Claim => Self::Claim,
        }
    }
}

/// The permitted use of personal data, stored under its snake_case name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Purpose {
    /// Answering the enquiry, and informing the visitor about this project.
    Enquiry,
}

impl From<Purpose> for crm::Purpose {
    fn from(purpose: Purpose) -> Self {
        match purpose {
            Purpose::Enquiry => Self::Enquiry,
        }
    }
}

#[derive(Clone, PartialEq)]
pub struct StoredLead {
    pub submission: Lead,
    /// When the database first stored the lead.
    pub recorded_at: DateTime<Utc>,
    pub source: Source,
    /// Delivered mails, oldest first.
    pub deliveries: Vec<crm::Delivery>,
    /// `None` for a canary.
    pub contact: Option<Contact>,
    pub progress: Progress,
    pub purpose: Purpose,
}

impl From<StoredLead> for crm::Lead {
    fn from(lead: StoredLead) -> Self {
        let consent = crm::Consent {
            policy_version: lead.submission.privacy_policy_version.clone().into(),
            language: Language::number(lead.submission.language),
            given_at: Some(timestamp(lead.submission.submitted_at)),
            purpose: crm::Purpose::from(lead.purpose).into(),
        };
        let contact = lead.contact;
        let conflicting = contact.and_then(|contact| contact.conflicting);
        Self {
            submission: Some(lead.submission.into()),
            recorded_at: Some(timestamp(lead.recorded_at)),
            deliveries: lead.deliveries,
            contact_id: contact.map(|contact| contact.id.to_string()).unwrap_or_default(),
            conflicting_contact_id: conflicting.map(|id| id.to_string()).unwrap_or_default(),
            progress: Some(lead.progress.into()),
            consent: Some(consent),
            ..Self::default()
        }
    }
}
