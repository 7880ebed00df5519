//! The rules of the form by name, each with the message the visitor is shown in English.

use std::collections::BTreeMap;

use validator::ValidationError;

/// A rule that a field broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The field is not there.
    Missing,
    /// The field is of another JSON type.
    WrongType,
}

impl Rule {
    const ALL: [Self; 11] = [
        Self::InterestsRequired,
        Self::UnknownInterest,
        Self::NameRequired,
        Self::NameTooLong,
        Self::MobileTooShort,
        Self::MobileTooLong,
        Self::EmailInvalid,
        Self::EmailTooLong,
        Self::QuestionsTooLong,
        Self::Missing,
        Self::WrongType,
    ];

    /// Its name, which the site translates.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::InterestsRequired => "interests_required",
            Self::UnknownInterest => "unknown_interest",
            Self::NameRequired => "name_required",
            Self::NameTooLong => "name_too_long",
            Self::MobileTooShort => "mobile_too_short",
            Self::MobileTooLong => "mobile_too_long",
            Self::EmailInvalid => "email_invalid",
            Self::EmailTooLong => "email_too_long",
            Self::QuestionsTooLong => "questions_too_long",
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
        }
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

    /// The rule as the validator reports it.
    pub(super) fn broken(self) -> ValidationError {
        ValidationError::new(self.code())
    }

    /// The rule the validator reported.
    pub(super) fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.code() == code)
    }
}

/// The rules each field broke, in the order they are checked.
pub type Broken = BTreeMap<&'static str, Vec<Rule>>;
