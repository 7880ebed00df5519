//! Keys that identify people and find their leads. Types that hold personal data do not implement `Debug`.

use ::lead::{EmailKey, Lead, Telephone, digits};
use uuid::Uuid;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    Email(EmailKey),
    Telephone(Telephone),
}

impl Key {
    /// The name of the kind in the database.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Email(_) => "email",
            Self::Telephone(_) => "telephone",
        }
    }

    #[must_use]
    pub fn value(&self) -> &str {
        match self {
            Self::Email(email) => email.as_str(),
            Self::Telephone(telephone) => telephone.as_str(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contact {
    /// The id of the person's first lead.
    pub id: Uuid,
    /// The owner of the telephone number, when the address belongs to another person.
    pub conflicting: Option<Uuid>,
}

/// The search keys of a lead, besides its id and reference.
pub struct Keys {
    pub email: EmailKey,
    /// `None` when the number cannot be parsed.
    pub telephone: Option<Telephone>,
    /// In lower case, words separated by one space.
    pub name: String,
    /// The digits of the number, with its country code when known.
    pub digits: String,
}

impl Keys {
    #[must_use]
    pub fn of(submission: &Lead) -> Self {
        Self::read(&submission.name, &submission.mobile, &submission.email)
    }

    /// Derives keys from fields as typed.
    #[must_use]
    pub fn read(name: &str, mobile: &str, email: &str) -> Self {
        let telephone = Telephone::read(mobile);
        let digits = telephone.as_ref().map_or_else(|| digits(mobile), |it| it.digits().to_owned());
        Self { email: EmailKey::of(email), telephone, name: name_key(name), digits }
    }

    /// The keys that identify a person.
    pub fn of_person(&self) -> impl Iterator<Item = Key> {
        let telephone = self.telephone.clone().map(Key::Telephone);
        std::iter::once(Key::Email(self.email.clone())).chain(telephone)
    }
}

/// A name in lower case, its words separated by one space.
#[must_use]
pub fn name_key(name: &str) -> String {
    name.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[must_use]
pub fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_up_without_case_and_spacing() {
        assert_eq!(name_key("  Tan  WEI\tMing "), "tan wei ming");
        assert_eq!(name_key("陈伟"), "陈伟");
    }
}
