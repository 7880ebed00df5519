//! What a person is known by. None of these types prints itself.

use ::lead::{EmailKey, Lead, Telephone, digits};
use uuid::Uuid;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    Email(EmailKey),
    Telephone(Telephone),
}

impl Key {
    /// What the database calls this kind of key.
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
    /// The person: the id of their first lead.
    pub id: Uuid,
    /// Another person, when the address is the one's and the number the other's.
    pub conflicting: Option<Uuid>,
}

/// What a lead is found by, besides its id and reference.
pub struct Keys {
    pub email: EmailKey,
    /// The number, when it can be read as one.
    pub telephone: Option<Telephone>,
    /// The name in small letters, its words one space apart.
    pub name: String,
    /// The digits of the number, those of its country code first where they are known.
    pub digits: String,
}

impl Keys {
    #[must_use]
    pub fn of(submission: &Lead) -> Self {
        Self::read(&submission.name, &submission.mobile, &submission.email)
    }

    /// The keys of these fields, as typed.
    #[must_use]
    pub fn read(name: &str, mobile: &str, email: &str) -> Self {
        let telephone = Telephone::read(mobile);
        let digits = telephone.as_ref().map_or_else(|| digits(mobile), |it| it.digits().to_owned());
        Self { email: EmailKey::of(email), telephone, name: name_key(name), digits }
    }

    /// Those that tell one person from another.
    pub fn of_person(&self) -> impl Iterator<Item = Key> {
        let telephone = self.telephone.clone().map(Key::Telephone);
        std::iter::once(Key::Email(self.email.clone())).chain(telephone)
    }
}

/// A name as it is looked up: in small letters, its words one space apart.
#[must_use]
pub fn name_key(name: &str) -> String {
    name.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text from its end to its beginning.
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
