//! A person, identified by email address or phone number.

use std::{collections::BTreeSet, str::FromStr};

use contracts::{crm::v1::ExportPersonRequest, leads::v1::LeadSubmitted};
use lead::{EmailKey, Telephone, digits};

use crate::{
    crm::Crm,
    error::Error,
    leads::{FullLead, all},
    terminal::single_line,
};

/// A text with fewer digits is not a telephone number.
const FEWEST_DIGITS: usize = 5;

/// Does not implement `Debug`: it is personal.
pub(super) struct PersonKey {
    typed: String,
    key: Key,
    /// Only these people.
    chosen: Option<BTreeSet<EmailKey>>,
}

enum Key {
    Email(EmailKey),
    Telephone(Telephone),
    /// The digits of a text that is not a valid telephone number.
    Digits(String),
}

impl PersonKey {
    /// As typed, trimmed.
    pub(super) fn as_str(&self) -> &str {
        &self.typed
    }

    /// All leads of the person, oldest first.
    pub(super) async fn leads(&self, crm: &mut Crm) -> Result<Vec<FullLead>, Error> {
        let request = ExportPersonRequest { person: self.typed.clone() };
        let mut stream = crm.call(async |crm| crm.export_person(request).await).await?;
        let mut leads = Vec::new();
        while let Some(page) = stream.message().await.map_err(|status| crm.error(&status))? {
            leads.extend(all(page.leads, FullLead::read)?);
        }
        Ok(leads)
    }

    /// An address identifies one person, a number does not.
    pub(super) fn is_email(&self) -> bool {
        matches!(self.key, Key::Email(_))
    }

    pub(super) fn choose(&mut self, chosen: BTreeSet<EmailKey>) {
        self.chosen = Some(chosen);
    }

    pub(super) fn is_chosen(&self, email: &str) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&EmailKey::of(email)))
    }

    /// Whether a lead carries the address or the number, and is from a chosen person.
    pub(super) fn sent(&self, lead: &LeadSubmitted) -> bool {
        let carries = match &self.key {
            Key::Email(email) => EmailKey::of(&lead.email) == *email,
            Key::Telephone(telephone) => Telephone::read(&lead.mobile).as_ref() == Some(telephone),
            Key::Digits(number) => match Telephone::read(&lead.mobile) {
                Some(telephone) => telephone.digits() == number,
                None => digits(&lead.mobile) == *number,
            },
        };
        carries && self.is_chosen(&lead.email)
    }
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
            None => return Err(Error::NoPerson(single_line(typed))),
        };
        Ok(Self { typed: typed.to_owned(), key, chosen: None })
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
    fn a_lead_is_its_senders_however_address_or_number_are_written() {
        for typed in [" wei.chen@EXAMPLE.com ", "91234567", "0065 9123-4567", "＋６５ ９１２３　４５６７"]
        {
            assert!(typed.parse::<PersonKey>().ok().unwrap().sent(&lead()), "{typed}");
        }
        for typed in ["wei@example.com", "chen@example.com", "81234567"] {
            assert!(!typed.parse::<PersonKey>().ok().unwrap().sent(&lead()), "{typed}");
        }
    }

    #[test]
    fn a_number_that_is_none_is_known_by_its_digits() {
        let lead = LeadSubmitted { mobile: "1234 5678 ext 9".to_owned(), ..lead() };
        assert!("12345678 ext. 9".parse::<PersonKey>().ok().unwrap().sent(&lead));
        assert!(!"12345678".parse::<PersonKey>().ok().unwrap().sent(&lead));
    }

    #[test]
    fn what_is_neither_is_nobody() {
        for typed in ["", "4567", "陈伟", "ZG-7F3K-2Q", "call me"] {
            assert!(matches!(typed.parse::<PersonKey>(), Err(Error::NoPerson(_))), "{typed}");
        }
    }
}
