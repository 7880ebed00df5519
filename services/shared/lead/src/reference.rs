//! References: short names by which people identify leads.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The first two letters of every reference.
const PREFIX: &str = "ZG";

/// Number of characters after the prefix.
const LENGTH: usize = 6;

/// Number of characters between the two dashes.
const DASH_AFTER: usize = 4;

/// Minimum length of a prefix in a search: a single character would match one in 32 leads.
const SHORTEST_BEGINNING: usize = 2;

/// Crockford's base 32, without I, L, O and U, which are easily misread.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A lead's short name, e.g. `ZG-7F3K-2Q`. Parsing ignores case, dashes, spaces and the `ZG`, and reads O as 0, I and L
/// as 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Reference(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a reference, e.g. ZG-7F3K-2Q")]
pub struct InvalidReference;

impl Reference {
    /// Derives the reference from the first 30 bits of the id. Not unique: about five pairs collide among 100 000
    /// leads.
    pub fn from_id(lead: Uuid) -> Self {
        let bits = lead.as_u128() >> (128 - 30);
        let letter = |place: u32| {
            let index = (bits >> (25 - 5 * place)) & 31;
            char::from(ALPHABET[usize::try_from(index).unwrap_or_default()])
        };
        let letters = |places: std::ops::Range<u32>| places.map(letter).collect::<String>();
        Self(format!("{PREFIX}-{}-{}", letters(0..4), letters(4..6)))
    }

    /// Converts typed text to prefixes of references: none if no reference can match, two if `ZG` may be either the
    /// prefix or the first two characters. `ZG` alone counts as characters, not as the prefix.
    pub fn prefixes(typed: &str) -> Vec<String> {
        let typed = without_separators(typed);
        if typed.len() < SHORTEST_BEGINNING {
            return Vec::new();
        }
        let rest = typed.strip_prefix(PREFIX).filter(|rest| !rest.is_empty());
        rest.into_iter()
            .chain([typed.as_str()])
            .filter_map(prefix_of_references)
            .collect()
    }

    /// The canonical spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Reference {
    type Error = InvalidReference;

    fn try_from(text: String) -> Result<Self, InvalidReference> {
        text.parse()
    }
}

impl FromStr for Reference {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let typed = without_separators(text);
        let rest = match typed.strip_prefix(PREFIX) {
            // Six characters may start with ZG by chance.
            Some(rest) if typed.len() != LENGTH => rest,
            _ => &typed,
        };
        let whole = prefix_of_references(rest).filter(|_| rest.len() == LENGTH);
        whole.map(Self).ok_or(InvalidReference)
    }
}

/// Converts letters to upper case, and removes dashes and spaces.
fn without_separators(typed: &str) -> String {
    let letters = typed
        .chars()
        .filter(|letter| !letter.is_whitespace() && *letter != '-');
    letters.map(|letter| letter.to_ascii_uppercase()).collect()
}

/// Formats the prefix of references that start with these characters. Returns `None` if no reference does.
fn prefix_of_references(typed: &str) -> Option<String> {
    let letters: String = typed.chars().map(parse_character).collect::<Option<_>>()?;
    match letters.split_at_checked(DASH_AFTER) {
        _ if letters.len() > LENGTH => None,
        Some((first, second)) => Some(format!("{PREFIX}-{first}-{second}")),
        None => Some(format!("{PREFIX}-{letters}")),
    }
}

fn parse_character(typed: char) -> Option<char> {
    match typed {
        'O' => Some('0'),
        'I' | 'L' => Some('1'),
        _ => u8::try_from(typed)
            .is_ok_and(|byte| ALPHABET.contains(&byte))
            .then_some(typed),
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use uuid::uuid;

    use super::*;

    #[test]
    fn reference_comes_from_the_id() {
        assert_eq!(Reference::from_id(Uuid::nil()).as_str(), "ZG-0000-00");
        assert_eq!(Reference::from_id(Uuid::max()).as_str(), "ZG-ZZZZ-ZZ");
        assert_eq!(
            Reference::from_id(uuid!("00443214-0000-4000-8000-000000000000")).as_str(),
            "ZG-0123-45"
        );
    }

    #[test]
    fn parses_typed_spellings() {
        for typed in [
            "ZG-7F3K-2Q",
            "zg-7f3k-2q",
            "7F3K-2Q",
            "7f3k2q",
            "ZG7F3K2Q",
            " zg 7f3k 2q ",
            "Zg-7F-3k-2Q",
        ] {
            assert_eq!(
                typed.parse::<Reference>().unwrap().as_str(),
                "ZG-7F3K-2Q",
                "{typed}"
            );
        }
        assert_eq!(
            "zg-oil0-1L".parse::<Reference>().unwrap().as_str(),
            "ZG-0110-11"
        );
    }

    #[test]
    fn six_characters_may_start_like_the_prefix() {
        assert_eq!(
            "zg7f3k".parse::<Reference>().unwrap().as_str(),
            "ZG-ZG7F-3K"
        );
        assert_eq!(
            "ZG-ZG7F-3K".parse::<Reference>().unwrap().as_str(),
            "ZG-ZG7F-3K"
        );
    }

    #[test]
    fn parses_prefixes() {
        let prefixes = Reference::prefixes;
        assert_eq!(prefixes("7f"), ["ZG-7F"]);
        assert_eq!(prefixes(" 7f3k"), ["ZG-7F3K-"]);
        assert_eq!(prefixes("7f3k-2"), ["ZG-7F3K-2"]);
        assert_eq!(prefixes("zg-7f3k2q"), ["ZG-7F3K-2Q"]);
        assert_eq!(prefixes("oil"), ["ZG-011"]);
        assert_eq!(prefixes("Zg-7"), ["ZG-7", "ZG-ZG7"]);
        assert_eq!(prefixes("zg"), ["ZG-ZG"]);
        for typed in [
            "",
            "7",
            "-",
            "tu",
            "7f3k2qq",
            "zg-7f3k-2qq",
            "陈伟",
            "7\0",
            "%_",
        ] {
            assert!(prefixes(typed).is_empty(), "{typed}");
        }
    }

    #[test]
    fn rejects_other_texts() {
        for typed in [
            "",
            "ZG",
            "ZG-7F3K-2",
            "ZG-7F3K-2QQ",
            "7F3K2U",
            "AB-7F3K-2Q",
            "陈伟陈伟陈伟",
            "7F3K2\0",
        ] {
            assert_eq!(typed.parse::<Reference>(), Err(InvalidReference), "{typed}");
        }
    }
}
