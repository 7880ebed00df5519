//! Interprets a search text as the beginning of a name, an address, a reference or a number.

use ::lead::{EmailKey, Reference, digits};

use crate::leads::keys::{name_key, reversed};

/// The country code of numbers without one: Singapore.
const HOME_CODE: &str = "65";

/// Shorter numbers match too many leads.
const SHORTEST_NUMBER: usize = 3;

/// The beginning of one of a lead's keys.
#[derive(Clone, PartialEq, Eq)]
pub enum Beginning {
    /// Of the name, as [`name_key`] normalises it.
    Name(String),
    /// Of the e-mail address, as [`EmailKey`] normalises it.
    Email(String),
    Reference(String),
    Digits(String),
    /// Of the number's digits in reverse, which finds its last digits.
    DigitsReversed(String),
}

/// All interpretations of a search text, at least one; a lead is found by any. Does not implement `Debug`: names and
/// numbers are personal.
#[derive(Clone, PartialEq, Eq)]
pub struct Search(Vec<Beginning>);

impl Search {
    /// Interprets a text as typed; `None` when it is blank.
    #[must_use]
    pub fn of(typed: &str) -> Option<Self> {
        let name = name_key(typed);
        if name.is_empty() {
            return None;
        }
        let email = EmailKey::of(typed).as_str().to_owned();
        let email = Some(email).filter(|email| !email.contains(char::is_whitespace)).map(Beginning::Email);
        let references = Reference::beginnings(typed).into_iter().map(Beginning::Reference);
        let numbers = numbers(typed);
        let all = [Beginning::Name(name)].into_iter().chain(email).chain(references).chain(numbers);
        Some(Self(all.collect()))
    }

    #[must_use]
    pub fn beginnings(&self) -> &[Beginning] {
        &self.0
    }
}

fn numbers(typed: &str) -> Vec<Beginning> {
    let digits = digits(typed);
    if digits.len() < SHORTEST_NUMBER || !is_number(typed) {
        return Vec::new();
    }
    let international = typed.trim_start().strip_prefix(['+', '＋']).map(|_| digits.as_str());
    match international.or_else(|| digits.strip_prefix("00").filter(|rest| !rest.is_empty())) {
        Some(international) => vec![Beginning::Digits(international.to_owned())],
        None => vec![
            Beginning::Digits(digits.clone()),
            Beginning::Digits(format!("{HOME_CODE}{digits}")),
            Beginning::DigitsReversed(reversed(&digits)),
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
        let tell = |beginning: &Beginning| match beginning {
            Beginning::Name(text) => format!("name {text}"),
            Beginning::Email(text) => format!("email {text}"),
            Beginning::Reference(text) => format!("reference {text}"),
            Beginning::Digits(text) => format!("digits {text}"),
            Beginning::DigitsReversed(text) => format!("reversed {text}"),
        };
        search.beginnings().iter().map(tell).collect()
    }

    #[test]
    fn a_text_is_all_that_it_may_be() {
        assert_eq!(read(" Tan  Wei "), ["name tan wei", "reference ZG-TANW-E1"]);
        assert_eq!(read("Tan Wei Ming"), ["name tan wei ming"]);
        assert_eq!(read("陈"), ["name 陈", "email 陈"]);
        assert_eq!(read("Wei.Chen@"), ["name wei.chen@", "email wei.chen@"]);
        assert_eq!(read("zg-7F"), ["name zg-7f", "email zg-7f", "reference ZG-7F", "reference ZG-ZG7F-"]);
        assert_eq!(read("c"), ["name c", "email c"]);
        assert_eq!(read("%_'\""), ["name %_'\"", "email %_'\""]);
    }

    #[test]
    fn numbers_are_found_by_either_end() {
        let local = ["digits 9123", "digits 659123", "reversed 3219"];
        assert_eq!(read("91 23")[1..], ["reference ZG-9123-"].into_iter().chain(local).collect::<Vec<_>>());
        assert_eq!(read("９１－２３").split_off(2), local);
        assert_eq!(read("+65 91"), ["name +65 91", "digits 6591"]);
        assert_eq!(read("0086 138")[1..], ["digits 86138"]);
        assert_eq!(read("12"), ["name 12", "email 12", "reference ZG-12"]);
        assert_eq!(read("wei1234"), ["name wei1234", "email wei1234"]);
        assert_eq!(read("000"), ["name 000", "email 000", "reference ZG-000", "digits 0"]);
    }

    #[test]
    fn spaces_are_nothing() {
        assert!(Search::of("").is_none() && Search::of(" \t\u{3000}").is_none());
    }
}
