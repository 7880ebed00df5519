//! The short names that people use for leads.

use std::{fmt, str::FromStr};

/// What every reference begins with.
const PREFIX: &str = "ZG";

/// How many characters tell one reference from another.
const LENGTH: usize = 6;

/// Where the second dash stands, for the eye and for reading aloud.
const DASH_AFTER: usize = 4;

/// Crockford's base 32: no I, L, O and U.
const ALPHABET: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A lead's short name, e.g. `ZG-7F3K-2Q`. Read as a person types it: case, dashes, spaces and the `ZG` do not
/// matter, O is 0, I and L are 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reference(String);

/// A text is no reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a reference: those look like ZG-7F3K-2Q")]
pub struct InvalidReference;

impl Reference {
    /// Its one spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Reference {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let typed: String = text
            .chars()
            .filter(|letter| !letter.is_whitespace() && *letter != '-')
            .map(|letter| letter.to_ascii_uppercase())
            .collect();
        let rest = match typed.strip_prefix(PREFIX) {
            // Six characters may begin with ZG by chance.
            Some(rest) if typed.len() != LENGTH => rest,
            _ => &typed,
        };
        let letters: Option<String> = rest.chars().map(digit).collect();
        match letters {
            Some(letters) if letters.len() == LENGTH => {
                let (first, second) = letters.split_at(DASH_AFTER);
                Ok(Self(format!("{PREFIX}-{first}-{second}")))
            }
            _ => Err(InvalidReference),
        }
    }
}

fn digit(typed: char) -> Option<char> {
    match typed {
        'O' => Some('0'),
        'I' | 'L' => Some('1'),
        _ => ALPHABET.contains(typed).then_some(typed),
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_may_type_it_as_they_like() {
        for typed in
            ["ZG-7F3K-2Q", "zg-7f3k-2q", "7F3K-2Q", "7f3k2q", "ZG7F3K2Q", " zg 7f3k 2q ", "Zg-7F-3k-2Q"]
        {
            assert_eq!(typed.parse::<Reference>().unwrap().as_str(), "ZG-7F3K-2Q", "{typed}");
        }
        assert_eq!("zg-oil0-1L".parse::<Reference>().unwrap().as_str(), "ZG-0110-11");
    }

    #[test]
    fn six_characters_that_begin_like_the_prefix_are_all_of_it() {
        assert_eq!("zg7f3k".parse::<Reference>().unwrap().as_str(), "ZG-ZG7F-3K");
        assert_eq!("ZG-ZG7F-3K".parse::<Reference>().unwrap().as_str(), "ZG-ZG7F-3K");
    }

    #[test]
    fn other_texts_are_refused() {
        for typed in ["", "ZG", "ZG-7F3K-2", "ZG-7F3K-2QQ", "7F3K2U", "AB-7F3K-2Q", "陈伟陈伟陈伟", "7F3K2\0"]
        {
            assert_eq!(typed.parse::<Reference>(), Err(InvalidReference), "{typed}");
        }
    }
}
