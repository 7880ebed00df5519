//! The rules of the form, the same as the site's, with their English messages. No I/O.

use std::borrow::Cow;

use chrono::TimeDelta;
use lead::{
    Interest, Lead, SpamSignal, is_email_address,
    privacy_policy::{self, VersionError},
    text::{ascii_line, length, several_lines, single_line},
};
use serde::{Deserialize, Serialize};
use serde_aux::serde_introspection::serde_introspect;
use serde_json::{Map, Value};
use strum::{EnumString, IntoStaticStr};
use utoipa::ToSchema;
use validator::{Validate, ValidationError, ValidationErrors};

/// People need longer than this to read the page and fill in the form.
const TOO_FAST: TimeDelta = TimeDelta::seconds(5);

/// Minimum number of links in one field that indicate spam; genuine questions contain fewer.
const LINKS: usize = 3;

const LINK: [&str; 3] = ["http://", "https://", "www."];

/// Links in markup, which the form does not render.
const MARKUP: [&str; 2] = ["<a ", "[url"];

/// The enquiry form: these fields and no others.
///
/// Each text is cleaned before it is validated: trimmed, without invisible characters, single-line fields on one line.
#[derive(Serialize, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schema(as = Registration)]
pub struct RegistrationBody {
    // Each field accepts any JSON value, so that the error for a wrong type names the field.
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
    #[validate(
        custom(function = "check_email_form"),
        custom(function = "check_email_length")
    )]
    pub(crate) email: Option<Value>,
    /// At most 1000 UTF-16 code units after cleaning; empty when the visitor asks nothing.
    #[schema(value_type = String, example = "")]
    #[validate(required(code = "missing"), custom(function = "check_questions"))]
    pub(crate) questions: Option<Value>,
}

impl RegistrationBody {
    /// Reads every field of a form, of which `values_of` returns the values.
    pub(crate) fn from_form(values_of: impl Fn(&str) -> Vec<String>) -> Self {
        let read = |field: &str| match field {
            "interests" => values_of(field).into(),
            _ => Value::from(values_of(field).pop().unwrap_or_default()),
        };
        let fields = serde_introspect::<Self>().iter();
        let form: Map<_, _> = fields
            .map(|field| ((*field).to_owned(), read(field)))
            .collect();
        serde_json::from_value(form.into()).expect("each field accepts any value")
    }

    /// The values of all fields.
    pub(crate) fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => unreachable!("a struct of JSON values is a JSON object"),
        }
    }

    /// Adds the cleaned fields of the form and the spam signals to `lead`.
    ///
    /// # Errors
    /// Returns all broken rules.
    pub fn into_lead(mut self, mut lead: Lead) -> Result<Lead, Broken> {
        clean(&mut self.name, single_line);
        clean(&mut self.mobile, ascii_line);
        clean(&mut self.email, ascii_line);
        clean(&mut self.questions, several_lines);
        let mut broken = self
            .validate()
            .map_or_else(|errors| broken_rules(&errors), |()| Broken::new());
        if !lead.is_canary()
            && let Err(error) =
                privacy_policy::check(&lead.privacy_policy_version, lead.submitted_at)
        {
            let rule = match error {
                VersionError::Unknown => Rule::PrivacyRequired,
                VersionError::Outdated => Rule::PrivacyOutdated,
            };
            broken.push(("privacyAccepted".into(), vec![rule]));
        }
        if !broken.is_empty() {
            return Err(broken);
        }
        let is_stuffed = self
            .fields()
            .values()
            .filter_map(Value::as_str)
            .any(is_stuffed_with_links);
        let Self {
            interests,
            name,
            mobile,
            email,
            questions,
        } = &self;
        lead.interests = interests
            .as_ref()
            .and_then(|value| parse_interests(value).ok())
            .unwrap_or_default();
        lead.name = text(name.as_ref()).into();
        lead.mobile = text(mobile.as_ref()).into();
        lead.email = text(email.as_ref()).into();
        lead.questions = text(questions.as_ref()).into();
        if !lead.is_canary() {
            lead.signals = spam_signals(&lead, is_stuffed);
        }
        Ok(lead)
    }
}

/// A rule with its message for the visitor. Lengths are in UTF-16 code units. The product's specification fixes the messages:
/// "less than 100 characters" is also the message of a rule that allows 100. A new message says "at most".
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

/// Does not change values of other types.
fn clean(field: &mut Option<Value>, cleaned: impl Fn(&str) -> String) {
    if let Some(Value::String(text)) = field {
        *text = cleaned(text);
    }
}

/// Returns an empty text for a value of another type.
pub(crate) fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Returns the interests sorted and without duplicates.
fn parse_interests(value: &Value) -> Result<Vec<Interest>, Rule> {
    let choices = value.as_array().ok_or(Rule::WrongType)?.iter();
    let choices = choices.map(|choice| choice.as_str().ok_or(Rule::WrongType));
    let choices = choices.map(|choice| choice?.parse().map_err(|_| Rule::UnknownInterest));
    let mut choices: Vec<Interest> = choices.collect::<Result<_, _>>()?;
    choices.sort_unstable();
    choices.dedup();
    if choices.is_empty() {
        Err(Rule::InterestsRequired)
    } else {
        Ok(choices)
    }
}

fn check_interests(value: &Value) -> Result<(), ValidationError> {
    Ok(parse_interests(value).map(drop)?)
}

fn check_name(name: &Value) -> Result<(), ValidationError> {
    let length = length(parse_text(name)?);
    require(length > 0, Rule::NameRequired)?;
    require(length <= Lead::MAX_NAME_LENGTH, Rule::NameTooLong)
}

fn check_mobile(mobile: &Value) -> Result<(), ValidationError> {
    let length = length(parse_text(mobile)?);
    require(length >= Lead::MIN_MOBILE_LENGTH, Rule::MobileTooShort)?;
    require(length <= Lead::MAX_MOBILE_LENGTH, Rule::MobileTooLong)
}

fn check_email_form(email: &Value) -> Result<(), ValidationError> {
    require(is_email_address(parse_text(email)?), Rule::EmailInvalid)
}

/// Separate from [`check_email_form`], because an address may break both rules.
fn check_email_length(email: &Value) -> Result<(), ValidationError> {
    require(
        length(text(Some(email))) <= Lead::MAX_EMAIL_LENGTH,
        Rule::EmailTooLong,
    )
}

fn check_questions(questions: &Value) -> Result<(), ValidationError> {
    require(
        length(parse_text(questions)?) <= Lead::MAX_QUESTIONS_LENGTH,
        Rule::QuestionsTooLong,
    )
}

/// A value of another type breaks only [`Rule::WrongType`].
fn parse_text(value: &Value) -> Result<&str, Rule> {
    value.as_str().ok_or(Rule::WrongType)
}

fn require(holds: bool, rule: Rule) -> Result<(), ValidationError> {
    if holds { Ok(()) } else { Err(rule.into()) }
}

/// Detects signs of an automatic submission.
fn spam_signals(lead: &Lead, is_stuffed_with_links: bool) -> Vec<SpamSignal> {
    let age = lead
        .visit
        .as_ref()
        .map(|visit| lead.submitted_at - visit.started_at);
    let is_too_fast = age.is_some_and(|age| (TimeDelta::zero()..TOO_FAST).contains(&age));
    [
        (SpamSignal::TooFast, is_too_fast),
        (SpamSignal::Links, is_stuffed_with_links),
        (SpamSignal::NoSession, lead.visit.is_none()),
    ]
    .into_iter()
    .filter_map(|(signal, is_present)| is_present.then_some(signal))
    .collect()
}

fn is_stuffed_with_links(text: &str) -> bool {
    let text = text.to_lowercase();
    // Counts words, because one URL may contain two of the patterns.
    let words = text.split_whitespace();
    let links = words
        .filter(|word| LINK.iter().any(|link| word.contains(link)))
        .count();
    links >= LINKS || MARKUP.iter().any(|link| text.contains(link))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_links_in_any_spelling() {
        let cheap = "Cheap https://a.example and http://b.example and www.c.example";
        for text in [cheap, "<A href=x>", "[URL=x]"] {
            assert!(is_stuffed_with_links(text), "{text}");
        }
        for text in [
            "",
            "I saw https://www.a.example and www.b.example",
            "Is 80 m < A3?",
        ] {
            assert!(!is_stuffed_with_links(text), "{text}");
        }
    }

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
