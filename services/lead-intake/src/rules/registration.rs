//! Checks a submitted form by the same rules as the site.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use lead::{Interest, Language, Lead, Reference, Typed, Visit, text::length};
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;
use validator::{Validate, ValidationError};

use super::{
    rule::{self, Broken, Rule},
    spam_signal,
    text::{several_lines, single_line, trimmed},
};

/// The enquiry form: exactly these five fields.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = Registration)]
pub struct RegistrationBody {
    // Each field accepts any value, so that a wrong type is reported by field.
    /// At least one of `brochure`, `purchase`, `showflat`.
    #[schema(value_type = Vec<String>, example = json!(["showflat"]))]
    #[validate(required(code = "missing"), custom(function = "interests_known"))]
    interests: Option<Value>,
    /// 1 to 100 UTF-16 code units after trimming as in JavaScript.
    #[schema(value_type = String, example = "陈伟")]
    #[validate(required(code = "missing"), custom(function = "is_text"))]
    #[validate(custom(function = "name_given"), custom(function = "name_fits"))]
    name: Option<Value>,
    /// 8 to 19 UTF-16 code units after trimming.
    #[schema(value_type = String, example = "+65 9123 4567")]
    #[validate(required(code = "missing"), custom(function = "is_text"))]
    #[validate(custom(function = "mobile_long_enough"), custom(function = "mobile_fits"))]
    mobile: Option<Value>,
    /// Valid for `<input type=email>`, with a dot in the domain; at most 255 UTF-16 code units after trimming.
    #[schema(value_type = String, example = "chen@example.com")]
    #[validate(required(code = "missing"), custom(function = "is_text"))]
    #[validate(custom(function = "email_well_formed"), custom(function = "email_fits"))]
    email: Option<Value>,
    /// At most 1000 UTF-16 code units; empty when the visitor asks nothing.
    #[schema(value_type = String, example = "")]
    #[validate(required(code = "missing"), custom(function = "is_text"), custom(function = "questions_fit"))]
    questions: Option<Value>,
}

/// The data of a lead that the visitor did not type.
pub struct Circumstances {
    pub id: Uuid,
    /// When the form arrived.
    pub submitted_at: DateTime<Utc>,
    pub language: Language,
    /// Version of the policy the visitor accepted; empty when unknown.
    pub privacy_policy_version: Typed,
    pub visit: Visit,
    pub is_canary: bool,
}

impl RegistrationBody {
    /// The lead, when no rule is broken: trimmed, choices without duplicates, single-line fields on one line.
    ///
    /// # Errors
    /// All broken rules, by field.
    pub fn into_lead(self, circumstances: Circumstances) -> Result<Lead, Broken> {
        self.validate().map_err(|found| rule::broken(&found))?;
        let Self { interests, name, mobile, email, questions } = &self;
        let Circumstances { id, submitted_at, language, privacy_policy_version, visit, is_canary } =
            circumstances;
        let mut lead = Lead {
            id,
            reference: Reference::of(id),
            submitted_at,
            interests: interests.as_ref().map(self::interests).transpose().ok().flatten().unwrap_or_default(),
            name: single_line(trimmed(text(name.as_ref()))).into(),
            mobile: single_line(trimmed(text(mobile.as_ref()))).into(),
            email: trimmed(text(email.as_ref())).into(),
            questions: several_lines(text(questions.as_ref())).into(),
            language,
            privacy_policy_version,
            visit: Some(visit),
            signals: Vec::new(),
        };
        lead.signals = spam_signal::of(&lead, is_canary);
        Ok(lead)
    }
}

/// Empty for a value of another type, which the rules have refused.
fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Sorted, without duplicates.
fn interests(value: &Value) -> Result<Vec<Interest>, Rule> {
    let choices = value.as_array().ok_or(Rule::WrongType)?.iter();
    let choices = choices.map(|choice| choice.as_str().ok_or(Rule::WrongType));
    let choices = choices.map(|choice| choice?.parse().map_err(|_| Rule::UnknownInterest));
    let mut choices: Vec<Interest> = choices.collect::<Result<_, _>>()?;
    choices.sort_unstable();
    choices.dedup();
    if choices.is_empty() { Err(Rule::InterestsRequired) } else { Ok(choices) }
}

fn interests_known(value: &Value) -> Result<(), ValidationError> {
    interests(value).map(drop).map_err(Rule::broken)
}

fn is_text(value: &Value) -> Result<(), ValidationError> {
    if value.is_string() { Ok(()) } else { Err(Rule::WrongType.broken()) }
}

/// A value of another type breaks only [`Rule::WrongType`].
fn check(value: &Value, rule: Rule, holds: impl Fn(&str) -> bool) -> Result<(), ValidationError> {
    if value.as_str().is_none_or(holds) { Ok(()) } else { Err(rule.broken()) }
}

fn name_given(name: &Value) -> Result<(), ValidationError> {
    check(name, Rule::NameRequired, |name| !trimmed(name).is_empty())
}

fn name_fits(name: &Value) -> Result<(), ValidationError> {
    check(name, Rule::NameTooLong, |name| length(trimmed(name)) <= Lead::NAME)
}

fn mobile_long_enough(mobile: &Value) -> Result<(), ValidationError> {
    check(mobile, Rule::MobileTooShort, |mobile| length(trimmed(mobile)) >= 8)
}

fn mobile_fits(mobile: &Value) -> Result<(), ValidationError> {
    check(mobile, Rule::MobileTooLong, |mobile| length(trimmed(mobile)) <= Lead::MOBILE)
}

fn email_well_formed(email: &Value) -> Result<(), ValidationError> {
    check(email, Rule::EmailInvalid, |email| EMAIL.is_match(trimmed(email)))
}

fn email_fits(email: &Value) -> Result<(), ValidationError> {
    check(email, Rule::EmailTooLong, |email| length(trimmed(email)) <= Lead::EMAIL)
}

fn questions_fit(questions: &Value) -> Result<(), ValidationError> {
    check(questions, Rule::QuestionsTooLong, |questions| length(questions) <= Lead::QUESTIONS)
}

/// A valid e-mail address of the HTML standard (`<input type=email>`), with at least one dot in its domain.
/// <https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address>
static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    let label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
    let local = r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+";
    Regex::new(&format!(r"\A{local}@{label}(?:\.{label})+\z")).expect("a constant that every test compiles")
});
