//! Leads that come in, and which of them a client asks for.

use contracts::{crm::v1 as crm, leads::v1::LeadSubmitted};
use lead::{
    FieldError, Interest, Language, Lead,
    field::{limited, optional_time},
};

use super::Invalid;
use crate::domain::{contact::name_key, filter::Filter, progress::LeadState, search::Search};

/// Longest name of an owner.
const OWNER_LENGTH: usize = 100;

/// Longest text to search for: the longest address there is.
const SEARCH_LENGTH: usize = 255;

/// A lead that must be there.
///
/// # Errors
/// [`Invalid`] when it is not, or is none that lead-intake could have accepted.
pub fn submission(message: Option<LeadSubmitted>) -> Result<Lead, Invalid> {
    Ok(message.ok_or(FieldError::Missing("lead"))?.try_into()?)
}

/// Which leads a client asks for; absent means all.
///
/// # Errors
/// [`Invalid`] when a condition is none that there is.
pub fn filter(message: Option<crm::LeadFilter>) -> Result<Filter, Invalid> {
    let Some(message) = message else { return Ok(Filter::default()) };
    Ok(Filter {
        interest: Interest::from_contract(message.interest)?,
        language: Language::from_contract(message.language)?,
        submitted_from: optional_time("submitted_from", message.submitted_from)?,
        submitted_before: optional_time("submitted_before", message.submitted_before)?,
        delivered: message.delivered,
        state: state(message.state)?,
        owner: Some(name_key(&limited("owner", &message.owner, OWNER_LENGTH)?)).filter(|it| !it.is_empty()),
        search: Search::of(&limited("search", &message.search, SEARCH_LENGTH)?),
        suspicious: message.suspicious,
    })
}

fn state(number: i32) -> Result<Option<LeadState>, Invalid> {
    match crm::LeadState::try_from(number).map_err(|_| FieldError::UnknownValue("state"))? {
        crm::LeadState::Unspecified => Ok(None),
        crm::LeadState::New => Ok(Some(LeadState::New)),
        crm::LeadState::Contacted => Ok(Some(LeadState::Contacted)),
        crm::LeadState::Visiting => Ok(Some(LeadState::Visiting)),
        crm::LeadState::Closed => Ok(Some(LeadState::Closed)),
        crm::LeadState::NotALead => Ok(Some(LeadState::NotALead)),
    }
}
