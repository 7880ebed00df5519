//! What the CRM holds, as clients get it.

use ::lead::field::timestamp;
use contracts::{crm::v1 as crm, leads::v1 as leads};

use crate::{
    deliveries,
    domain::{
        contact::OtherLead,
        lead::{Purpose, StoredLead},
        progress::{LeadState, Progress},
    },
};

/// A lead, without its history.
#[must_use]
pub fn lead(lead: StoredLead) -> crm::Lead {
    let consent = crm::Consent {
        policy_version: lead.submission.privacy_policy_version.clone().into(),
        language: leads::Language::from(lead.submission.language).into(),
        given_at: Some(timestamp(lead.submission.submitted_at)),
        purpose: purpose(lead.purpose).into(),
    };
    let contact = lead.contact;
    let conflicting = contact.and_then(|contact| contact.conflicting);
    crm::Lead {
        submission: Some(lead.submission.into()),
        recorded_at: Some(timestamp(lead.recorded_at)),
        deliveries: lead.deliveries.into_iter().map(deliveries::delivered).collect(),
        timeline: Vec::new(),
        conflicts: Vec::new(),
        contact_id: contact.map(|contact| contact.id.to_string()).unwrap_or_default(),
        conflicting_contact_id: conflicting.map(|id| id.to_string()).unwrap_or_default(),
        progress: Some(progress(lead.progress)),
        consent: Some(consent),
        others: Vec::new(),
    }
}

pub(crate) fn other_lead(other: OtherLead) -> crm::OtherLead {
    crm::OtherLead {
        lead_id: other.id.to_string(),
        reference: other.reference.to_string(),
        submitted_at: Some(timestamp(other.submitted_at)),
        interests: other.interests.into_iter().map(|it| leads::Interest::from(it).into()).collect(),
        state: state(other.state).into(),
    }
}

/// How far sales have come.
#[must_use]
pub fn progress(progress: Progress) -> crm::Progress {
    crm::Progress {
        state: state(progress.state).into(),
        owner: progress.owner,
        changed_at: progress.changed_at.map(timestamp),
        changed_by: progress.changed_by,
        contacted_at: progress.contacted_at.map(timestamp),
    }
}

pub(super) fn state(state: LeadState) -> crm::LeadState {
    match state {
        LeadState::New => crm::LeadState::New,
        LeadState::Contacted => crm::LeadState::Contacted,
        LeadState::Visiting => crm::LeadState::Visiting,
        LeadState::Closed => crm::LeadState::Closed,
        LeadState::NotALead => crm::LeadState::NotALead,
    }
}

fn purpose(purpose: Purpose) -> crm::Purpose {
    match purpose {
        Purpose::Enquiry => crm::Purpose::Enquiry,
    }
}
