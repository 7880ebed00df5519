//! The rules of the form by name, each with the message the visitor is shown in English.

use std::{borrow::Cow, collections::BTreeMap};

use strum::{EnumString, IntoStaticStr};
use validator::{ValidationError, ValidationErrors};

/// A rule that a field broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Rule {
    /// No choice was made.
    InterestsRequired,
    /// A choice the form does not offer.
    UnknownInterest,
    /// Nothing but white space.
    NameRequired,
    /// More than 100.
    NameTooLong,
    /// Fewer than 8.
    MobileTooShort,
    /// 20 or more.
    MobileTooLong,
    /// Not what a browser takes for an e-mail address.
    EmailInvalid,
    /// More than 255.
    EmailTooLong,
    /// More than 1000.
    QuestionsTooLong,
    Missing,
    /// The field is of another JSON type.
    WrongType,
}

impl Rule {
    /// Its name, which the site translates.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// What it says to a person.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::InterestsRequired => "Please select at least one interest",
            Self::UnknownInterest => "An interest is none of brochure, purchase, showflat",
            Self::NameRequired => "Name is required",
            Self::NameTooLong => "Name must be less than 100 characters",
            Self::MobileTooShort => "Mobile number must be at least 8 digits",
            Self::MobileTooLong => "Mobile number must be less than 20 characters",
            Self::EmailInvalid => "Invalid email address",
            Self::EmailTooLong => "Email must be less than 255 characters",
            Self::QuestionsTooLong => "Message must be less than 1000 characters",
            Self::Missing => "The field is missing",
            Self::WrongType => "The field is of the wrong type",
        }
    }

    pub(super) fn broken(self) -> ValidationError {
        ValidationError::new(self.code())
    }
}

/// The rules each field broke, in the order they are checked.
pub type Broken = BTreeMap<Cow<'static, str>, Vec<Rule>>;

/// The rules that the validator found broken.
///
/// # Panics
/// When a field is checked by what is no [`Rule`]: the site would have no words for it.
pub(super) fn broken(found: &ValidationErrors) -> Broken {
    let rule = |error: &ValidationError| error.code.parse::<Rule>().expect("a field is checked by rules");
    let fields = found.field_errors().into_iter();
    fields.map(|(field, errors)| (field, errors.iter().map(rule).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &'static str) -> Broken {
        let mut errors = ValidationErrors::new();
        errors.add("budget", ValidationError::new(code));
        broken(&errors)
    }

    #[test]
    fn a_field_that_nobody_lists_is_checked_too() {
        assert_eq!(found("missing"), Broken::from([("budget".into(), vec![Rule::Missing])]));
    }

    #[test]
    #[should_panic(expected = "a field is checked by rules")]
    fn a_check_without_a_rule_is_found_by_the_first_test() {
        found("range");
    }
}
