//! What a visitor sent, checked as the form checks it.

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;
use validator::{Validate, ValidationError};

use super::{
    rule::{self, Broken, Rule},
    text,
};

/// A choice of the form.
// Serialize is what the validator asks of the fields it reports on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Interest {
    /// E-brochure, floor plan and pricing.
    Brochure,
    /// To purchase.
    Purchase,
    /// Early show flat preview.
    Showflat,
}

impl Interest {
    /// The choice of this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        match id {
            "brochure" => Some(Self::Brochure),
            "purchase" => Some(Self::Purchase),
            "showflat" => Some(Self::Showflat),
            _ => None,
        }
    }
}

/// The fields as they came; one that is absent was refused before and is checked no further.
#[derive(Default, Validate)]
pub struct Form {
    /// At least one choice.
    #[validate(custom(function = "some_interest"))]
    pub interests: Option<Vec<Interest>>,
    /// 1 to 100, trimmed.
    #[validate(custom(function = "name_given"), custom(function = "name_fits"))]
    pub name: Option<String>,
    /// 8 to 19, trimmed.
    #[validate(custom(function = "mobile_long_enough"), custom(function = "mobile_fits"))]
    pub mobile: Option<String>,
    /// An address, trimmed, of at most 255.
    #[validate(custom(function = "email_well_formed"), custom(function = "email_fits"))]
    pub email: Option<String>,
    /// At most 1000.
    #[validate(custom(function = "questions_fit"))]
    pub questions: Option<String>,
}

/// A registration that obeys every rule: trimmed, each choice once, single-line fields on one line.
#[derive(Clone, PartialEq, Eq)]
pub struct Registration {
    /// Not empty, sorted.
    pub interests: Vec<Interest>,
    /// Not empty.
    pub name: String,
    /// As typed.
    pub mobile: String,
    /// As typed.
    pub email: String,
    /// May be empty.
    pub questions: String,
}

impl Registration {
    /// Checks a form; `refused` is what was already found wrong with the fields it lacks.
    ///
    /// # Errors
    /// Every rule broken, by field.
    pub fn parse(form: Form, mut refused: Broken) -> Result<Self, Broken> {
        if let Err(errors) = form.validate() {
            rule::add(&mut refused, &errors);
        }
        let Form { interests, name, mobile, email, questions } = form;
        match (interests, name, mobile, email, questions) {
            (Some(mut interests), Some(name), Some(mobile), Some(email), Some(questions))
                if refused.is_empty() =>
            {
                interests.sort_unstable();
                interests.dedup();
                Ok(Self {
                    interests,
                    name: text::single_line(text::trimmed(&name)),
                    mobile: text::single_line(text::trimmed(&mobile)),
                    email: text::trimmed(&email).to_owned(),
                    questions: text::several_lines(&questions),
                })
            }
            _ => Err(refused),
        }
    }
}

fn check(holds: bool, rule: Rule) -> Result<(), ValidationError> {
    if holds { Ok(()) } else { Err(rule.broken()) }
}

fn trimmed_length(value: &str) -> usize {
    text::length(text::trimmed(value))
}

fn some_interest(interests: &[Interest]) -> Result<(), ValidationError> {
    check(!interests.is_empty(), Rule::InterestsRequired)
}

fn name_given(name: &str) -> Result<(), ValidationError> {
    check(trimmed_length(name) >= 1, Rule::NameRequired)
}

fn name_fits(name: &str) -> Result<(), ValidationError> {
    check(trimmed_length(name) <= 100, Rule::NameTooLong)
}

fn mobile_long_enough(mobile: &str) -> Result<(), ValidationError> {
    check(trimmed_length(mobile) >= 8, Rule::MobileTooShort)
}

fn mobile_fits(mobile: &str) -> Result<(), ValidationError> {
    check(trimmed_length(mobile) < 20, Rule::MobileTooLong)
}

fn email_well_formed(email: &str) -> Result<(), ValidationError> {
    check(EMAIL.is_match(text::trimmed(email)), Rule::EmailInvalid)
}

fn email_fits(email: &str) -> Result<(), ValidationError> {
    check(trimmed_length(email) <= 255, Rule::EmailTooLong)
}

fn questions_fit(questions: &str) -> Result<(), ValidationError> {
    check(text::length(questions) <= 1000, Rule::QuestionsTooLong)
}

/// A valid e-mail address of the HTML standard (`<input type=email>`), with at least one dot in its domain.
/// <https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address>
static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    let label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
    let local = r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+";
    Regex::new(&format!(r"\A{local}@{label}(?:\.{label})+\z")).expect("a constant that every test compiles")
});
