//! Recognises telephone numbers in typed text.

use std::ops::RangeInclusive;

/// The country code assumed when it is missing: Singapore.
const HOME: &str = "65";

/// First digits of Singapore's numbers, which have eight digits.
const HOME_NUMBERS: [char; 4] = ['3', '6', '8', '9'];

/// E.164 allows fifteen digits including the country code; fewer than eight are no complete number.
const DIGITS: RangeInclusive<usize> = 8..=15;

/// A telephone number in E.164, e.g. `+6591234567`. Not `Debug`, as it is personal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Telephone(String);

impl Telephone {
    /// Reads a text that consists only of a number: digits, full-width ones included, with separators. It must have a
    /// country code after `+` or `00`, or be a number of Singapore or a mobile number of mainland China.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut number = String::new();
        for c in text.trim().replace("(0)", "").chars().map(half_width) {
            match c {
                '0'..='9' => number.push(c),
                '+' if number.is_empty() => number.push(c),
                ' ' | '\u{a0}' | '-' | '‐' | '‑' | '–' | '.' | '(' | ')' => {}
                _ => return None,
            }
        }
        let international = match number.strip_prefix('+').or_else(|| number.strip_prefix("00")) {
            Some(international) => international.to_owned(),
            None => with_country_code(&number)?,
        };
        let is_whole = DIGITS.contains(&international.len()) && !international.starts_with('0');
        is_whole.then(|| Self(format!("+{international}")))
    }

    /// With a leading plus.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Without the plus, country code first.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.0[1..]
    }
}

fn with_country_code(number: &str) -> Option<String> {
    let is_home = |local: &str| local.len() == 8 && local.starts_with(HOME_NUMBERS);
    let is_chinese_mobile =
        || number.len() == 11 && number.starts_with('1') && number[1..].starts_with(|c| c >= '3');
    if is_home(number) {
        Some(format!("{HOME}{number}"))
    } else if number.strip_prefix(HOME).is_some_and(is_home) {
        Some(number.to_owned())
    } else if is_chinese_mobile() {
        Some(format!("86{number}"))
    } else {
        None
    }
}

/// All digits of a text, full-width ones converted.
#[must_use]
pub fn digits(text: &str) -> String {
    text.chars().map(half_width).filter(char::is_ascii_digit).collect()
}

/// Converts a full-width character to ASCII.
fn half_width(c: char) -> char {
    match c {
        '\u{3000}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_however_they_are_written() {
        for (text, number) in [
            ("+65 9123 4567", "+6591234567"),
            ("91234567", "+6591234567"),
            ("(65) 9123-4567", "+6591234567"),
            ("6591234567", "+6591234567"),
            ("＋６５ ９１２３　４５６７", "+6591234567"),
            ("0065 6123 4567", "+6561234567"),
            ("+44 (0)20 7946 0958", "+442079460958"),
            ("138 0013 8000", "+8613800138000"),
            ("0086 138.0013.8000", "+8613800138000"),
            ("+1 (212) 555-0100", "+12125550100"),
        ] {
            assert_eq!(Telephone::read(text).as_ref().map(Telephone::as_str), Some(number), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_number() {
        for text in [
            "call me please",
            "+65 9123 4567 ext 1",
            "9123 4567 or 8123 4567",
            "91234567+65",
            "9123 4567 / 12",
            "12345678",
            "010 8888 7777",
            "+0123456789",
            "+1234567",
            "1234567890123456",
            "91234567;ext=1",
            "*#06#9123456",
            "",
            "+",
            "😀😀😀😀",
        ] {
            assert!(Telephone::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn digits_are_found_in_any_text() {
        assert_eq!(digits("＋65 9a12"), "65912");
    }
}
