//! A lead as the contract's message.

use chrono::{DateTime, Utc};
use contracts::leads::v1;
use messaging::Event;
use prost_types::Timestamp;

use crate::domain::{
    lead::{Language, Lead},
    registration::Interest,
    session::{Attribution, Session},
};

/// The event that a lead was submitted.
#[must_use]
pub fn submitted(lead: Lead) -> Event {
    let Lead { id, submitted_at, registration, language, privacy_policy_version, session } = lead;
    Event::LeadSubmitted(v1::LeadSubmitted {
        lead_id: id.uuid().to_string(),
        reference: id.reference(),
        submitted_at: Some(timestamp(submitted_at)),
        interests: registration.interests.into_iter().map(|choice| interest(choice).into()).collect(),
        name: registration.name,
        mobile: registration.mobile,
        email: registration.email,
        questions: registration.questions,
        language: self::language(language).into(),
        privacy_policy_version,
        session: Some(self::session(session)),
    })
}

fn interest(interest: Interest) -> v1::Interest {
    match interest {
        Interest::Brochure => v1::Interest::Brochure,
        Interest::Purchase => v1::Interest::Purchase,
        Interest::Showflat => v1::Interest::Showflat,
    }
}

fn language(language: Language) -> v1::Language {
    match language {
        Language::English => v1::Language::En,
        Language::Chinese => v1::Language::Zh,
    }
}

fn session(session: Session) -> v1::Session {
    let Attribution { landing_path, referrer_host, source, medium, campaign, term, content } =
        session.attribution;
    v1::Session {
        session_id: session.id.to_string(),
        started_at: Some(timestamp(session.started_at)),
        landing_path,
        referrer_host,
        campaign: Some(v1::Campaign { source, medium, name: campaign, term, content }),
    }
}

fn timestamp(at: DateTime<Utc>) -> Timestamp {
    // A nanosecond within its second is below 2 billion (leap second included), which fits.
    Timestamp {
        seconds: at.timestamp(),
        nanos: i32::try_from(at.timestamp_subsec_nanos()).unwrap_or_default(),
    }
}
