//! Filters leads.

use ::lead::{
    Interest, Language, LeadState,
    field::{limited, optional_time},
    text::search_key,
};
use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;

use super::terms::Search;
use crate::{auth::PERSON_LENGTH, error::Invalid};

/// The length of the longest e-mail address.
const SEARCH_LENGTH: usize = 255;

/// A lead passes when it meets all given conditions. Does not implement `Debug`: searches are personal.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub interest: Option<Interest>,
    pub language: Option<Language>,
    pub submitted_from: Option<DateTime<Utc>>,
    pub submitted_before: Option<DateTime<Utc>>,
    /// True: some mail was delivered; false: none was.
    pub delivered: Option<bool>,
    pub state: Option<LeadState>,
    /// As [`search_key`] normalises it.
    pub owner: Option<String>,
    pub search: Option<Search>,
    /// True: looks automatic; false: does not.
    pub spam: Option<bool>,
    /// True: something is left to do.
    pub unfinished: Option<bool>,
    pub next_step_before: Option<DateTime<Utc>>,
}

impl Filter {
    /// Reads a client's filter; an absent one passes all leads.
    ///
    /// # Errors
    /// [`Invalid`] when a condition is unknown or too long.
    pub fn from_contract(message: Option<crm::LeadFilter>) -> Result<Self, Invalid> {
        let Some(message) = message else { return Ok(Self::default()) };
        Ok(Self {
            interest: Interest::from_contract(message.interest)?,
            language: Language::from_contract(message.language)?,
            submitted_from: optional_time("submitted_from", message.submitted_from)?,
            submitted_before: optional_time("submitted_before", message.submitted_before)?,
            delivered: message.delivered,
            state: LeadState::from_contract(message.state)?,
            owner: Some(search_key(&limited("owner", &message.owner, PERSON_LENGTH)?))
                .filter(|it| !it.is_empty()),
            search: Search::of(&limited("search", &message.search, SEARCH_LENGTH)?),
            spam: message.spam,
            unfinished: message.unfinished,
            next_step_before: optional_time("next_step_before", message.next_step_before)?,
        })
    }
}
