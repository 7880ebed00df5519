//! A lead as the contracts' messages.

use chrono::{DateTime, Utc};
use contracts::{crm::v1::RecordLeadRequest, leads::v1};
use messaging::Event;
use prost_types::Timestamp;

use crate::domain::{
    lead::{Language, Lead},
    registration::Interest,
    session::{Attribution, Session},
    sign::Sign,
};

/// That a lead was submitted, for either road.
pub struct Submitted(v1::LeadSubmitted);

impl Submitted {
    /// UUID of the lead.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.lead_id
    }

    /// The lead's name for people.
    #[must_use]
    pub fn reference(&self) -> &str {
        &self.0.reference
    }

    /// What the broker is given.
    #[must_use]
    pub fn event(&self) -> Event {
        Event::LeadSubmitted(self.0.clone())
    }

    /// What the CRM is asked.
    #[must_use]
    pub fn request(&self) -> RecordLeadRequest {
        RecordLeadRequest { lead: Some(self.0.clone()) }
    }
}

impl From<Lead> for Submitted {
    fn from(lead: Lead) -> Self {
        let signs = Sign::of(&lead).into_iter().map(|it| sign(it).into()).collect();
        let Lead { id, submitted_at, registration, language, privacy_policy_version, session, is_canary: _ } =
            lead;
        Self(v1::LeadSubmitted {
            lead_id: id.uuid().to_string(),
            reference: id.reference().to_string(),
            submitted_at: Some(timestamp(submitted_at)),
            interests: registration.interests.into_iter().map(|choice| interest(choice).into()).collect(),
            name: registration.name,
            mobile: registration.mobile,
            email: registration.email,
            questions: registration.questions,
            language: self::language(language).into(),
            privacy_policy_version,
            session: Some(self::session(session)),
            signs,
        })
    }
}

fn interest(interest: Interest) -> v1::Interest {
    match interest {
        Interest::Brochure => v1::Interest::Brochure,
        Interest::Purchase => v1::Interest::Purchase,
        Interest::Showflat => v1::Interest::Showflat,
    }
}

fn sign(sign: Sign) -> v1::Sign {
    match sign {
        Sign::Haste => v1::Sign::Haste,
        Sign::Links => v1::Sign::Links,
        Sign::Canary => v1::Sign::Canary,
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
