//! The rules of the form with their English messages, and the normalisation of the form's texts. No I/O.

pub mod registration;

use std::borrow::Cow;

use strum::{EnumString, IntoStaticStr};
use validator::{ValidationError, ValidationErrors};

/// The fields in the order of the form.
const FORM: [&str; 5] = ["interests", "name", "mobile", "email", "questions"];

/// A rule with its message for the visitor. Lengths are in UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, thiserror::Error)]
#[strum(serialize_all = "snake_case")]
pub enum Rule {
    #[error("Please select at least one interest")]
    InterestsRequired,
    #[error("Interests must be brochure, purchase or showflat")]
    UnknownInterest,
    #[error("Name is required")]
    NameRequired,
    #[error("Name must be less than 100 characters")]
    NameTooLong,
    #[error("Mobile number must be at least 8 digits")]
    MobileTooShort,
    #[error("Mobile number must be less than 20 characters")]
    MobileTooLong,
    #[error("Invalid email address")]
    EmailInvalid,
    #[error("Email must be less than 255 characters")]
    EmailTooLong,
    #[error("Message must be less than 1000 characters")]
    QuestionsTooLong,
    /// Only for the no-JavaScript form: otherwise the site's script checks the sum before it submits the form.
    #[error("Incorrect answer. Please solve the math problem.")]
    AntiSpamWrong,
    #[error("You must accept the privacy policy")]
    PrivacyRequired,
    #[error("The privacy policy has changed. Please reload the page and accept the new version")]
    PrivacyOutdated,
    #[error("The field is missing")]
    Missing,
    #[error("The field has the wrong type")]
    WrongType,
}

impl Rule {
    /// The rule's name, which the site translates.
    pub fn code(self) -> &'static str {
        self.into()
    }
}

impl From<Rule> for ValidationError {
    fn from(rule: Rule) -> Self {
        Self::new(rule.code())
    }
}

/// The broken rules of each field, both in the order of the form.
pub type Broken = Vec<(Cow<'static, str>, Vec<Rule>)>;

/// Converts the validator's errors.
///
/// # Panics
/// If an error's code is not a [`Rule`], because the site could not translate the code.
fn broken_rules(errors: &ValidationErrors) -> Broken {
    let rule = |error: &ValidationError| {
        error
            .code
            .parse::<Rule>()
            .expect("a field is checked by rules")
    };
    let fields = errors.field_errors().into_iter();
    let mut broken: Broken = fields
        .map(|(field, errors)| (field, errors.iter().map(rule).collect()))
        .collect();
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
