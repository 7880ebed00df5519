//! Naming a person, and leads of theirs.

use contracts::crm::v1::ErasePersonRequest;
use lead::field::{filled, uuid};
use uuid::Uuid;

use super::Invalid;
use crate::domain::person::Person;

/// The longest address the form takes; no number is longer.
const PERSON_LENGTH: usize = 255;

/// Whom to forget.
pub struct Erasure {
    /// The person.
    pub person: Person,
    /// Leads of theirs that may not be stored yet.
    pub also: Vec<Uuid>,
}

/// A person, by what a client typed.
///
/// # Errors
/// [`Invalid`] when it names nobody.
pub fn person(typed: &str) -> Result<Person, Invalid> {
    Person::read(&filled("person", typed.trim(), PERSON_LENGTH)?).ok_or(Invalid::NotPerson)
}

/// Whom a client wants forgotten.
///
/// # Errors
/// [`Invalid`] when it names nobody, or leads by what is no id.
pub fn erasure(request: ErasePersonRequest) -> Result<Erasure, Invalid> {
    let also = request.lead_ids.iter().map(|id| uuid("lead_ids", id)).collect::<Result<_, _>>()?;
    Ok(Erasure { person: person(&request.person)?, also })
}

#[cfg(test)]
mod tests {
    use lead::FieldError;

    use super::*;

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
            person: "wei@example.com".to_owned(),
            lead_ids: vec![id.to_owned()],
        };
        assert_eq!(erasure(request("7")).err(), Some(FieldError::NotUuid("lead_ids").into()));
        assert!(erasure(request(&Uuid::from_u128(7).to_string())).is_ok());
    }
}
