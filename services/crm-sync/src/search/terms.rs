//! What a text that somebody looks for may be.

use ::lead::{EmailKey, Reference, digits};

use crate::leads::keys::{name_key, reversed};

/// Whoever leaves the country code out is in Singapore.
const HOME_CODE: &str = "65";

/// Fewer digits are found in too many numbers.
const SHORTEST_NUMBER: usize = 3;

/// What a lead is looked up by; each is what the lead's own begins with.
#[derive(Clone, PartialEq, Eq)]
pub enum Beginning {
    /// Of the name, as [`name_key`] has it.
    Name(String),
    /// Of the e-mail address, as [`EmailKey`] has it.
    Email(String),
    Reference(String),
    Digits(String),
    /// Of the digits of the number, read from their end.
    DigitsReversed(String),
}

/// A text to look for, as all that it may be: at least one. A lead is found that begins with any of it. Does not print
/// itself: names and numbers are personal.
#[derive(Clone, PartialEq, Eq)]
pub struct Search(Vec<Beginning>);

impl Search {
    /// What a person has typed; nothing when that is only spaces.
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

/// Digits and what people write between them, in full width too.
fn is_number(typed: &str) -> bool {
    typed.chars().all(|c| {
        let is_between = matches!(c, '+' | '-' | '.' | '(' | ')' | '＋' | '－' | '．' | '（' | '）');
        c.is_whitespace() || is_between || !digits(c.encode_utf8(&mut [0; 4])).is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a text may be, for eyes.
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
