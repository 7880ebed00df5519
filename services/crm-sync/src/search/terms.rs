//! Interprets a search text as a part of a name, an address, a reference or a number.

use ::lead::{Reference, digits, text::search_key};

use crate::leads::keys::{FIELD, searched_reference};

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
    pub fn of(typed: &str) -> Option<Self> {
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
        let Some(search) = Search::of(typed) else { return Vec::new() };
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
