//! Finds people by email address or phone number, and marks them do-not-contact.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use contracts::{
    crm::v1::{ExportPersonRequest, Lead, UpdateLeadRequest},
    leads::v1::LeadSubmitted,
};
use crm_client::Crm;
use lead::{EmailKey, lookup_digits, text::single_line};
use tonic::Status;

use crate::{Error, Exit};

/// Minimum number of digits of a phone number.
const FEWEST_DIGITS: usize = 5;

/// Finds a person and their leads in the CRM, oldest first. `others` are leads that the CRM may not have.
pub(super) async fn find_person(
    typed: &str,
    others: &[&LeadSubmitted],
    crm: &mut Crm,
) -> Result<(EmailKey, Vec<Lead>)> {
    let typed = typed.trim();
    if typed.contains('@') {
        return Ok((EmailKey::new(typed), find_leads(typed, crm).await?));
    }
    let number = lookup_digits(typed);
    if number.len() < FEWEST_DIGITS {
        bail!(Exit::Usage.error(format!(
            "{} is neither an email address nor a phone number: write wei@example.com or +65 9123 4567",
            single_line(typed)
        )));
    }
    let leads = find_leads(typed, crm).await?;
    let others = others
        .iter()
        .copied()
        .filter(|lead| lookup_digits(&lead.mobile) == number);
    let stored = leads.iter().filter_map(|lead| lead.submission.as_ref());
    let email = stored.chain(others).collect::<People>().only()?;
    let leads = find_leads(email.as_str(), crm).await?;
    Ok((email, leads))
}

/// Returns all leads with an email address or phone number, oldest first.
async fn find_leads(person: &str, crm: &mut Crm) -> Result<Vec<Lead>, Status> {
    let request = ExportPersonRequest {
        person: person.to_owned(),
    };
    let mut stream = crm.export_person(request).await?.into_inner();
    let mut leads = Vec::new();
    while let Some(page) = stream.message().await? {
        leads.extend(page.leads);
    }
    Ok(leads)
}

/// Marks the person do-not-contact, which remains after the leads are erased. Marks each contact of the CRM, because
/// leads with the person's address may belong to several contacts.
pub(super) async fn forbid_contact(leads: &[Lead], crm: &mut Crm) -> Result<()> {
    if leads.is_empty() {
        bail!(Exit::NoMatch.error(
            "nothing was erased: the CRM has no lead of this person, so --do-not-contact has nothing to remember"
        ));
    }
    let mut people = BTreeSet::new();
    for lead in leads.iter().filter(|lead| people.insert(&lead.contact_id)) {
        let lead_id = lead
            .submission
            .as_ref()
            .map(|form| form.lead_id.clone())
            .unwrap_or_default();
        let request = UpdateLeadRequest {
            lead_id,
            do_not_contact: Some(true),
            ..Default::default()
        };
        crm.update_lead(request).await?;
    }
    Ok(())
}

pub(super) fn no_data_error() -> Error {
    Exit::NoMatch.error("no data about this person: search with `leadctl list TEXT`")
}

/// Maps email addresses, which identify people, to names.
pub(super) struct People(BTreeMap<EmailKey, BTreeSet<String>>);

impl<'a> FromIterator<&'a LeadSubmitted> for People {
    fn from_iter<I: IntoIterator<Item = &'a LeadSubmitted>>(leads: I) -> Self {
        let mut people: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for lead in leads {
            people
                .entry(EmailKey::new(&lead.email))
                .or_default()
                .insert(single_line(&lead.name));
        }
        Self(people)
    }
}

impl People {
    fn only(mut self) -> Result<EmailKey, Error> {
        let text = self.format();
        match (self.0.pop_first(), self.0.is_empty()) {
            (Some((email, _)), true) => Ok(email),
            (Some(_), false) => Err(Exit::NoMatch.error(format!(
                "several people share this phone number: select one by email address\n{text}"
            ))),
            (None, _) => Err(no_data_error()),
        }
    }

    /// Formats one line for each person.
    pub(super) fn format(&self) -> String {
        let line = |(email, names): (&EmailKey, &BTreeSet<String>)| {
            let names = names
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" / ");
            format!("  {}  {names}", single_line(email.as_str()))
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_people_need_an_address() {
        let lead = |email: &str| LeadSubmitted {
            email: email.to_owned(),
            ..LeadSubmitted::default()
        };
        let (wei, mei) = (lead("Wei@Example.com"), lead("mei@example.com"));
        let only = |leads: &[&LeadSubmitted]| {
            let people: People = leads.iter().copied().collect();
            people
                .only()
                .map(|email| email.as_str().to_owned())
                .map_err(|error| error.to_string())
        };
        assert_eq!(only(&[&wei, &wei]), Ok("wei@example.com".to_owned()));
        assert!(
            only(&[&wei, &mei])
                .unwrap_err()
                .contains("by email address\n  mei@example.com")
        );
        assert!(only(&[]).unwrap_err().contains("no data"));
    }
}
