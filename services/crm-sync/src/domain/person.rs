//! Naming a person to export or erase. Prints nothing: it is personal.

use ::lead::{EmailKey, Telephone, digits};

use super::contact::Key;

/// Fewer digits name nobody.
const FEWEST_DIGITS: usize = 5;

/// A person, by what a client typed.
#[derive(Clone, PartialEq, Eq)]
pub enum Person {
    /// Whose e-mail address it is.
    Email(EmailKey),
    /// Whose telephone number it is.
    Telephone(Telephone),
    /// Who typed what is no telephone number, and these digits in it.
    Digits(String),
}

impl Person {
    /// The person that a text names; none when it is neither an address nor anything like a number.
    #[must_use]
    pub fn read(typed: &str) -> Option<Self> {
        if typed.contains('@') {
            return Some(Self::Email(EmailKey::of(typed)));
        }
        if let Some(telephone) = Telephone::read(typed) {
            return Some(Self::Telephone(telephone));
        }
        let digits = digits(typed);
        (digits.len() >= FEWEST_DIGITS).then_some(Self::Digits(digits))
    }

    /// What tells this person from others, if it does.
    #[must_use]
    pub fn key(&self) -> Option<Key> {
        match self {
            Self::Email(email) => Some(Key::Email(email.clone())),
            Self::Telephone(telephone) => Some(Key::Telephone(telephone.clone())),
            Self::Digits(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_a_number_names_a_person() {
        let email = Person::read(" Wei@Example.COM ");
        assert!(email == Some(Person::Email(EmailKey::of("wei@example.com"))));
        let telephone = Telephone::read("+6591234567").map(Person::Telephone);
        assert!(telephone.is_some() && Person::read("9123 4567") == telephone);
        assert!(Person::read("9123 4567 ext 1") == Some(Person::Digits("912345671".to_owned())));
    }

    #[test]
    fn anything_else_names_nobody() {
        for typed in ["", " ", "陈伟", "ZG-7F3K-2Q", "1234", "+"] {
            assert!(Person::read(typed).is_none(), "{typed}");
        }
    }
}
