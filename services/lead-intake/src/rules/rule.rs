//! The rules of the form, with their English messages.

use std::borrow::Cow;

use strum::{EnumString, IntoStaticStr};
use validator::{ValidationError, ValidationErrors};

/// The fields in the order of the form.
const FORM: [&str; 5] = ["interests", "name", "mobile", "email", "questions"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Rule {
    /// No choice was made.
    InterestsRequired,
    /// Not a choice of the form.
    UnknownInterest,
    /// Only white space.
    NameRequired,
    /// More than 100 UTF-16 code units.
    NameTooLong,
    /// Fewer than 8 UTF-16 code units.
    MobileTooShort,
    /// 20 UTF-16 code units or more.
    MobileTooLong,
    /// Not an address that a browser accepts, or without a dot in its domain.
    EmailInvalid,
    /// More than 255 UTF-16 code units.
    EmailTooLong,
    /// More than 1000 UTF-16 code units.
    QuestionsTooLong,
    /// Not the answer to the form's sum; the site's own script checks it before it sends.
    AntiSpamWrong,
    /// The policy was not accepted; checked by the script, too.
    PrivacyRequired,
    Missing,
    /// The field is of another JSON type.
    WrongType,
}

impl Rule {
    /// The rule's name, which the site translates.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// The message for the visitor.
    pub fn message(self) -> &'static str {
        match self {
            Self::InterestsRequired => "Please select at least one interest",
            Self::UnknownInterest => "Interests must be brochure, purchase or showflat",
            Self::NameRequired => "Name is required",
            Self::NameTooLong => "Name must be less than 100 characters",
            Self::MobileTooShort => "Mobile number must be at least 8 digits",
            Self::MobileTooLong => "Mobile number must be less than 20 characters",
            Self::EmailInvalid => "Invalid email address",
            Self::EmailTooLong => "Email must be less than 255 characters",
            Self::QuestionsTooLong => "Message must be less than 1000 characters",
            Self::AntiSpamWrong => "Incorrect answer. Please solve the math problem.",
            Self::PrivacyRequired => "You must accept the privacy policy",
            Self::Missing => "The field is missing",
            Self::WrongType => "The field has the wrong type",
        }
    }

    pub(super) fn to_error(self) -> ValidationError {
        ValidationError::new(self.code())
    }
}

/// The broken rules of each field, both in the order of the form.
pub type Broken = Vec<(Cow<'static, str>, Vec<Rule>)>;

/// Converts the validator's errors.
///
/// # Panics
/// When an error's code is not a [`Rule`]: the site could not translate it.
pub(super) fn broken_rules(errors: &ValidationErrors) -> Broken {
    let rule = |error: &ValidationError| error.code.parse::<Rule>().expect("a field is checked by rules");
    let fields = errors.field_errors().into_iter();
    let mut broken: Broken =
        fields.map(|(field, errors)| (field, errors.iter().map(rule).collect())).collect();
    broken.sort_by_key(|(field, _)| FORM.iter().position(|it| it == field));
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(code: &'static str) -> Broken {
        let mut errors = ValidationErrors::new();
        errors.add("budget", ValidationError::new(code));
        broken_rules(&errors)
    }

    #[test]
    fn reports_a_field_that_is_not_listed() {
        assert_eq!(broken("missing"), [("budget".into(), vec![Rule::Missing])]);
    }

    #[test]
    #[should_panic(expected = "a field is checked by rules")]
    fn panics_on_a_check_without_a_rule() {
        broken("range");
    }
}
