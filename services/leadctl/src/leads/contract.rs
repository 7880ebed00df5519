//! Checks and names values of the contracts.

use ::lead::{FieldError, Interest, Language, field};
use chrono::{DateTime, Utc};
use contracts::leads::v1::{self as leads, LeadSubmitted};
use prost_types::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    error::Error,
    terminal::{Field, several_lines, single_line},
};

/// Why a mail was not delivered.
#[derive(Serialize)]
pub(crate) struct Reason {
    class: String,
    detail: String,
}

impl From<Option<leads::Reason>> for Reason {
    fn from(reason: Option<leads::Reason>) -> Self {
        let leads::Reason { class, detail } = reason.unwrap_or_default();
        Self { class, detail }
    }
}

impl Reason {
    pub(crate) fn text(&self) -> String {
        format!("{} ({})", single_line(&self.detail), single_line(&self.class))
    }
}

pub(crate) fn interest(interest: leads::Interest) -> &'static str {
    Interest::from_contract(interest.into()).ok().flatten().map_or("unknown", Interest::id)
}

pub(crate) fn language(language: leads::Language) -> &'static str {
    Language::from_contract(language.into()).ok().flatten().map_or("unknown", Language::id)
}

/// The form as filled in, valid or not, for JSON.
pub(crate) fn form_json(lead: &LeadSubmitted) -> [(&'static str, Value); 6] {
    [
        ("name", json!(lead.name)),
        ("mobile", json!(lead.mobile)),
        ("email", json!(lead.email)),
        ("questions", json!(lead.questions)),
        ("interests", json!(lead.interests().map(interest).collect::<Vec<_>>())),
        ("language", json!(language(lead.language()))),
    ]
}

/// As [`form_json`], for text.
pub(crate) fn form(lead: &LeadSubmitted) -> [Field; 6] {
    let questions = several_lines(&lead.questions);
    [
        ("Name", single_line(&lead.name)),
        ("Mobile", single_line(&lead.mobile)),
        ("Email", single_line(&lead.email)),
        ("Interests", lead.interests().map(interest).collect::<Vec<_>>().join(", ")),
        ("Questions", questions.strip_suffix('\n').unwrap_or(&questions).to_owned()),
        ("Language", language(lead.language()).to_owned()),
    ]
}

pub(crate) fn time(time: Option<Timestamp>) -> Result<DateTime<Utc>, Error> {
    field::required_time("a time", time).map_err(|error| wrong(&error))
}

pub(crate) fn optional_time(time: Option<Timestamp>) -> Result<Option<DateTime<Utc>>, Error> {
    field::optional_time("a time", time).map_err(|error| wrong(&error))
}

fn wrong(error: &FieldError) -> Error {
    Error::Failed(format!("the response is invalid: {error}"))
}

pub(crate) fn all<T, U>(items: Vec<T>, convert: impl Fn(T) -> Result<U, Error>) -> Result<Vec<U>, Error> {
    items.into_iter().map(convert).collect()
}
