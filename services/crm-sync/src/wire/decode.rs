//! What came over the wire, checked.

use chrono::{DateTime, Datelike, SubsecRound, Utc};
use contracts::{crm::v1 as crm, leads::v1 as leads};
use identifiers::{InvalidReference, Reference};
use prost_types::Timestamp;
use uuid::Uuid;

use crate::domain::{
    contact::name_key,
    filter::Filter,
    lead::{Campaign, Interest, Language, Session, Sign, Submission},
    progress::LeadState,
    search::Search,
    statistics::NotInOrder,
};

/// Longest name of an owner.
const OWNER_LENGTH: usize = 100;

/// Longest text to search for: the longest address there is.
const SEARCH_LENGTH: usize = 255;

/// Why a message could never have been sent by one of ours. Names fields, repeats none of their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// A message that must be there is not.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// An empty text or list.
    #[error("{0} is empty")]
    Empty(&'static str),
    /// More UTF-16 code units than the contract allows.
    #[error("{0} is longer than {1} UTF-16 code units")]
    TooLong(&'static str, usize),
    /// Not a UUID.
    #[error("{0} is not a UUID")]
    NotUuid(&'static str),
    /// No point in time of the years 1 to 9999.
    #[error("{0} is not a valid timestamp")]
    NotTimestamp(&'static str),
    /// A number the enum does not have, or its zero.
    #[error("{0} holds an unknown value")]
    UnknownValue(&'static str),
    /// A length of time that is negative, or that must not be nothing and is.
    #[error("{0} is not a length of time that can be used")]
    NotDuration(&'static str),
    /// Neither an address nor a number.
    #[error("person is neither an e-mail address nor a telephone number: give one as it was typed")]
    NotPerson,
    /// A visitor among the recipients, and no limit.
    #[error("visitor_daily_limit must be positive when the visitor is a recipient")]
    NoVisitorLimit,
    /// More than the contract allows.
    #[error("{0} are more than {1}")]
    TooMany(&'static str, usize),
    /// Spans of time in no order.
    #[error(transparent)]
    Spans(#[from] NotInOrder),
    /// Not a reference.
    #[error(transparent)]
    Reference(#[from] InvalidReference),
}

/// A lead, as lead-intake sends it.
///
/// # Errors
/// [`Invalid`] when lead-intake could never have accepted it.
pub fn submission(message: leads::LeadSubmitted) -> Result<Submission, Invalid> {
    Ok(Submission {
        id: uuid("lead_id", &message.lead_id)?,
        reference: message.reference.parse::<Reference>()?,
        submitted_at: required_time("submitted_at", message.submitted_at)?,
        interests: interests(&message.interests)?,
        name: filled("name", &message.name, 100)?,
        mobile: filled("mobile", &message.mobile, 19)?,
        email: filled("email", &message.email, 255)?,
        questions: limited("questions", &message.questions, 1000)?,
        language: language(message.language)?.ok_or(Invalid::UnknownValue("language"))?,
        privacy_policy_version: storable(&message.privacy_policy_version),
        session: message.session.map(session).transpose()?,
        signs: signs(&message.signs),
    })
}

/// Which leads a client asks for; absent means all.
///
/// # Errors
/// [`Invalid`] when a condition is none that there is.
pub fn filter(message: Option<crm::LeadFilter>) -> Result<Filter, Invalid> {
    let Some(message) = message else { return Ok(Filter::default()) };
    Ok(Filter {
        interest: interest(message.interest)?,
        language: language(message.language)?,
        submitted_from: optional_time("submitted_from", message.submitted_from)?,
        submitted_before: optional_time("submitted_before", message.submitted_before)?,
        delivered: message.delivered,
        state: state(message.state)?,
        owner: Some(name_key(&limited("owner", &message.owner, OWNER_LENGTH)?)).filter(|it| !it.is_empty()),
        search: Search::of(&limited("search", &message.search, SEARCH_LENGTH)?),
        suspicious: message.suspicious,
    })
}

fn session(message: leads::Session) -> Result<Session, Invalid> {
    let campaign = message.campaign.unwrap_or_default();
    Ok(Session {
        id: uuid("session.session_id", &message.session_id)?,
        started_at: required_time("session.started_at", message.started_at)?,
        landing_path: storable(&message.landing_path),
        referrer_host: storable(&message.referrer_host),
        campaign: Campaign {
            source: storable(&campaign.source),
            medium: storable(&campaign.medium),
            name: storable(&campaign.name),
            term: storable(&campaign.term),
            content: storable(&campaign.content),
        },
    })
}

/// In the form's order, each once.
fn interests(numbers: &[i32]) -> Result<Vec<Interest>, Invalid> {
    let mut known = Vec::with_capacity(numbers.len());
    for number in numbers {
        known.push(interest(*number)?.ok_or(Invalid::UnknownValue("interests"))?);
    }
    if known.is_empty() {
        return Err(Invalid::Empty("interests"));
    }
    Ok(Interest::ALL.into_iter().filter(|interest| known.contains(interest)).collect())
}

/// In the enum's order, each once. One that only a newer version knows is worth less than the lead.
fn signs(numbers: &[i32]) -> Vec<Sign> {
    let sign = |number: &i32| match leads::Sign::try_from(*number) {
        Ok(leads::Sign::Haste) => Some(Sign::Haste),
        Ok(leads::Sign::Links) => Some(Sign::Links),
        Ok(leads::Sign::Canary) => Some(Sign::Canary),
        Ok(leads::Sign::Unspecified) | Err(_) => None,
    };
    let known: Vec<Sign> = numbers.iter().filter_map(sign).collect();
    Sign::ALL.into_iter().filter(|sign| known.contains(sign)).collect()
}

fn interest(number: i32) -> Result<Option<Interest>, Invalid> {
    match leads::Interest::try_from(number).map_err(|_| Invalid::UnknownValue("interest"))? {
        leads::Interest::Unspecified => Ok(None),
        leads::Interest::Brochure => Ok(Some(Interest::Brochure)),
        leads::Interest::Purchase => Ok(Some(Interest::Purchase)),
        leads::Interest::Showflat => Ok(Some(Interest::Showflat)),
    }
}

fn language(number: i32) -> Result<Option<Language>, Invalid> {
    match leads::Language::try_from(number).map_err(|_| Invalid::UnknownValue("language"))? {
        leads::Language::Unspecified => Ok(None),
        leads::Language::En => Ok(Some(Language::English)),
        leads::Language::Zh => Ok(Some(Language::Chinese)),
    }
}

fn state(number: i32) -> Result<Option<LeadState>, Invalid> {
    match crm::LeadState::try_from(number).map_err(|_| Invalid::UnknownValue("state"))? {
        crm::LeadState::Unspecified => Ok(None),
        crm::LeadState::New => Ok(Some(LeadState::New)),
        crm::LeadState::Contacted => Ok(Some(LeadState::Contacted)),
        crm::LeadState::Visiting => Ok(Some(LeadState::Visiting)),
        crm::LeadState::Closed => Ok(Some(LeadState::Closed)),
        crm::LeadState::NotALead => Ok(Some(LeadState::NotALead)),
    }
}

pub(crate) fn uuid(field: &'static str, text: &str) -> Result<Uuid, Invalid> {
    Uuid::try_parse(text).ok().filter(|id| !id.is_nil()).ok_or(Invalid::NotUuid(field))
}

pub(crate) fn required_time(field: &'static str, time: Option<Timestamp>) -> Result<DateTime<Utc>, Invalid> {
    optional_time(field, time)?.ok_or(Invalid::Missing(field))
}

/// To the microsecond, which is what both databases can tell apart.
pub(crate) fn optional_time(
    field: &'static str,
    time: Option<Timestamp>,
) -> Result<Option<DateTime<Utc>>, Invalid> {
    let Some(Timestamp { seconds, nanos }) = time else { return Ok(None) };
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000);
    nanos
        .and_then(|nanos| DateTime::from_timestamp(seconds, nanos))
        .filter(|time| (1..=9999).contains(&time.year()))
        .map(|time| Some(time.trunc_subsecs(6)))
        .ok_or(Invalid::NotTimestamp(field))
}

pub(crate) fn filled(field: &'static str, text: &str, longest: usize) -> Result<String, Invalid> {
    if text.is_empty() { Err(Invalid::Empty(field)) } else { limited(field, text, longest) }
}

pub(crate) fn limited(field: &'static str, text: &str, longest: usize) -> Result<String, Invalid> {
    if text.encode_utf16().count() > longest {
        return Err(Invalid::TooLong(field, longest));
    }
    Ok(storable(text))
}

/// PostgreSQL has no place for NUL in a text. A lead is worth more than that character.
pub(crate) fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> leads::LeadSubmitted {
        leads::LeadSubmitted {
            lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            reference: "ZG-7F3K-2Q".to_owned(),
            submitted_at: Some(Timestamp { seconds: 1_763_654_400, nanos: 123_456_789 }),
            interests: vec![3, 1, 3],
            name: "陈伟".to_owned(),
            mobile: "+65 9123 4567".to_owned(),
            email: "a..b@b.co".to_owned(),
            questions: String::new(),
            language: 2,
            privacy_policy_version: String::new(),
            session: None,
            signs: Vec::new(),
        }
    }

    fn refused(change: impl FnOnce(&mut leads::LeadSubmitted)) -> Option<Invalid> {
        let mut changed = message();
        change(&mut changed);
        submission(changed).err()
    }

    #[test]
    fn a_lead_is_taken_as_it_is() {
        let taken = submission(message()).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert_eq!(taken.interests, [Interest::Brochure, Interest::Showflat]);
        assert_eq!(taken.language, Language::Chinese);
        assert_eq!(taken.submitted_at.timestamp_subsec_nanos(), 123_456_000);
        assert!(taken.name == "陈伟" && taken.email == "a..b@b.co" && taken.session.is_none());
    }

    #[test]
    fn what_could_never_have_been_accepted_is_refused_with_the_field() {
        let cases = [
            (refused(|it| it.lead_id = "7".to_owned()), Invalid::NotUuid("lead_id")),
            (refused(|it| it.lead_id = Uuid::nil().to_string()), Invalid::NotUuid("lead_id")),
            (refused(|it| it.reference = "?".to_owned()), Invalid::Reference(InvalidReference)),
            (refused(|it| it.submitted_at = None), Invalid::Missing("submitted_at")),
            (
                refused(|it| it.submitted_at = Some(Timestamp { seconds: i64::MAX, nanos: 0 })),
                Invalid::NotTimestamp("submitted_at"),
            ),
            (
                refused(|it| it.submitted_at = Some(Timestamp { seconds: 0, nanos: -1 })),
                Invalid::NotTimestamp("submitted_at"),
            ),
            (refused(|it| it.interests.clear()), Invalid::Empty("interests")),
            (refused(|it| it.interests.push(0)), Invalid::UnknownValue("interests")),
            (refused(|it| it.interests.push(9)), Invalid::UnknownValue("interest")),
            (refused(|it| it.name.clear()), Invalid::Empty("name")),
            (refused(|it| it.name = "x".repeat(101)), Invalid::TooLong("name", 100)),
            (refused(|it| it.mobile.clear()), Invalid::Empty("mobile")),
            (refused(|it| it.email.clear()), Invalid::Empty("email")),
            (refused(|it| it.questions = "😀".repeat(501)), Invalid::TooLong("questions", 1000)),
            (refused(|it| it.language = 0), Invalid::UnknownValue("language")),
            (refused(|it| it.language = 3), Invalid::UnknownValue("language")),
            (
                refused(|it| it.session = Some(leads::Session::default())),
                Invalid::NotUuid("session.session_id"),
            ),
        ];
        for (refusal, expected) in cases {
            assert_eq!(refusal, Some(expected));
        }
    }

    #[test]
    fn lengths_are_counted_as_the_browser_counts_them() {
        assert_eq!(refused(|it| it.questions = "😀".repeat(500)), None);
        assert_eq!(refused(|it| it.name = "陈".repeat(100)), None);
    }

    #[test]
    fn a_nul_costs_a_character_and_not_the_lead() {
        let mut message = message();
        message.questions = "a\0b".to_owned();
        assert!(submission(message).is_ok_and(|it| it.questions == "a\u{fffd}b"));
    }
}
