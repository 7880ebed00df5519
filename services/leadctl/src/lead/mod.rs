//! A lead, as it is shown and as it stands in JSON.

mod progress;
pub(crate) mod timeline;

pub(crate) use progress::{Consent, OtherLead, Progress, State};
pub(crate) use timeline::Reason;

use chrono::{DateTime, SecondsFormat, Utc};
use contracts::{crm::v1 as crm, leads::v1 as leads};
use prost_types::Timestamp;
use serde::{Serialize, Serializer};

use self::timeline::TimelineEntry;
use crate::error::Error;

/// A lead of a list.
#[derive(Serialize)]
pub(crate) struct Lead {
    #[serde(flatten)]
    pub(crate) submission: Submission,
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
    pub(crate) others: Vec<OtherLead>,
    /// What happened to it, oldest first.
    pub(crate) timeline: Vec<TimelineEntry>,
    /// What came with the same key and other contents; the lead's own, the first, stand.
    pub(crate) conflicts: Vec<Submission>,
}

/// What lead-intake accepted.
#[derive(Serialize)]
pub(crate) struct Submission {
    pub(crate) id: String,
    pub(crate) reference: String,
    #[serde(serialize_with = "rfc3339")]
    pub(crate) submitted_at: DateTime<Utc>,
    #[serde(flatten)]
    pub(crate) form: Form,
    pub(crate) privacy_policy_version: String,
    pub(crate) session: Option<Session>,
    /// What makes it look as if no person had sent it.
    pub(crate) signs: Vec<&'static str>,
}

/// What the visitor filled in, and the language of the page it stood on.
#[derive(Serialize)]
pub(crate) struct Form {
    pub(crate) name: String,
    pub(crate) mobile: String,
    pub(crate) email: String,
    pub(crate) questions: String,
    pub(crate) interests: Vec<&'static str>,
    pub(crate) language: &'static str,
}

/// The visit a lead was sent from.
#[derive(Serialize)]
pub(crate) struct Session {
    pub(crate) id: String,
    #[serde(serialize_with = "rfc3339")]
    pub(crate) started_at: DateTime<Utc>,
    pub(crate) landing_path: String,
    pub(crate) referrer_host: String,
    pub(crate) campaign: Campaign,
}

/// The `utm_*` parameters, each empty when absent.
#[derive(Serialize)]
pub(crate) struct Campaign {
    pub(crate) source: String,
    pub(crate) medium: String,
    pub(crate) name: String,
    pub(crate) term: String,
    pub(crate) content: String,
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
                submission: Submission::from_wire(submission)?,
                recorded_at: time(lead.recorded_at)?,
                deliveries: all(lead.deliveries, Delivery::from_wire)?,
                contact_id: lead.contact_id,
                conflicting_contact_id: lead.conflicting_contact_id,
                progress: Progress::from_wire(lead.progress.unwrap_or_default())?,
                consent: lead.consent.map(Consent::from_wire).transpose()?,
            },
            others: all(lead.others, OtherLead::from_wire)?,
            timeline: all(lead.timeline, TimelineEntry::from_wire)?,
            conflicts: all(lead.conflicts, Submission::from_wire)?,
        })
    }
}

impl Submission {
    fn from_wire(submission: leads::LeadSubmitted) -> Result<Self, Error> {
        Ok(Self {
            form: Form::from_wire(&submission),
            signs: submission.signs().map(sign).collect(),
            id: submission.lead_id,
            reference: submission.reference,
            submitted_at: time(submission.submitted_at)?,
            privacy_policy_version: submission.privacy_policy_version,
            session: submission.session.map(Session::from_wire).transpose()?,
        })
    }
}

impl Form {
    /// Whatever the submission says, be it complete or not.
    pub(crate) fn from_wire(submission: &leads::LeadSubmitted) -> Self {
        Self {
            name: submission.name.clone(),
            mobile: submission.mobile.clone(),
            email: submission.email.clone(),
            questions: submission.questions.clone(),
            interests: submission.interests().map(interest).collect(),
            language: language(submission.language()),
        }
    }
}

impl Session {
    fn from_wire(session: leads::Session) -> Result<Self, Error> {
        let leads::Campaign { source, medium, name, term, content } = session.campaign.unwrap_or_default();
        Ok(Self {
            id: session.session_id,
            started_at: time(session.started_at)?,
            landing_path: session.landing_path,
            referrer_host: session.referrer_host,
            campaign: Campaign { source, medium, name, term, content },
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

/// What a choice of the form is called.
pub(crate) fn interest(interest: leads::Interest) -> &'static str {
    match interest {
        leads::Interest::Unspecified => "unknown",
        leads::Interest::Brochure => "brochure",
        leads::Interest::Purchase => "purchase",
        leads::Interest::Showflat => "showflat",
    }
}

/// What a language is called.
pub(crate) fn language(language: leads::Language) -> &'static str {
    match language {
        leads::Language::Unspecified => "unknown",
        leads::Language::En => "en",
        leads::Language::Zh => "zh",
    }
}

fn sign(sign: leads::Sign) -> &'static str {
    match sign {
        leads::Sign::Unspecified => "unknown",
        leads::Sign::Haste => "haste",
        leads::Sign::Links => "links",
        leads::Sign::Canary => "canary",
    }
}

fn optional_time(timestamp: Option<Timestamp>) -> Result<Option<DateTime<Utc>>, Error> {
    timestamp.map(|timestamp| time(Some(timestamp))).transpose()
}

/// A time that must be there.
pub(crate) fn time(timestamp: Option<Timestamp>) -> Result<DateTime<Utc>, Error> {
    timestamp
        .and_then(|it| DateTime::from_timestamp(it.seconds, u32::try_from(it.nanos).ok()?))
        .ok_or_else(|| Error::Failed("its answer lacks a time".to_owned()))
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
