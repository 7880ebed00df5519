//! Checks a submitted form by the same rules as the site.

use chrono::{DateTime, Utc};
use lead::{
    Channel, Interest, Language, Lead, Reference, Visit, is_email_address, privacy_policy,
    text::{ascii_line, length, several_lines, single_line},
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;
use validator::{Validate, ValidationError};

use super::{
    rule::{self, Broken, Rule},
    spam_signal,
};

/// The enquiry form: exactly these five fields.
///
/// Each text is cleaned before it is validated: trimmed, without invisible characters, single-line fields on one line.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = Registration)]
pub struct RegistrationBody {
    // Each field accepts any value, so that a wrong type is reported by field.
    /// At least one of `brochure`, `purchase`, `showflat`.
    #[schema(value_type = Vec<String>, example = json!(["showflat"]))]
    #[validate(required(code = "missing"), custom(function = "interests_known"))]
    interests: Option<Value>,
    /// 1 to 100 UTF-16 code units after cleaning.
    #[schema(value_type = String, example = "陈伟")]
    #[validate(required(code = "missing"), custom(function = "is_text"))]
    #[validate(custom(function = "name_given"), custom(function = "name_fits"))]
    name: Option<Value>,
    /// 8 to 19 UTF-16 code units after cleaning.
    #[schema(value_type = String, example = "+65 9123 4567")]
    #[validate(required(code = "missing"), custom(function = "is_text"))]
    #[validate(custom(function = "mobile_long_enough"), custom(function = "mobile_fits"))]
    mobile: Option<Value>,
    /// Valid for `<input type=email>`, with a dot in the domain; at most 255 UTF-16 code units after cleaning, which
    /// converts full-width characters to ASCII.
    #[schema(value_type = String, example = "chen@example.com")]
    #[validate(required(code = "missing"), custom(function = "is_text"))]
    #[validate(custom(function = "email_well_formed"), custom(function = "email_fits"))]
    email: Option<Value>,
    /// At most 1000 UTF-16 code units after cleaning; empty when the visitor asks nothing.
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
    /// Version of the policy that the visitor accepted.
    pub privacy_policy_version: String,
    pub channels: Vec<Channel>,
    /// `None` without a session.
    pub visit: Option<Visit>,
    pub is_canary: bool,
}

impl RegistrationBody {
    /// The lead, cleaned, when no rule is broken.
    ///
    /// # Errors
    /// All broken rules, by field.
    pub fn into_lead(mut self, circumstances: Circumstances) -> Result<Lead, Broken> {
        clean(&mut self.name, single_line);
        clean(&mut self.mobile, single_line);
        clean(&mut self.email, ascii_line);
        clean(&mut self.questions, several_lines);
        let mut broken = self.validate().map_or_else(|found| rule::broken(&found), |()| Broken::new());
        if !circumstances.is_canary && !privacy_policy::is_known(&circumstances.privacy_policy_version) {
            broken.insert("privacyAccepted".into(), vec![Rule::PrivacyRequired]);
        }
        if !broken.is_empty() {
            return Err(broken);
        }
        let Self { interests, name, mobile, email, questions } = &self;
        let Circumstances { id, submitted_at, language, privacy_policy_version, channels, visit, is_canary } =
            circumstances;
        let mut lead = Lead {
            id,
            reference: Reference::from_id(id),
            submitted_at,
            interests: interests.as_ref().map(self::interests).transpose().ok().flatten().unwrap_or_default(),
            name: text(name.as_ref()).into(),
            mobile: text(mobile.as_ref()).into(),
            email: text(email.as_ref()).into(),
            questions: text(questions.as_ref()).into(),
            language,
            privacy_policy_version: privacy_policy_version.as_str().into(),
            channels,
            visit,
            signals: Vec::new(),
        };
        lead.signals = spam_signal::of(&lead, is_canary);
        Ok(lead)
    }
}

/// Leaves a value of another type as it is.
fn clean(field: &mut Option<Value>, cleaned: impl Fn(&str) -> String) {
    if let Some(Value::String(text)) = field {
        *text = cleaned(text);
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
    check(name, Rule::NameRequired, |name| !name.is_empty())
}

fn name_fits(name: &Value) -> Result<(), ValidationError> {
    check(name, Rule::NameTooLong, |name| length(name) <= Lead::NAME)
}

fn mobile_long_enough(mobile: &Value) -> Result<(), ValidationError> {
    check(mobile, Rule::MobileTooShort, |mobile| length(mobile) >= Lead::SHORTEST_MOBILE)
}

fn mobile_fits(mobile: &Value) -> Result<(), ValidationError> {
    check(mobile, Rule::MobileTooLong, |mobile| length(mobile) <= Lead::MOBILE)
}

fn email_well_formed(email: &Value) -> Result<(), ValidationError> {
    check(email, Rule::EmailInvalid, is_email_address)
}

fn email_fits(email: &Value) -> Result<(), ValidationError> {
    check(email, Rule::EmailTooLong, |email| length(email) <= Lead::EMAIL)
}

fn questions_fit(questions: &Value) -> Result<(), ValidationError> {
    check(questions, Rule::QuestionsTooLong, |questions| length(questions) <= Lead::QUESTIONS)
}
