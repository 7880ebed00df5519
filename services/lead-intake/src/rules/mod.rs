//! The rules of the form with their English messages, and the normalisation of the form's texts. No I/O.

pub mod registration;

use std::borrow::Cow;

use serde_aux::serde_introspection::serde_introspect;
use strum::{EnumString, IntoStaticStr};
use validator::{ValidationError, ValidationErrors};

use self::registration::RegistrationBody;

/// A rule with its message for the visitor. Lengths are in UTF-16 code units. The specification of the API defines the
/// messages: "less than 100 characters" is also the message of a rule that allows 100.
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

/// Converts the validator's errors. The request body declares the fields in the order of the form.
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
    let form = serde_introspect::<RegistrationBody>();
    broken.sort_by_key(|(field, _)| form.iter().position(|it| it == field));
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_the_order_of_the_form() {
        let mut errors = ValidationErrors::new();
        for field in ["questions", "email", "name", "interests", "mobile"] {
            errors.add(field, Rule::Missing.into());
        }
        let broken = broken_rules(&errors);
        let fields: Vec<_> = broken.iter().map(|(field, _)| field.as_ref()).collect();
        assert_eq!(
            fields,
            ["interests", "name", "mobile", "email", "questions"]
        );
    }

    #[test]
    #[should_panic(expected = "a field is checked by rules")]
    fn panics_on_a_check_without_a_rule() {
        let mut errors = ValidationErrors::new();
        errors.add("name", ValidationError::new("range"));
        broken_rules(&errors);
    }
}
