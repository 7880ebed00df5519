//! Which leads are asked for.

use ::lead::{
    Interest, Language,
    field::{limited, optional_time},
};
use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;

use super::terms::Search;
use crate::{
    error::Invalid,
    leads::{keys::name_key, progress::LeadState, set_state::OWNER_LENGTH},
};

/// Longest text to search for: the longest address there is.
const SEARCH_LENGTH: usize = 255;

/// A lead passes when it meets every condition given. Does not print itself: who is looked for is personal.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub interest: Option<Interest>,
    pub language: Option<Language>,
    pub submitted_from: Option<DateTime<Utc>>,
    pub submitted_before: Option<DateTime<Utc>>,
    /// True: some mail was delivered; false: none was.
    pub delivered: Option<bool>,
    pub state: Option<LeadState>,
    /// This one's, in small letters.
    pub owner: Option<String>,
    pub search: Option<Search>,
    /// True: looks automatic; false: does not.
    pub suspicious: Option<bool>,
}

impl Filter {
    /// Which leads a client asks for; absent means all.
    ///
    /// # Errors
    /// [`Invalid`] when a condition is none that there is.
    pub fn from_contract(message: Option<crm::LeadFilter>) -> Result<Self, Invalid> {
        let Some(message) = message else { return Ok(Self::default()) };
        Ok(Self {
            interest: Interest::from_contract(message.interest)?,
            language: Language::from_contract(message.language)?,
            submitted_from: optional_time("submitted_from", message.submitted_from)?,
            submitted_before: optional_time("submitted_before", message.submitted_before)?,
            delivered: message.delivered,
            state: LeadState::from_contract(message.state)?,
            owner: Some(name_key(&limited("owner", &message.owner, OWNER_LENGTH)?))
                .filter(|it| !it.is_empty()),
            search: Search::of(&limited("search", &message.search, SEARCH_LENGTH)?),
            suspicious: message.suspicious,
        })
    }
}
