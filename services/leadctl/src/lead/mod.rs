//! A lead, as it is shown and as it stands in JSON.

mod progress;
pub(crate) mod timeline;

pub(crate) use progress::{Consent, Progress, RelatedLead, State};
pub(crate) use timeline::Reason;

use chrono::{DateTime, SecondsFormat, Utc};
use contracts::{crm::v1 as crm, leads::v1 as leads};
use lead::{Interest, Language};
use prost_types::Timestamp;
use serde::{Serialize, Serializer};

use self::timeline::TimelineEntry;
use crate::error::Error;

/// A lead of a list.
#[derive(Serialize)]
pub(crate) struct Lead {
    #[serde(flatten)]
    pub(crate) submission: lead::Lead,
    #[serde(serialize_with = "rfc3339")]
    pub(crate) recorded_at: DateTime<Utc>,
    /// Mails about it that the mail server took, oldest first.
    pub(crate) deliveries: Vec<Delivery>,
    /// The person it is from: the id of the first lead from them.
    pub(crate) contact_id: String,
    /// Another person, when the address is the one's and the number the other's; empty otherwise.
    pub(crate) conflicting_contact_id: String,
    pub(crate) progress: Progress,
    pub(crate) consent: Option<Consent>,
}

/// All that the CRM knows of a lead.
#[derive(Serialize)]
pub(crate) struct FullLead {
    #[serde(flatten)]
    pub(crate) lead: Lead,
    /// What else the same person sent, newest first.
    pub(crate) related: Vec<RelatedLead>,
    /// What happened to it, oldest first.
    pub(crate) timeline: Vec<TimelineEntry>,
    /// What came with the same key and other contents; the lead's own, the first, stand.
    pub(crate) conflicts: Vec<lead::Lead>,
}

/// A mail that the mail server took.
#[derive(Serialize)]
pub(crate) struct Delivery {
    pub(crate) recipient: String,
    pub(crate) mail_message_id: String,
    pub(crate) server_reply: String,
    #[serde(serialize_with = "rfc3339")]
    pub(crate) delivered_at: DateTime<Utc>,
}

impl Lead {
    /// What the CRM sent; fails on what it never should.
    pub(crate) fn from_wire(lead: crm::Lead) -> Result<Self, Error> {
        Ok(FullLead::from_wire(lead)?.lead)
    }
}

impl FullLead {
    /// What the CRM sent; fails on what it never should.
    pub(crate) fn from_wire(lead: crm::Lead) -> Result<Self, Error> {
        let submission =
            lead.submission.ok_or_else(|| Error::Failed("its answer holds an empty lead".to_owned()))?;
        Ok(Self {
            lead: Lead {
                submission: submitted(submission)?,
                recorded_at: time(lead.recorded_at)?,
                deliveries: all(lead.deliveries, Delivery::from_wire)?,
                contact_id: lead.contact_id,
                conflicting_contact_id: lead.conflicting_contact_id,
                progress: Progress::from_wire(lead.progress.unwrap_or_default())?,
                consent: lead.consent.map(Consent::from_wire).transpose()?,
            },
            related: all(lead.related, RelatedLead::from_wire)?,
            timeline: all(lead.timeline, TimelineEntry::from_wire)?,
            conflicts: all(lead.conflicts, submitted)?,
        })
    }
}

impl Delivery {
    fn from_wire(delivery: crm::Delivery) -> Result<Self, Error> {
        Ok(Self {
            recipient: delivery.recipient,
            mail_message_id: delivery.mail_message_id,
            server_reply: delivery.server_reply,
            delivered_at: time(delivery.delivered_at)?,
        })
    }
}

fn all<T, U>(wire: Vec<T>, from_wire: impl Fn(T) -> Result<U, Error>) -> Result<Vec<U>, Error> {
    wire.into_iter().map(from_wire).collect()
}

fn submitted(submission: leads::LeadSubmitted) -> Result<lead::Lead, Error> {
    submission
        .try_into()
        .map_err(|error| Error::Failed(format!("its answer holds a lead that is none: {error}")))
}

/// The id of a choice of the form.
pub(crate) fn interest(interest: leads::Interest) -> &'static str {
    Interest::from_contract(interest.into()).ok().flatten().map_or("unknown", Interest::id)
}

/// The tag of a language.
pub(crate) fn language(language: leads::Language) -> &'static str {
    Language::from_contract(language.into()).ok().flatten().map_or("unknown", Language::tag)
}

fn optional_time(timestamp: Option<Timestamp>) -> Result<Option<DateTime<Utc>>, Error> {
    timestamp.map(|timestamp| time(Some(timestamp))).transpose()
}

/// A time that must be there.
pub(crate) fn time(timestamp: Option<Timestamp>) -> Result<DateTime<Utc>, Error> {
    lead::field::required_time("a time", timestamp)
        .map_err(|error| Error::Failed(format!("its answer is wrong: {error}")))
}

pub(crate) fn rfc3339<S: Serializer>(time: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

pub(crate) fn optional_rfc3339<S: Serializer>(
    time: &Option<DateTime<Utc>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => rfc3339(time, serializer),
        None => serializer.serialize_none(),
    }
}
