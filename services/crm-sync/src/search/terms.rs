//! Interprets a search text as a part of a name, an address, a reference or a number.

use ::lead::{Reference, digits, text::search_key};

use crate::leads::keys::searched_reference;

/// Shorter parts of a number match too many leads.
const SHORTEST_NUMBER: usize = 3;

/// What a lead's searched text must have, see [`Keys::searched`](crate::leads::keys::Keys::searched).
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Term {
    /// This at the beginning of the name or the address.
    Begins(String),
    Contains(String),
}

/// All interpretations of a search text, at least one; a lead is found by any. Does not implement `Debug`: names and
/// numbers are personal.
#[derive(Clone, PartialEq, Eq)]
pub struct Search(Vec<Term>);

impl Search {
    /// Interprets a text as typed; `None` when it is blank.
    #[must_use]
    pub fn of(typed: &str) -> Option<Self> {
        let text = search_key(typed);
        if text.is_empty() {
            return None;
        }
        let references = Reference::beginnings(typed).into_iter();
        let references = references.map(|reference| Term::Contains(searched_reference(&reference)));
        let text = if let Some(number) = number(typed) {
            Term::Contains(number)
        } else if !text.is_ascii() || has_trigram(&text) {
            Term::Contains(text)
        } else {
            Term::Begins(text)
        };
        Some(Self([text].into_iter().chain(references).collect()))
    }

    pub(crate) fn terms(&self) -> &[Term] {
        &self.0
    }

    /// Whether an index finds what this finds: not when it is signs alone.
    pub(crate) fn is_indexed(&self) -> bool {
        let has_letter = |term: &Term| {
            let (Term::Begins(text) | Term::Contains(text)) = term;
            text.chars().any(|it| it.is_alphanumeric() || !it.is_ascii())
        };
        self.0.iter().any(has_letter)
    }
}

/// Whether PostgreSQL's index of three letters in a row, of words with two spaces before and one behind, has one of this.
fn has_trigram(text: &str) -> bool {
    let words: Vec<_> = text.split(|it: char| !it.is_alphanumeric()).collect();
    let last = words.len() - 1;
    words.iter().enumerate().any(|(place, word)| match word.len() {
        0 => false,
        1 => place > 0,
        2 => place > 0 || place < last,
        _ => true,
    })
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
        let Some(search) = Search::of(typed) else { return Vec::new() };
        let read = |term: &Term| match term {
            Term::Begins(text) => format!("{text}…"),
            Term::Contains(text) => format!("…{text}…").replace('\t', "/"),
        };
        search.terms().iter().map(read).collect()
    }

    #[test]
    fn a_text_is_all_that_it_may_be() {
        assert_eq!(read(" Tan  Wei "), ["…tan wei…", "…/tanw-e1…"]);
        assert_eq!(read("Wei.Chen@"), ["…wei.chen@…"]);
        assert_eq!(read("zg-7F"), ["…zg-7f…", "…/7f…", "…/zg7f-…"]);
        assert_eq!(read("3k-2q"), ["…3k-2q…", "…/3k2q-…"]);
        assert_eq!(read("陈"), ["…陈…"]);
    }

    #[test]
    fn what_no_index_has_is_a_beginning() {
        for text in ["c", "wu", "%_'\"", "@a"] {
            let is_part = read(text)[0].starts_with('…');
            assert_eq!(is_part, text == "@a", "{text}");
        }
    }

    #[test]
    fn numbers_are_digits() {
        assert_eq!(read("91 23"), ["…9123…", "…/9123-…"]);
        assert_eq!(read("９１－２３"), ["…9123…"]);
        assert_eq!(read("+65 91"), ["…6591…"]);
        assert_eq!(read("0086 138")[0], "…86138…");
        assert_eq!(read("12"), ["12…", "…/12…"]);
        assert_eq!(read("wei1234"), ["…wei1234…"]);
        assert_eq!(read("000")[0], "…000…");
    }

    #[test]
    fn spaces_ask_for_nothing() {
        assert!(read("  \u{3000} ").is_empty());
    }
}
