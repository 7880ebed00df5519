//! Extracts the floor plan and the visit times that the form appends to a question.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{enums::Language, lead::Lead, text::Paragraphs};

/// The sentences that the form appends, and the plans that they name. A test of the site compares `enquiry.json` with
/// the site's texts.
static FORM: LazyLock<Form> = LazyLock::new(|| {
    serde_json::from_str(include_str!("enquiry.json")).expect("sentences and plans")
});

#[derive(Deserialize)]
struct Form {
    plan: Words,
    visit: Words,
    separator: Words,
    times: Vec<Words>,
    plans: Vec<Plan>,
}

/// One of the site's texts, in each language.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    en: String,
    zh: String,
}

impl Words {
    pub fn get(&self, language: Language) -> &str {
        match language {
            Language::English => &self.en,
            Language::Chinese => &self.zh,
        }
    }
}

/// A floor plan of the site.
#[derive(Deserialize)]
pub struct Plan {
    /// E.g. `C2N`.
    pub id: String,
    /// Area in square feet, e.g. `1,324`.
    pub area: String,
    /// E.g. `3 Bedroom Premium + Study C2N`.
    pub name: Words,
}

/// A lead's question, separated from the sentences that the form appended. Plan and times come from fixed lists, so they
/// never contain text that the visitor typed. Not `Debug`, because the question is personal data.
#[derive(Default)]
pub struct Enquiry {
    /// The plan that the visitor asks about.
    pub plan: Option<&'static Plan>,
    /// The times at which the visitor could come to the show flat.
    times: Vec<&'static Words>,
    /// The text that the visitor typed.
    pub question: Option<Paragraphs>,
}

impl Enquiry {
    /// Recognises the form's sentences only in the lead's language.
    pub fn from_lead(lead: &Lead) -> Self {
        let (mut enquiry, mut typed) = (Self::default(), Vec::new());
        let question = Paragraphs::new(&lead.questions);
        for line in question.iter().flat_map(Paragraphs::lines) {
            if let Some(plan) = find_plan(line, lead.language) {
                enquiry.plan = Some(plan);
            } else if let Some(times) = find_times(line, lead.language) {
                enquiry.times = times;
            } else {
                typed.push(line);
            }
        }
        enquiry.question = Paragraphs::new(&typed.join("\n"));
        enquiry
    }

    /// The visit times, e.g. `weekday evenings, weekend mornings`, or `None` if the visitor chose none.
    pub fn times(&self, language: Language) -> Option<String> {
        let times: Vec<_> = self.times.iter().map(|time| time.get(language)).collect();
        Some(times.join(FORM.separator.get(language))).filter(|times| !times.is_empty())
    }

    /// The first visit time and the number of further times, e.g. `weekday evenings +1`.
    pub fn first_time(&self, language: Language) -> Option<String> {
        let (first, others) = self.times.split_first()?;
        let first = first.get(language);
        Some(if others.is_empty() {
            first.to_owned()
        } else {
            format!("{first} +{}", others.len())
        })
    }
}

fn find_plan(line: &str, language: Language) -> Option<&'static Plan> {
    let name = object_of(&FORM.plan, line, language)?;
    FORM.plans
        .iter()
        .find(|plan| plan.name.get(language) == name)
}

/// Returns `None` if the line is another sentence or contains an unknown time.
fn find_times(line: &str, language: Language) -> Option<Vec<&'static Words>> {
    let times = object_of(&FORM.visit, line, language)?.split(FORM.separator.get(language));
    times
        .map(|name| FORM.times.iter().find(|time| time.get(language) == name))
        .collect()
}

/// Returns the part of the line that replaces `{}` in the sentence.
fn object_of<'l>(sentence: &Words, line: &'l str, language: Language) -> Option<&'l str> {
    let (before, after) = sentence.get(language).split_once("{}")?;
    line.strip_prefix(before)?.strip_suffix(after)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use uuid::Uuid;

    use super::*;

    fn parse(questions: &str, language: Language) -> (Option<&str>, Option<String>, String) {
        let questions = questions.into();
        let lead = Lead {
            questions,
            language,
            ..Lead::empty(Uuid::nil(), DateTime::UNIX_EPOCH)
        };
        let enquiry = Enquiry::from_lead(&lead);
        let lines = enquiry
            .question
            .as_ref()
            .map(|it| it.lines().collect::<Vec<_>>().join("|"));
        (
            enquiry.plan.map(|plan| &*plan.id),
            enquiry.times(Language::English),
            lines.unwrap_or_default(),
        )
    }

    #[test]
    fn reads_plan_and_times_of_the_form() {
        let english = "Which floors?\nI would like to know more about 3 Bedroom Premium + Study C2N.\n\
                       I could visit on weekday evenings, weekend mornings.";
        let times = Some("weekday evenings, weekend mornings".to_owned());
        assert_eq!(
            parse(english, Language::English),
            (Some("C2N"), times, "Which floors?".to_owned())
        );
        let chinese = "我想进一步了解两卧室豪华型 B2。\n方便参观的时间：平日傍晚、周末上午。";
        let times = Some("weekday evenings, weekend mornings".to_owned());
        assert_eq!(
            parse(chinese, Language::Chinese),
            (Some("B2"), times, String::new())
        );
    }

    #[test]
    fn leaves_everything_else_as_typed() {
        for typed in [
            "I would like to know more about <b>evil.example</b>.",
            "I would like to know more about C2N.",
            "I could visit on weekday evenings, tomorrow.",
            "I could visit on .",
            "I could visit on weekday evenings",
            "我想进一步了解两卧室豪华型 B2。",
        ] {
            assert_eq!(
                parse(typed, Language::English),
                (None, None, typed.to_owned())
            );
        }
    }

    #[test]
    fn shortens_times_to_the_first() {
        let times = |count| Enquiry {
            times: FORM.times.iter().take(count).collect(),
            ..Enquiry::default()
        };
        let first = |count| times(count).first_time(Language::Chinese);
        assert_eq!((first(0), first(1)), (None, Some("平日上午".to_owned())));
        assert_eq!(first(3).as_deref(), Some("平日上午 +2"));
    }
}
