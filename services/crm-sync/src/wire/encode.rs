//! What the CRM holds, as clients get it.

use chrono::{DateTime, Utc};
use contracts::{crm::v1 as crm, leads::v1 as leads};
use prost_types::Timestamp;

use crate::domain::{
    lead::{Campaign, Interest, Language, Lead, Session, Submission},
    notification::Notification,
};

/// A lead, without its history.
#[must_use]
pub fn lead(lead: Lead) -> crm::Lead {
    crm::Lead {
        submission: Some(submitted(lead.submission)),
        recorded_at: Some(time(lead.recorded_at)),
        notifications: lead.notifications.into_iter().map(notification).collect(),
        timeline: Vec::new(),
        conflicts: Vec::new(),
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

fn notification(notification: Notification) -> leads::LeadNotified {
    leads::LeadNotified {
        lead_id: notification.lead_id.to_string(),
        reference: notification.reference.to_string(),
        recipient: notification.recipient,
        mail_message_id: notification.mail_message_id,
        server_reply: notification.server_reply,
        notified_at: Some(time(notification.notified_at)),
        // The ledger knows them one by one.
        recipients: Vec::new(),
    }
}

fn interest(interest: Interest) -> leads::Interest {
    match interest {
        Interest::Brochure => leads::Interest::Brochure,
        Interest::Purchase => leads::Interest::Purchase,
        Interest::Showflat => leads::Interest::Showflat,
    }
}

fn language(language: Language) -> leads::Language {
    match language {
        Language::English => leads::Language::En,
        Language::Chinese => leads::Language::Zh,
    }
}

pub(super) fn time(time: DateTime<Utc>) -> Timestamp {
    let nanos = i32::try_from(time.timestamp_subsec_nanos()).expect("less than a thousand million");
    Timestamp { seconds: time.timestamp(), nanos }
}
