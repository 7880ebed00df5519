//! Checks a submitted form by the same rules as the site.

use chrono::{DateTime, Utc};
use lead::{
    Channel, Interest, Language, Lead, Reference, Visit, is_email_address, privacy_policy,
    text::{ascii_line, length, several_lines, single_line},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;
use validator::{Validate, ValidationError};

use super::{
    rule::{Broken, Rule, broken_rules},
    spam_signal,
};

/// The enquiry form: exactly these five fields.
///
/// Each text is cleaned before it is validated: trimmed, without invisible characters, single-line fields on one line.
#[derive(Serialize, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = Registration)]
pub struct RegistrationBody {
    // Each field accepts any value, so that a wrong type is reported by field.
    /// At least one of `brochure`, `purchase`, `showflat`.
    #[schema(value_type = Vec<String>, example = json!(["showflat"]))]
    #[validate(required(code = "missing"), custom(function = "check_interests"))]
    pub(crate) interests: Option<Value>,
    /// 1 to 100 UTF-16 code units after cleaning.
    #[schema(value_type = String, example = "陈伟")]
    #[validate(required(code = "missing"), custom(function = "check_name"))]
    pub(crate) name: Option<Value>,
    /// 8 to 19 UTF-16 code units after cleaning.
    #[schema(value_type = String, example = "+65 9123 4567")]
    #[validate(required(code = "missing"), custom(function = "check_mobile"))]
    pub(crate) mobile: Option<Value>,
    /// Valid for `<input type=email>`, with a dot in the domain; at most 255 UTF-16 code units after cleaning, which
    /// converts full-width characters to ASCII.
    #[schema(value_type = String, example = "chen@example.com")]
    #[validate(required(code = "missing"))]
    #[validate(custom(function = "check_email_form"), custom(function = "check_email_length"))]
    pub(crate) email: Option<Value>,
    /// At most 1000 UTF-16 code units after cleaning; empty when the visitor asks nothing.
    #[schema(value_type = String, example = "")]
    #[validate(required(code = "missing"), custom(function = "check_questions"))]
    pub(crate) questions: Option<Value>,
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
    /// All broken rules.
    pub fn into_lead(mut self, circumstances: Circumstances) -> Result<Lead, Broken> {
        clean(&mut self.name, single_line);
        clean(&mut self.mobile, single_line);
        clean(&mut self.email, ascii_line);
        clean(&mut self.questions, several_lines);
        let mut broken = self.validate().map_or_else(|errors| broken_rules(&errors), |()| Broken::new());
        if !circumstances.is_canary && !privacy_policy::is_known(&circumstances.privacy_policy_version) {
            broken.push(("privacyAccepted".into(), vec![Rule::PrivacyRequired]));
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
            interests: interests.as_ref().and_then(|value| parse_interests(value).ok()).unwrap_or_default(),
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
        lead.signals = spam_signal::detect(&lead, is_canary);
        Ok(lead)
    }
}

/// Leaves a value of another type as it is.
fn clean(field: &mut Option<Value>, cleaned: impl Fn(&str) -> String) {
    if let Some(Value::String(text)) = field {
        *text = cleaned(text);
    }
}

/// Empty for a value of another type.
pub(crate) fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Sorted, without duplicates.
fn parse_interests(value: &Value) -> Result<Vec<Interest>, Rule> {
    let choices = value.as_array().ok_or(Rule::WrongType)?.iter();
    let choices = choices.map(|choice| choice.as_str().ok_or(Rule::WrongType));
    let choices = choices.map(|choice| choice?.parse().map_err(|_| Rule::UnknownInterest));
    let mut choices: Vec<Interest> = choices.collect::<Result<_, _>>()?;
    choices.sort_unstable();
    choices.dedup();
    if choices.is_empty() { Err(Rule::InterestsRequired) } else { Ok(choices) }
}

fn check_interests(value: &Value) -> Result<(), ValidationError> {
    Ok(parse_interests(value).map(drop)?)
}

fn check_name(name: &Value) -> Result<(), ValidationError> {
    let length = length(parse_text(name)?);
    require(length > 0, Rule::NameRequired)?;
    require(length <= Lead::NAME, Rule::NameTooLong)
}

fn check_mobile(mobile: &Value) -> Result<(), ValidationError> {
    let length = length(parse_text(mobile)?);
    require(length >= Lead::SHORTEST_MOBILE, Rule::MobileTooShort)?;
    require(length <= Lead::MOBILE, Rule::MobileTooLong)
}

fn check_email_form(email: &Value) -> Result<(), ValidationError> {
    require(is_email_address(parse_text(email)?), Rule::EmailInvalid)
}

/// Beside [`check_email_form`], because an address may break both rules.
fn check_email_length(email: &Value) -> Result<(), ValidationError> {
    require(length(text(Some(email))) <= Lead::EMAIL, Rule::EmailTooLong)
}

fn check_questions(questions: &Value) -> Result<(), ValidationError> {
    require(length(parse_text(questions)?) <= Lead::QUESTIONS, Rule::QuestionsTooLong)
}

/// A value of another type breaks only [`Rule::WrongType`].
fn parse_text(value: &Value) -> Result<&str, Rule> {
    value.as_str().ok_or(Rule::WrongType)
}

fn require(holds: bool, rule: Rule) -> Result<(), ValidationError> {
    if holds { Ok(()) } else { Err(rule.into()) }
}
