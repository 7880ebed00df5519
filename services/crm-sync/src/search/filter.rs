//! What leads are searched for: a filter, and a text as a part of a name, an address, a reference or a number.

use ::lead::{
    Interest, Language, LeadState, Reference, digits,
    field::{limited, optional_time},
    text::search_key,
};
use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;

use crate::{
    auth::PERSON_LENGTH,
    error::Invalid,
    leads::keys::{FIELD, searched_reference},
};

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
    pub fn from_proto(message: Option<crm::LeadFilter>) -> Result<Self, Invalid> {
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
            search: Search::parse(&limited("search", &message.search, SEARCH_LENGTH)?),
            spam: message.spam,
            unfinished: message.unfinished,
            next_step_before: optional_time("next_step_before", message.next_step_before)?,
        })
    }
}

/// Shorter parts of a number match too many leads.
const SHORTEST_NUMBER: usize = 3;

/// All interpretations of a search text, at least one. A lead is found when its searched text, see
/// [`Keys::searched`](crate::leads::keys::Keys::searched), contains any. Does not implement `Debug`: names and numbers are
/// personal.
#[derive(Clone, PartialEq, Eq)]
pub struct Search(Vec<String>);

impl Search {
    /// Interprets a text as typed; `None` when it is blank.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        let text = search_key(typed);
        if text.is_empty() {
            return None;
        }
        let references = Reference::beginnings(typed).into_iter();
        let references = references.map(|reference| searched_reference(&reference));
        // Two letters are in most names: they are the beginning of one, or of an address.
        let is_short = text.is_ascii() && text.len() < 3;
        let text = number(typed).unwrap_or(if is_short { format!("{FIELD}{text}") } else { text });
        Some(Self([text].into_iter().chain(references).collect()))
    }

    pub(crate) fn parts(&self) -> &[String] {
        &self.0
    }
}

/// The digits of what may be a part of a number, without the zeros of an international call.
fn number(typed: &str) -> Option<String> {
    let is_of_number = |c: char| {
        let is_between = matches!(c, '+' | '-' | '.' | '(' | ')' | '＋' | '－' | '．' | '（' | '）');
        c.is_whitespace() || is_between || !digits(c.encode_utf8(&mut [0; 4])).is_empty()
    };
    let digits = digits(typed);
    let number = digits.strip_prefix("00").filter(|rest| rest.len() >= SHORTEST_NUMBER).unwrap_or(&digits);
    (number.len() >= SHORTEST_NUMBER && typed.chars().all(is_of_number)).then(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readable interpretations of a text.
    fn read(typed: &str) -> Vec<String> {
        let Some(search) = Search::parse(typed) else { return Vec::new() };
        search.parts().iter().map(|part| part.replace('\t', "/").replace(FIELD, "^")).collect()
    }

    #[test]
    fn a_text_is_all_that_it_may_be() {
        assert_eq!(read(" Tan  Wei "), ["tan wei", "/tanw-e1"]);
        assert_eq!(read("Wei.Chen@"), ["wei.chen@"]);
        assert_eq!(read("zg-7F"), ["zg-7f", "/7f", "/zg7f-"]);
        assert_eq!(read("3k-2q"), ["3k-2q", "/3k2q-"]);
        assert_eq!(read("陈"), ["陈"]);
    }

    #[test]
    fn one_or_two_letters_are_a_beginning() {
        for (text, read_as) in [("c", "^c"), ("wu", "^wu"), ("tan", "tan"), ("陈", "陈")] {
            assert_eq!(read(text)[0], read_as);
        }
    }

    #[test]
    fn numbers_are_digits() {
        assert_eq!(read("91 23"), ["9123", "/9123-"]);
        assert_eq!(read("９１－２３"), ["9123"]);
        assert_eq!(read("+65 91"), ["6591"]);
        assert_eq!(read("0086 138")[0], "86138");
        assert_eq!(read("12"), ["^12", "/12"]);
        assert_eq!(read("wei1234"), ["wei1234"]);
        assert_eq!(read("000")[0], "000");
    }

    #[test]
    fn spaces_ask_for_nothing() {
        assert!(read("  \u{3000} ").is_empty());
    }
}
