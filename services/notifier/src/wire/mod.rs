//! Where contracts end: events into leads, outcomes into reports, questions to the CRM and its answers.

mod ledger;
mod morning;
mod report;

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::leads::v1::{self, LeadSubmitted};
use prost_types::Timestamp;
use uuid::Uuid;

pub(crate) use self::{
    ledger::{Answer, Claimed, Ledger, Unanswered},
    morning::Backlog,
    report::Delivered,
};

use crate::domain::{Interest, Interests, Language, Lead, Line, Paragraphs, Sign, Visit};

/// The field that keeps an event from being a lead. Its value is not told: it may be personal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is missing or not valid")]
pub struct Malformed(pub &'static str);

/// The lead an event is about.
///
/// # Errors
/// [`Malformed`] when lead-intake can never have sent it.
pub fn lead(event: &LeadSubmitted) -> Result<Lead, Malformed> {
    let session = event.session.clone().unwrap_or_default();
    Ok(Lead {
        id: Uuid::parse_str(&event.lead_id).map_err(|_| Malformed("lead_id"))?,
        reference: Line::new(&event.reference).ok_or(Malformed("reference"))?,
        submitted_at: event.submitted_at.as_ref().and_then(point_in_time).ok_or(Malformed("submitted_at"))?,
        interests: interests(&event.interests).ok_or(Malformed("interests"))?,
        name: seen(&event.name, "name")?,
        mobile: seen(&event.mobile, "mobile")?,
        email: seen(&event.email, "email")?,
        question: Paragraphs::new(&event.questions),
        language: language(event.language()).ok_or(Malformed("language"))?,
        privacy_policy_version: Line::new(&event.privacy_policy_version),
        visit: visit(session),
        signs: signs(&event.signs),
    })
}

/// A lead as it came, to be handed on as it is.
#[derive(Clone)]
pub(crate) struct Submission(LeadSubmitted);

impl Submission {
    pub(crate) fn new(event: LeadSubmitted) -> Self {
        Self(event)
    }

    pub(crate) fn lead(&self) -> Result<Lead, Malformed> {
        lead(&self.0)
    }
}

/// A point in time on the wire.
#[must_use]
pub fn timestamp(time: DateTime<Utc>) -> Timestamp {
    Timestamp {
        seconds: time.timestamp(),
        nanos: time.timestamp_subsec_nanos().min(999_999_999).cast_signed(),
    }
}

fn duration(duration: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: duration.subsec_nanos().cast_signed(),
    }
}

/// What lead-intake requires is there, but may be of characters that nobody can see: such a lead is mailed all the same.
fn seen(text: &str, field: &'static str) -> Result<Line, Malformed> {
    if text.is_empty() {
        return Err(Malformed(field));
    }
    Ok(Line::new(text).unwrap_or_else(Line::invisible))
}

fn point_in_time(timestamp: &Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(timestamp.seconds, u32::try_from(timestamp.nanos).ok()?)
}

fn interests(numbers: &[i32]) -> Option<Interests> {
    let all = numbers.iter().map(|number| match v1::Interest::try_from(*number).ok()? {
        v1::Interest::Purchase => Some(Interest::Purchase),
        v1::Interest::Showflat => Some(Interest::Showflat),
        v1::Interest::Brochure => Some(Interest::Brochure),
        v1::Interest::Unspecified => None,
    });
    Interests::new(all.collect::<Option<_>>()?)
}

fn language(language: v1::Language) -> Option<Language> {
    match language {
        v1::Language::En => Some(Language::English),
        v1::Language::Zh => Some(Language::Chinese),
        v1::Language::Unspecified => None,
    }
}

/// A sign that is not known here is no reason to hold up its lead.
fn signs(numbers: &[i32]) -> Vec<Sign> {
    let all = numbers.iter().filter_map(|number| match v1::Sign::try_from(*number).ok()? {
        v1::Sign::Haste => Some(Sign::Haste),
        v1::Sign::Links => Some(Sign::Links),
        v1::Sign::Canary => Some(Sign::Canary),
        v1::Sign::Unspecified => None,
    });
    all.collect()
}

fn visit(session: v1::Session) -> Visit {
    let campaign = session.campaign.unwrap_or_default();
    let parameters = [
        ("source", campaign.source),
        ("medium", campaign.medium),
        ("campaign", campaign.name),
        ("term", campaign.term),
        ("content", campaign.content),
    ];
    Visit {
        started_at: session.started_at.as_ref().and_then(point_in_time),
        landing_path: Line::new(&session.landing_path),
        referrer_host: Line::new(&session.referrer_host),
        campaign: parameters
            .into_iter()
            .filter_map(|(name, value)| Line::new(&value).map(|value| (name, value)))
            .collect(),
    }
}
