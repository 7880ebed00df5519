//! Identifies people by email address or phone number.

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};

use clap::Args;
use contracts::{
    crm::v1::{ExportPersonRequest, Lead},
    leads::v1::LeadSubmitted,
};
use lead::{EmailKey, Telephone, digits, text::single_line};
use serde_json::{Value, json};

use crate::{crm::Crm, error::Error};

/// A text with fewer digits is not a phone number.
const FEWEST_DIGITS: usize = 5;

/// Does not implement `Debug`: it is personal.
pub(super) struct PersonKey {
    typed: String,
    key: Key,
    /// Only these people share the phone number; `None` before [`PersonKey::choose`], and for an address.
    chosen: Option<BTreeSet<EmailKey>>,
}

enum Key {
    Email(EmailKey),
    Telephone(Telephone),
    /// The digits of a text that is not a valid phone number.
    Digits(String),
}

#[derive(Args)]
pub(super) struct Choice {
    /// Select the person with this email address among those who share the phone number (repeatable)
    #[arg(long = "email", value_name = "ADDRESS")]
    emails: Vec<String>,
    /// Select everyone with this phone number
    #[arg(long, conflicts_with = "emails")]
    all: bool,
}

/// Names by email address.
pub(super) struct People(BTreeMap<EmailKey, BTreeSet<String>>);

impl PersonKey {
    /// As typed, trimmed.
    pub(super) fn as_str(&self) -> &str {
        &self.typed
    }

    /// All leads of the person, oldest first.
    pub(super) async fn find_leads(&self, crm: &mut Crm) -> Result<Vec<Lead>, Error> {
        let request = ExportPersonRequest { person: self.typed.clone() };
        let mut stream = crm.call(async |crm| crm.export_person(request).await).await?;
        let mut leads = Vec::new();
        while let Some(page) = stream.message().await.map_err(|status| crm.error(&status))? {
            leads.extend(page.leads);
        }
        Ok(leads)
    }

    /// An address identifies one person, a number does not.
    pub(super) fn is_email(&self) -> bool {
        matches!(self.key, Key::Email(_))
    }

    /// Reduces the people who share a phone number to those chosen.
    pub(super) fn choose(&mut self, choice: &Choice, people: &mut People) -> Result<(), Error> {
        if self.is_email() {
            return Ok(());
        }
        if people.0.len() > 1 && choice.emails.is_empty() && !choice.all {
            return Err(Error::NoMatch(format!(
                "several people share this phone number: select with --email ADDRESS or --all\n{}",
                people.text()
            )));
        }
        if !choice.emails.is_empty() {
            let emails: BTreeSet<_> = choice.emails.iter().map(|typed| EmailKey::of(typed)).collect();
            if !emails.iter().all(|email| people.0.contains_key(email)) {
                return Err(no_data());
            }
            people.0.retain(|email, _| emails.contains(email));
        }
        self.chosen = Some(people.0.keys().cloned().collect());
        Ok(())
    }

    pub(super) fn is_chosen(&self, email: &str) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&EmailKey::of(email)))
    }

    /// Whether a lead has the address or the number, and is from a chosen person.
    pub(super) fn is_sender(&self, lead: &LeadSubmitted) -> bool {
        let has_key = match &self.key {
            Key::Email(email) => EmailKey::of(&lead.email) == *email,
            Key::Telephone(telephone) => Telephone::read(&lead.mobile).as_ref() == Some(telephone),
            Key::Digits(number) => match Telephone::read(&lead.mobile) {
                Some(telephone) => telephone.digits() == number,
                None => digits(&lead.mobile) == *number,
            },
        };
        has_key && self.is_chosen(&lead.email)
    }
}

pub(super) fn no_data() -> Error {
    Error::NoMatch("no data about this person: search with `leadctl list TEXT`".to_owned())
}

impl FromStr for PersonKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let typed = text.trim();
        let number = digits(typed);
        let key = match Telephone::read(typed) {
            _ if typed.contains('@') => Key::Email(EmailKey::of(typed)),
            Some(telephone) => Key::Telephone(telephone),
            None if number.len() >= FEWEST_DIGITS => Key::Digits(number),
            None => {
                return Err(Error::Usage(format!(
                    "{} is neither an email address nor a phone number: write wei@example.com or +65 9123 4567",
                    single_line(typed)
                )));
            }
        };
        Ok(Self { typed: typed.to_owned(), key, chosen: None })
    }
}

impl<'a> FromIterator<&'a LeadSubmitted> for People {
    fn from_iter<I: IntoIterator<Item = &'a LeadSubmitted>>(leads: I) -> Self {
        let mut people: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for lead in leads {
            people.entry(EmailKey::of(&lead.email)).or_default().insert(single_line(&lead.name));
        }
        Self(people)
    }
}

impl People {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lead() -> LeadSubmitted {
        LeadSubmitted {
            email: "Wei.Chen@Example.com".to_owned(),
            mobile: "+65 9123 4567".to_owned(),
            ..LeadSubmitted::default()
        }
    }

    #[test]
    fn spelling_of_address_and_number_does_not_matter() {
        for typed in [" wei.chen@EXAMPLE.com ", "91234567", "0065 9123-4567", "＋６５ ９１２３　４５６７"]
        {
            assert!(typed.parse::<PersonKey>().ok().unwrap().is_sender(&lead()), "{typed}");
        }
        for typed in ["wei@example.com", "chen@example.com", "81234567"] {
            assert!(!typed.parse::<PersonKey>().ok().unwrap().is_sender(&lead()), "{typed}");
        }
    }

    #[test]
    fn invalid_numbers_match_by_digits() {
        let lead = LeadSubmitted { mobile: "1234 5678 ext 9".to_owned(), ..lead() };
        assert!("12345678 ext. 9".parse::<PersonKey>().ok().unwrap().is_sender(&lead));
        assert!(!"12345678".parse::<PersonKey>().ok().unwrap().is_sender(&lead));
    }

    #[test]
    fn rejects_anything_else() {
        for typed in ["", "4567", "陈伟", "ZG-7F3K-2Q", "call me"] {
            assert!(matches!(typed.parse::<PersonKey>(), Err(Error::Usage(_))), "{typed}");
        }
    }
}
