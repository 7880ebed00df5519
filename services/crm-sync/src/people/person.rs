//! Reads which person to export or erase. The types do not implement `Debug`: they are personal.

use ::lead::{
    EmailKey, Telephone, digits,
    field::{filled, uuid},
};
use contracts::crm::v1::ErasePersonRequest;
use uuid::Uuid;

use crate::{error::Invalid, leads::keys::Key};

/// Fewer digits do not identify a person.
const FEWEST_DIGITS: usize = 5;

#[derive(Clone, PartialEq, Eq)]
pub enum Person {
    Email(EmailKey),
    /// The digits of a number, with its country code when known. Several people may share them.
    Digits(String),
}

impl Person {
    /// Reads an address, a telephone number or at least 5 digits; `None` for anything else.
    #[must_use]
    pub fn read(typed: &str) -> Option<Self> {
        if typed.contains('@') {
            return Some(Self::Email(EmailKey::of(typed)));
        }
        let digits = match Telephone::read(typed) {
            Some(telephone) => telephone.digits().to_owned(),
            None => digits(typed),
        };
        (digits.len() >= FEWEST_DIGITS).then_some(Self::Digits(digits))
    }

    /// `None` for digits, which do not identify a contact.
    #[must_use]
    pub fn key(&self) -> Option<Key> {
        match self {
            Self::Email(email) => Some(Key::Email(email.clone())),
            Self::Digits(_) => None,
        }
    }
}

/// The longest address that the form accepts; numbers are shorter.
const PERSON_LENGTH: usize = 255;

pub struct Erasure {
    pub person: Option<Person>,
    /// Leads that may not be stored yet.
    pub also: Vec<Uuid>,
}

/// Parses a person as typed by a client.
///
/// # Errors
/// [`Invalid`] when it is neither an address nor a number.
pub fn person(typed: &str) -> Result<Person, Invalid> {
    Person::read(&filled("person", typed.trim(), PERSON_LENGTH)?).ok_or(Invalid::NotPerson)
}

/// Parses a request to erase a person.
///
/// # Errors
/// [`Invalid`] when the person or a lead id is invalid.
pub fn erasure(request: ErasePersonRequest) -> Result<Erasure, Invalid> {
    let also: Vec<Uuid> = request.lead_ids.iter().map(|id| uuid("lead_ids", id)).collect::<Result<_, _>>()?;
    if request.email.is_empty() && !also.is_empty() {
        return Ok(Erasure { person: None, also });
    }
    match person(&request.email)? {
        Person::Digits(_) => Err(Invalid::SharedNumber),
        person @ Person::Email(_) => Ok(Erasure { person: Some(person), also }),
    }
}

#[cfg(test)]
mod tests {
    use ::lead::FieldError;

    use super::*;

    #[test]
    fn an_address_or_a_number_names_a_person() {
        let email = Person::read(" Wei@Example.COM ");
        assert!(email == Some(Person::Email(EmailKey::of("wei@example.com"))));
        for typed in ["+6591234567", "9123 4567"] {
            assert!(Person::read(typed) == Some(Person::Digits("6591234567".to_owned())), "{typed}");
        }
        assert!(Person::read("9123 4567 ext 1") == Some(Person::Digits("912345671".to_owned())));
    }

    #[test]
    fn anything_else_names_nobody() {
        for typed in ["", " ", "陈伟", "ZG-7F3K-2Q", "1234", "+"] {
            assert!(Person::read(typed).is_none(), "{typed}");
        }
    }

    #[test]
    fn what_names_nobody_is_refused_and_not_repeated() {
        assert!(person(" wei@example.com ").is_ok() && person("+65 9123 4567").is_ok());
        for (typed, refusal) in [
            (" ", FieldError::Empty("person").into()),
            ("陈伟", Invalid::NotPerson),
            ("12", Invalid::NotPerson),
            (&format!("{}@b.co", "x".repeat(251)), FieldError::TooLong("person", 255).into()),
        ] {
            assert!(person(typed).err() == Some(refusal), "{typed}");
        }
        let request = |id: &str| ErasePersonRequest {
            email: "wei@example.com".to_owned(),
            lead_ids: vec![id.to_owned()],
        };
        assert_eq!(erasure(request("7")).err(), Some(FieldError::NotUuid("lead_ids").into()));
        assert!(erasure(request(&Uuid::from_u128(7).to_string())).is_ok());
        let seven = request(&Uuid::from_u128(7).to_string());
        let erased = |email: &str| erasure(ErasePersonRequest { email: email.to_owned(), ..seven.clone() });
        assert!(erased("").is_ok_and(|it| it.person.is_none() && it.also.len() == 1));
        assert_eq!(erased("9123 4567").err(), Some(Invalid::SharedNumber));
    }
}
