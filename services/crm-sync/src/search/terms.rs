//! Interprets a search text as the beginning or a part of a name, an address, a reference or a number.

use ::lead::{EmailKey, Reference, digits};

use crate::leads::keys::{name_key, reversed};

/// The country code of numbers without one: Singapore.
const HOME_CODE: &str = "65";

/// Shorter numbers match too many leads.
const SHORTEST_NUMBER: usize = 3;

/// Shorter parts are in no index, and those of Latin letters match too many leads.
const SHORTEST_PART: usize = 3;

/// A column that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// As [`name_key`] normalises it.
    Name,
    /// As [`EmailKey`] normalises it.
    Email,
    Reference,
    Digits,
    /// The number's digits in reverse, which finds its last digits.
    DigitsReversed,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Term {
    Begins(Key, String),
    Contains(Key, String),
}

impl Term {
    /// Whether an index finds its leads. Others are looked for among the newest leads only.
    pub(crate) fn is_indexed(&self) -> bool {
        match self {
            Self::Begins(..) => true,
            Self::Contains(_, part) => part.chars().count() >= SHORTEST_PART,
        }
    }
}

/// All interpretations of a search text, at least one; a lead is found by any. Does not implement `Debug`: names and
/// numbers are personal.
#[derive(Clone, PartialEq, Eq)]
pub struct Search(Vec<Term>);

impl Search {
    /// Interprets a text as typed; `None` when it is blank.
    #[must_use]
    pub fn of(typed: &str) -> Option<Self> {
        let name = name_key(typed);
        if name.is_empty() {
            return None;
        }
        let email = EmailKey::of(typed).as_str().to_owned();
        let email = Some(email).filter(|email| !email.contains(char::is_whitespace));
        let references = Reference::beginnings(typed).into_iter();
        let begins = [(Key::Name, name.clone())]
            .into_iter()
            .chain(email.clone().map(|email| (Key::Email, email)))
            .chain(references.map(|reference| (Key::Reference, reference)))
            .chain(numbers(typed));
        let begins = begins.map(|(key, text)| Term::Begins(key, text));
        let reference = typed.trim().to_ascii_uppercase();
        let reference =
            Some(reference).filter(|it| it.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
        let number = Some(digits(typed)).filter(|it| it.len() >= SHORTEST_NUMBER && is_number(typed));
        let parts = [
            (Key::Name, Some(name)),
            (Key::Email, email),
            (Key::Reference, reference),
            (Key::Digits, number),
        ];
        let parts = parts.into_iter().filter_map(|(key, part)| Some((key, part?)));
        let parts = parts.filter(|(_, part)| !part.is_ascii() || part.len() >= SHORTEST_PART);
        Some(Self(begins.chain(parts.map(|(key, part)| Term::Contains(key, part))).collect()))
    }

    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.0
    }
}

fn numbers(typed: &str) -> Vec<(Key, String)> {
    let digits = digits(typed);
    if digits.len() < SHORTEST_NUMBER || !is_number(typed) {
        return Vec::new();
    }
    let international = typed.trim_start().strip_prefix(['+', '＋']).map(|_| digits.as_str());
    match international.or_else(|| digits.strip_prefix("00").filter(|rest| !rest.is_empty())) {
        Some(international) => vec![(Key::Digits, international.to_owned())],
        None => vec![
            (Key::Digits, digits.clone()),
            (Key::Digits, format!("{HOME_CODE}{digits}")),
            (Key::DigitsReversed, reversed(&digits)),
        ],
    }
}

/// Digits and the separators between them, full-width ones included.
fn is_number(typed: &str) -> bool {
    typed.chars().all(|c| {
        let is_between = matches!(c, '+' | '-' | '.' | '(' | ')' | '＋' | '－' | '．' | '（' | '）');
        c.is_whitespace() || is_between || !digits(c.encode_utf8(&mut [0; 4])).is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readable interpretations of a text.
    fn read(typed: &str) -> Vec<String> {
        let Some(search) = Search::of(typed) else { return Vec::new() };
        let tell = |term: &Term| match term {
            Term::Begins(key, text) => Some(format!("{key:?} {text}")),
            Term::Contains(..) => None,
        };
        search.terms().iter().filter_map(tell).collect()
    }

    /// Which parts are looked for, and whether an index finds them.
    fn parts(typed: &str) -> Vec<(String, bool)> {
        let Some(search) = Search::of(typed) else { return Vec::new() };
        let tell = |term: &Term| match term {
            Term::Begins(..) => None,
            Term::Contains(key, text) => Some((format!("{key:?} {text}"), term.is_indexed())),
        };
        search.terms().iter().filter_map(tell).collect()
    }

    #[test]
    fn a_part_is_of_anything_that_it_may_be_of() {
        let indexed = |part: &str| (part.to_owned(), true);
        assert_eq!(parts("Wei"), ["Name wei", "Email wei", "Reference WEI"].map(indexed));
        assert_eq!(parts("Wei Ming"), ["Name wei ming"].map(indexed));
        assert_eq!(parts("3k-2q"), ["Name 3k-2q", "Email 3k-2q", "Reference 3K-2Q"].map(indexed));
        assert_eq!(parts("123 45"), ["Name 123 45", "Digits 12345"].map(indexed));
        assert_eq!(parts("美玲"), ["Name 美玲", "Email 美玲"].map(|part| (part.to_owned(), false)));
        assert!(parts("we").is_empty());
    }

    #[test]
    fn a_text_is_all_that_it_may_be() {
        assert_eq!(read(" Tan  Wei "), ["Name tan wei", "Reference ZG-TANW-E1"]);
        assert_eq!(read("Tan Wei Ming"), ["Name tan wei ming"]);
        assert_eq!(read("陈"), ["Name 陈", "Email 陈"]);
        assert_eq!(read("Wei.Chen@"), ["Name wei.chen@", "Email wei.chen@"]);
        assert_eq!(read("zg-7F"), ["Name zg-7f", "Email zg-7f", "Reference ZG-7F", "Reference ZG-ZG7F-"]);
        assert_eq!(read("c"), ["Name c", "Email c"]);
        assert_eq!(read("%_'\""), ["Name %_'\"", "Email %_'\""]);
    }

    #[test]
    fn numbers_are_found_by_either_end() {
        let local = ["Digits 9123", "Digits 659123", "DigitsReversed 3219"];
        assert_eq!(read("91 23")[1..], ["Reference ZG-9123-"].into_iter().chain(local).collect::<Vec<_>>());
        assert_eq!(read("９１－２３").split_off(2), local);
        assert_eq!(read("+65 91"), ["Name +65 91", "Digits 6591"]);
        assert_eq!(read("0086 138")[1..], ["Digits 86138"]);
        assert_eq!(read("12"), ["Name 12", "Email 12", "Reference ZG-12"]);
        assert_eq!(read("wei1234"), ["Name wei1234", "Email wei1234"]);
        assert_eq!(read("000"), ["Name 000", "Email 000", "Reference ZG-000", "Digits 0"]);
    }

    #[test]
    fn spaces_are_nothing() {
        assert!(Search::of("").is_none() && Search::of(" \t\u{3000}").is_none());
    }
}
