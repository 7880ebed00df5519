//! Reads numbers as people write them within a country, with its national prefix instead of the country code.

use std::sync::LazyLock;

use phonenumber::{Mode, metadata::DATABASE};

use crate::{PhoneNumber, contact::digits};

/// The national prefixes of libphonenumber's data, each with the country codes that use it, e.g. `8` with `7`.
static NATIONAL_PREFIXES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let countries = DATABASE.iter().filter_map(|country| {
        let prefix = country.national_prefix()?;
        Some((prefix.to_owned(), country.country_code().to_string()))
    });
    let mut prefixes: Vec<_> = countries.collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    prefixes
});

/// Shorter parts of a number match too many leads.
const SHORTEST_NUMBER: usize = 3;

/// What digits as typed may stand for in a number with its country code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// A part of the number.
    Part(String),
    /// The beginning of the number, from its country code.
    Beginning(String),
}

impl Reading {
    /// The ASCII digits.
    pub fn digits(&self) -> &str {
        match self {
            Self::Part(digits) | Self::Beginning(digits) => digits,
        }
    }
}

/// Reads the digits of a whole number or of its beginning, at least three, e.g. `07911 12` of a number in Britain.
pub fn read_digits(typed: &str) -> Vec<Reading> {
    let digits = digits(typed);
    if digits.len() < SHORTEST_NUMBER {
        return Vec::new();
    }
    let mut readings = vec![Reading::Part(digits.clone())];
    // No country code begins with 0, so the rest follows a national or international prefix.
    let without_zeros = digits.trim_start_matches('0');
    readings.push(Reading::Part(without_zeros.to_owned()));
    // Other national prefixes are also the first digits of numbers.
    let of_countries = NATIONAL_PREFIXES.iter().filter(|(prefix, _)| prefix != "0");
    readings.extend(of_countries.filter_map(|(prefix, code)| {
        let rest = digits.strip_prefix(prefix.as_str())?;
        Some(Reading::Beginning(format!("{code}{rest}")))
    }));
    // For a number without a country code in the lead.
    let national = PhoneNumber::parse(typed).and_then(|number| national_digits(&number));
    readings.extend(national.map(Reading::Part));
    readings.retain(|reading| reading.digits().len() >= SHORTEST_NUMBER);
    readings.sort_unstable();
    readings.dedup();
    readings
}

/// The digits that a person in the number's country dials.
fn national_digits(number: &PhoneNumber) -> Option<String> {
    let parsed = phonenumber::parse(None, number.as_str()).ok()?;
    let national = parsed.format().mode(Mode::National).to_string();
    Some(digits(&national))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a search for `typed` finds a number with these digits.
    fn is_found(typed: &str, stored: &str) -> bool {
        read_digits(typed).iter().any(|reading| match reading {
            Reading::Part(part) => stored.contains(part),
            Reading::Beginning(beginning) => stored.starts_with(beginning),
        })
    }

    #[test]
    fn finds_numbers_as_written_in_their_country() {
        for (typed, stored) in [
            ("07911 123456", "447911123456"),
            ("07911 12", "447911123456"),
            ("0912-345-678", "886912345678"),
            ("0812 3456 789", "628123456789"),
            ("021-61234567", "862161234567"),
            ("8 (912) 345-67-89", "79123456789"),
            ("06 20 123 4567", "36201234567"),
            ("0086 138", "8613800138000"),
            ("+44 7911 123456", "07911123456"),
            ("٩١٢٣٤٥٦٧", "6591234567"),
            ("9123‒4567", "6591234567"),
        ] {
            assert!(is_found(typed, stored), "{typed}");
        }
    }

    #[test]
    fn a_first_digit_of_a_number_is_no_prefix() {
        assert!(!is_found("8123 4567", "6591234567"));
        assert_eq!(read_digits("12"), []);
        assert_eq!(read_digits("000"), [Reading::Part("000".to_owned())]);
    }
}
