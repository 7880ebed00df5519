//! How far sales have come with a lead, what its visitor agreed to, and what else the same person sent.

use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;
use serde::Serialize;

use super::{interest, language, optional_rfc3339, optional_time, rfc3339, time};
use crate::error::Error;

/// How far sales have come.
#[derive(Serialize)]
pub(crate) struct Progress {
    pub(crate) state: State,
    /// Empty when nobody's.
    pub(crate) owner: String,
    #[serde(serialize_with = "optional_rfc3339")]
    pub(crate) changed_at: Option<DateTime<Utc>>,
    pub(crate) changed_by: String,
    #[serde(serialize_with = "optional_rfc3339")]
    pub(crate) contacted_at: Option<DateTime<Utc>>,
}

/// A step of the work on a lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    New,
    Contacted,
    Visiting,
    Closed,
    NotALead,
    Unknown,
}

/// What a visitor agreed to.
#[derive(Serialize)]
pub(crate) struct Consent {
    /// Empty when the client did not say.
    pub(crate) policy_version: String,
    pub(crate) language: &'static str,
    #[serde(serialize_with = "optional_rfc3339")]
    pub(crate) given_at: Option<DateTime<Utc>>,
    pub(crate) purpose: &'static str,
}

/// Another lead from the same person.
#[derive(Serialize)]
pub(crate) struct RelatedLead {
    pub(crate) id: String,
    pub(crate) reference: String,
    #[serde(serialize_with = "rfc3339")]
    pub(crate) submitted_at: DateTime<Utc>,
    pub(crate) interests: Vec<&'static str>,
    pub(crate) state: State,
}

impl Progress {
    /// What the CRM sent; fails on what it never should.
    pub(crate) fn from_wire(progress: crm::Progress) -> Result<Self, Error> {
        Ok(Self {
            state: State::from_wire(progress.state()),
            owner: progress.owner,
            changed_at: optional_time(progress.changed_at)?,
            changed_by: progress.changed_by,
            contacted_at: optional_time(progress.contacted_at)?,
        })
    }
}

impl State {
    /// What the CRM sent.
    pub(crate) fn from_wire(state: crm::LeadState) -> Self {
        match state {
            crm::LeadState::Unspecified => Self::Unknown,
            crm::LeadState::New => Self::New,
            crm::LeadState::Contacted => Self::Contacted,
            crm::LeadState::Visiting => Self::Visiting,
            crm::LeadState::Closed => Self::Closed,
            crm::LeadState::NotALead => Self::NotALead,
        }
    }

    /// Its name, as one types it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Contacted => "contacted",
            Self::Visiting => "visiting",
            Self::Closed => "closed",
            Self::NotALead => "not-a-lead",
            Self::Unknown => "unknown",
        }
    }
}

impl Consent {
    pub(super) fn from_wire(consent: crm::Consent) -> Result<Self, Error> {
        Ok(Self {
            language: language(consent.language()),
            purpose: purpose(consent.purpose()),
            given_at: optional_time(consent.given_at)?,
            policy_version: consent.policy_version,
        })
    }
}

impl RelatedLead {
    pub(super) fn from_wire(other: crm::RelatedLead) -> Result<Self, Error> {
        Ok(Self {
            interests: other.interests().map(interest).collect(),
            state: State::from_wire(other.state()),
            id: other.lead_id,
            reference: other.reference,
            submitted_at: time(other.submitted_at)?,
        })
    }
}

fn purpose(purpose: crm::Purpose) -> &'static str {
    match purpose {
        crm::Purpose::Unspecified => "unknown",
        crm::Purpose::Enquiry => "enquiry",
    }
}
