//! Which leads are asked for.

use ::lead::{Interest, Language};
use chrono::{DateTime, Utc};

use super::{progress::LeadState, search::Search};

/// A lead passes when it meets every condition given. Does not print itself: who is looked for is personal.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Asked for this.
    pub interest: Option<Interest>,
    /// Sent from a page in this language.
    pub language: Option<Language>,
    /// Submitted at or after this.
    pub submitted_from: Option<DateTime<Utc>>,
    /// Submitted before this.
    pub submitted_before: Option<DateTime<Utc>>,
    /// True: some mail was delivered; false: none was.
    pub delivered: Option<bool>,
    /// In this state.
    pub state: Option<LeadState>,
    /// This one's, in small letters.
    pub owner: Option<String>,
    /// Found by this text.
    pub search: Option<Search>,
    /// True: looks automatic; false: does not.
    pub suspicious: Option<bool>,
}
