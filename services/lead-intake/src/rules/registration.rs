//! Checks a submitted form by the same rules as the site.

use chrono::{DateTime, Utc};
use lead::{
    Channel, Interest, Language, Lead, Reference, UserText, Visit, is_email_address, privacy_policy,
    text::{ascii_line, length, several_lines, single_line},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    rule::{Broken, Rule},
    spam_signal,
};

/// The enquiry form: exactly these five fields.
///
/// Each text is cleaned before it is validated: trimmed, without invisible characters, single-line fields on one line.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Registration)]
pub struct RegistrationBody {
    // Each field accepts any value, so that a wrong type is reported by field.
    /// At least one of `brochure`, `purchase`, `showflat`.
    #[schema(value_type = Vec<String>, example = json!(["showflat"]))]
    pub(crate) interests: Option<Value>,
    /// 1 to 100 UTF-16 code units after cleaning.
    #[schema(value_type = String, example = "陈伟")]
    pub(crate) name: Option<Value>,
    /// 8 to 19 UTF-16 code units after cleaning.
    #[schema(value_type = String, example = "+65 9123 4567")]
    pub(crate) mobile: Option<Value>,
    /// Valid for `<input type=email>`, with a dot in the domain; at most 255 UTF-16 code units after cleaning, which
    /// converts full-width characters to ASCII.
    #[schema(value_type = String, example = "chen@example.com")]
    pub(crate) email: Option<Value>,
    /// At most 1000 UTF-16 code units after cleaning; empty when the visitor asks nothing.
    #[schema(value_type = String, example = "")]
    pub(crate) questions: Option<Value>,
}

/// A rule, and whether a cleaned text keeps it.
type TextRule = (Rule, fn(&str) -> bool);

/// How a text of the form is cleaned, and its rules.
struct TextField {
    name: &'static str,
    clean: fn(&str) -> String,
    rules: &'static [TextRule],
}

const NAME: TextField = TextField {
    name: "name",
    clean: single_line,
    rules: &[
        (Rule::NameRequired, |name| !name.is_empty()),
        (Rule::NameTooLong, |name| length(name) <= Lead::NAME),
    ],
};

const MOBILE: TextField = TextField {
    name: "mobile",
    clean: single_line,
    rules: &[
        (Rule::MobileTooShort, |mobile| length(mobile) >= Lead::SHORTEST_MOBILE),
        (Rule::MobileTooLong, |mobile| length(mobile) <= Lead::MOBILE),
    ],
};

const EMAIL: TextField = TextField {
    name: "email",
    clean: ascii_line,
    rules: &[
        (Rule::EmailInvalid, is_email_address),
        (Rule::EmailTooLong, |email| length(email) <= Lead::EMAIL),
    ],
};

const QUESTIONS: TextField = TextField {
    name: "questions",
    clean: several_lines,
    rules: &[(Rule::QuestionsTooLong, |questions| length(questions) <= Lead::QUESTIONS)],
};

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
    pub fn into_lead(self, circumstances: Circumstances) -> Result<Lead, Broken> {
        let Circumstances { id, submitted_at, language, privacy_policy_version, channels, visit, is_canary } =
            circumstances;
        let mut broken = Broken::new();
        let interests = parse_interests(self.interests.as_ref()).unwrap_or_else(|rule| {
            broken.push(("interests", vec![rule]));
            Vec::new()
        });
        let mut lead = Lead {
            id,
            reference: Reference::from_id(id),
            submitted_at,
            interests,
            name: NAME.check(self.name.as_ref(), &mut broken),
            mobile: MOBILE.check(self.mobile.as_ref(), &mut broken),
            email: EMAIL.check(self.email.as_ref(), &mut broken),
            questions: QUESTIONS.check(self.questions.as_ref(), &mut broken),
            language,
            privacy_policy_version: privacy_policy_version.into(),
            channels,
            visit,
            signals: Vec::new(),
        };
        if !is_canary && !privacy_policy::is_known(&lead.privacy_policy_version) {
            broken.push(("privacyAccepted", vec![Rule::PrivacyRequired]));
        }
        if !broken.is_empty() {
            return Err(broken);
        }
        lead.signals = spam_signal::detect(&lead, is_canary);
        Ok(lead)
    }
}

impl TextField {
    /// The cleaned text. Adds the rules that it breaks.
    fn check(&self, value: Option<&Value>, broken: &mut Broken) -> UserText {
        let text = value.and_then(Value::as_str).map(self.clean);
        let rules = match &text {
            None if value.is_none() => vec![Rule::Missing],
            None => vec![Rule::WrongType],
            Some(text) => {
                let is_broken = |(_, holds): &&TextRule| !holds(text);
                self.rules.iter().filter(is_broken).map(|(rule, _)| *rule).collect()
            }
        };
        if !rules.is_empty() {
            broken.push((self.name, rules));
        }
        text.unwrap_or_default().into()
    }
}

/// Sorted, without duplicates.
fn parse_interests(value: Option<&Value>) -> Result<Vec<Interest>, Rule> {
    let choices = value.ok_or(Rule::Missing)?.as_array().ok_or(Rule::WrongType)?.iter();
    let choices = choices.map(|choice| choice.as_str().ok_or(Rule::WrongType));
    let choices = choices.map(|choice| choice?.parse().map_err(|_| Rule::UnknownInterest));
    let mut choices: Vec<Interest> = choices.collect::<Result<_, _>>()?;
    choices.sort_unstable();
    choices.dedup();
    if choices.is_empty() { Err(Rule::InterestsRequired) } else { Ok(choices) }
}
