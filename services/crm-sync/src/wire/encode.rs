//! What the CRM holds, as clients get it.

use chrono::{DateTime, Utc};
use contracts::{crm::v1 as crm, leads::v1 as leads};
use prost_types::Timestamp;

use crate::{
    deliveries,
    domain::{
        contact::OtherLead,
        lead::{Campaign, Interest, Language, Lead, Purpose, Session, Sign, Submission},
        progress::{LeadState, Progress},
    },
};

/// A lead, without its history.
#[must_use]
pub fn lead(lead: Lead) -> crm::Lead {
    let consent = crm::Consent {
        policy_version: lead.submission.privacy_policy_version.clone(),
        language: language(lead.submission.language).into(),
        given_at: Some(time(lead.submission.submitted_at)),
        purpose: purpose(lead.purpose).into(),
    };
    let contact = lead.contact;
    let conflicting = contact.and_then(|contact| contact.conflicting);
    crm::Lead {
        submission: Some(submitted(lead.submission)),
        recorded_at: Some(time(lead.recorded_at)),
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
        submitted_at: Some(time(other.submitted_at)),
        interests: other.interests.into_iter().map(|it| interest(it).into()).collect(),
        state: state(other.state).into(),
    }
}

/// How far sales have come.
#[must_use]
pub fn progress(progress: Progress) -> crm::Progress {
    crm::Progress {
        state: state(progress.state).into(),
        owner: progress.owner,
        changed_at: progress.changed_at.map(time),
        changed_by: progress.changed_by,
        contacted_at: progress.contacted_at.map(time),
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

fn sign(sign: Sign) -> leads::Sign {
    match sign {
        Sign::Haste => leads::Sign::Haste,
        Sign::Links => leads::Sign::Links,
        Sign::Canary => leads::Sign::Canary,
    }
}

/// What a visitor sent.
#[must_use]
pub fn submitted(submission: Submission) -> leads::LeadSubmitted {
    leads::LeadSubmitted {
        lead_id: submission.id.to_string(),
        reference: submission.reference.to_string(),
        submitted_at: Some(time(submission.submitted_at)),
        interests: submission.interests.into_iter().map(|it| interest(it).into()).collect(),
        name: submission.name,
        mobile: submission.mobile,
        email: submission.email,
        questions: submission.questions,
        language: language(submission.language).into(),
        privacy_policy_version: submission.privacy_policy_version,
        session: submission.session.map(session),
        signs: submission.signs.into_iter().map(|it| sign(it).into()).collect(),
    }
}

fn session(session: Session) -> leads::Session {
    let Campaign { source, medium, name, term, content } = session.campaign;
    leads::Session {
        session_id: session.id.to_string(),
        started_at: Some(time(session.started_at)),
        landing_path: session.landing_path,
        referrer_host: session.referrer_host,
        campaign: Some(leads::Campaign { source, medium, name, term, content }),
    }
}

pub(super) fn interest(interest: Interest) -> leads::Interest {
    match interest {
        Interest::Brochure => leads::Interest::Brochure,
        Interest::Purchase => leads::Interest::Purchase,
        Interest::Showflat => leads::Interest::Showflat,
    }
}

pub(super) fn language(language: Language) -> leads::Language {
    match language {
        Language::English => leads::Language::En,
        Language::Chinese => leads::Language::Zh,
    }
}

pub(crate) fn time(time: DateTime<Utc>) -> Timestamp {
    let nanos = i32::try_from(time.timestamp_subsec_nanos()).expect("less than a thousand million");
    Timestamp { seconds: time.timestamp(), nanos }
}
