//! Selects people who share a phone number.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use lead::EmailKey;
use serde_json::{Value, json};

use super::key::PersonKey;
use crate::{error::Error, terminal::single_line};

#[derive(Args)]
pub(super) struct Choice {
    /// Select the person with this email address among those who share the phone number (repeatable)
    #[arg(long = "email", value_name = "ADDRESS")]
    emails: Vec<String>,
    /// Select everyone with this phone number
    #[arg(long, conflicts_with = "emails")]
    all: bool,
}

/// Names by e-mail address.
#[derive(Default)]
pub(super) struct People(BTreeMap<EmailKey, BTreeSet<String>>);

impl People {
    pub(super) fn add(&mut self, name: &str, email: &str) {
        self.0.entry(EmailKey::of(email)).or_default().insert(single_line(name));
    }

    pub(super) fn retain(&mut self, chosen: &BTreeSet<EmailKey>) {
        self.0.retain(|email, _| chosen.contains(email));
    }

    /// A line for each.
    pub(super) fn text(&self) -> String {
        let line = |(email, names): (&EmailKey, &BTreeSet<String>)| {
            let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(" / ");
            format!("  {}  {names}", single_line(email.as_str()))
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn json(&self) -> Value {
        self.0.iter().map(|(email, names)| json!({ "email": email.as_str(), "names": names })).collect()
    }
}

impl Choice {
    /// The addresses of the people who are meant.
    pub(super) fn of(&self, person: &PersonKey, people: &People) -> Result<BTreeSet<EmailKey>, Error> {
        let known: BTreeSet<_> = people.0.keys().cloned().collect();
        if person.is_email() || self.all || known.len() < 2 && self.emails.is_empty() {
            return Ok(known);
        }
        let chosen: BTreeSet<_> = self.emails.iter().map(|typed| EmailKey::of(typed)).collect();
        if chosen.is_empty() {
            return Err(Error::SeveralPeople(people.text()));
        }
        if chosen.is_subset(&known) { Ok(chosen) } else { Err(Error::NobodyKnown) }
    }
}
