//! Finds people by email address or phone number, and marks them do-not-contact.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use contracts::{
    crm::v1::{ExportPersonRequest, Lead, PossibleLead, UpdateLeadRequest},
    leads::v1::LeadSubmitted,
};
use crm_client::Crm;
use lead::{EmailKey, lookup_digits, text::single_line};
use tonic::Status;

use crate::{
    error::{Error, Exit},
    output::format_count,
};

/// Minimum number of digits of a phone number.
pub(super) const FEWEST_DIGITS: usize = 5;

/// A person in the CRM.
pub(super) struct FoundPerson {
    /// The address that selects the person.
    pub(super) email: EmailKey,
    /// Further addresses of the person, which the user named.
    pub(super) further_emails: Vec<EmailKey>,
    /// Oldest first.
    pub(super) leads: Vec<Lead>,
    /// Leads of other mailboxes that may be the person's.
    pub(super) others: Vec<PossibleLead>,
}

impl FoundPerson {
    /// Finds a person, with the mailboxes of `further`. `sent` are leads that the CRM may not have.
    pub(super) async fn find(
        typed: &str,
        further: &[String],
        sent: &[&LeadSubmitted],
        crm: &mut Crm,
    ) -> Result<Self> {
        let email = find_email(typed.trim(), sent, crm).await?;
        let further_emails = further
            .iter()
            .map(|typed| parse_email(typed))
            .collect::<Result<Vec<_>, _>>()?;
        let request = ExportPersonRequest {
            person: email.as_str().to_owned(),
            further_emails: to_strings(&further_emails),
        };
        let (leads, others) = export(request, crm).await?;
        Ok(Self {
            email,
            further_emails,
            leads,
            others,
        })
    }

    /// The addresses of the person.
    pub(super) fn emails(&self) -> impl Iterator<Item = &EmailKey> {
        [&self.email].into_iter().chain(&self.further_emails)
    }

    /// The named addresses that neither a lead in the CRM nor a lead in `sent` has.
    pub(super) fn emails_without_data(&self, sent: &[&LeadSubmitted]) -> Vec<&EmailKey> {
        let conflicts = self.leads.iter().flat_map(|lead| &lead.conflicts);
        let stored = self
            .leads
            .iter()
            .filter_map(|lead| lead.submission.as_ref());
        let mailboxes: BTreeSet<String> = stored
            .chain(conflicts)
            .chain(sent.iter().copied())
            .map(|lead| EmailKey::new(&lead.email).mailbox())
            .collect();
        let named = self.further_emails.iter();
        named
            .filter(|email| !mailboxes.contains(&email.mailbox()))
            .collect()
    }
}

/// Parses an address, or finds the address of the only person with a phone number.
async fn find_email(typed: &str, sent: &[&LeadSubmitted], crm: &mut Crm) -> Result<EmailKey> {
    if typed.contains('@') {
        return Ok(EmailKey::new(typed));
    }
    let number = lookup_digits(typed);
    if number.len() < FEWEST_DIGITS {
        bail!(Exit::Usage.error(format!(
            "{} is neither an email address nor a phone number: write wei@example.com or +65 9123 4567",
            single_line(typed)
        )));
    }
    let request = ExportPersonRequest {
        person: typed.to_owned(),
        further_emails: Vec::new(),
    };
    let (leads, _) = export(request, crm).await?;
    let sent = sent
        .iter()
        .copied()
        .filter(|lead| lookup_digits(&lead.mobile) == number);
    let stored = leads.iter().filter_map(|lead| lead.submission.as_ref());
    Ok(stored.chain(sent).collect::<People>().only()?)
}

fn parse_email(typed: &str) -> Result<EmailKey, Error> {
    if typed.contains('@') {
        return Ok(EmailKey::new(typed));
    }
    Err(Exit::Usage.error(format!(
        "--with requires an email address: {} is none",
        single_line(typed)
    )))
}

pub(super) fn to_strings(emails: &[EmailKey]) -> Vec<String> {
    emails
        .iter()
        .map(|email| email.as_str().to_owned())
        .collect()
}

/// Returns all leads of a person, and the leads that may be the person's, both oldest first.
async fn export(
    request: ExportPersonRequest,
    crm: &mut Crm,
) -> Result<(Vec<Lead>, Vec<PossibleLead>), Status> {
    let mut stream = crm.people.export_person(request).await?.into_inner();
    let mut leads = Vec::new();
    let mut others = Vec::new();
    while let Some(page) = stream.message().await? {
        leads.extend(page.leads);
        others.extend(page.others);
    }
    Ok((leads, others))
}

/// Formats the leads of other mailboxes that may be the person's, one in a line. `None` if there are none.
pub(super) fn format_others(others: &[PossibleLead]) -> Option<String> {
    if others.is_empty() {
        return None;
    }
    let line = |lead: &PossibleLead| {
        let reasons = [
            (lead.same_contact, "same person in the CRM"),
            (lead.same_number, "same phone number"),
            (lead.corrected_email, "submitted with this address"),
        ];
        let reasons = reasons.iter().filter(|(applies, _)| *applies);
        let reasons: Vec<&str> = reasons.map(|(_, reason)| *reason).collect();
        format!(
            "  {}  {}  {}  {}",
            single_line(&lead.email),
            single_line(&lead.name),
            single_line(&lead.reference),
            reasons.join(", ")
        )
    };
    let count = format_count(others.len(), "other lead", "other leads");
    let lines: Vec<String> = others.iter().map(line).collect();
    Some(format!(
        "{count} may belong to this person. Include those of an address with --with ADDRESS:\n{}",
        lines.join("\n")
    ))
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
        crm.leads.update_lead(request).await?;
    }
    Ok(())
}

pub(super) fn no_data_error() -> Error {
    Exit::NoMatch.error("no data about this person: search with `leadctl list TEXT`")
}

/// People by mailbox, which identifies a person.
pub(super) struct People(BTreeMap<String, Names>);

#[derive(Default)]
struct Names {
    /// Spellings of the mailbox.
    emails: BTreeSet<EmailKey>,
    names: BTreeSet<String>,
}

impl<'a> FromIterator<&'a LeadSubmitted> for People {
    fn from_iter<I: IntoIterator<Item = &'a LeadSubmitted>>(leads: I) -> Self {
        let mut people: BTreeMap<_, Names> = BTreeMap::new();
        for lead in leads {
            let email = EmailKey::new(&lead.email);
            let person = people.entry(email.mailbox()).or_default();
            person.emails.insert(email);
            person.names.insert(single_line(&lead.name));
        }
        Self(people)
    }
}

impl People {
    /// An address of the only person.
    fn only(mut self) -> Result<EmailKey, Error> {
        let text = self.format();
        let first = self.0.pop_first();
        let email = first.and_then(|(_, mut person)| person.emails.pop_first());
        match (email, self.0.is_empty()) {
            (Some(email), true) => Ok(email),
            (Some(_), false) => Err(Exit::NoMatch.error(format!(
                "several people share this phone number: select one by email address\n{text}"
            ))),
            (None, _) => Err(no_data_error()),
        }
    }

    /// Formats one line for each person.
    pub(super) fn format(&self) -> String {
        let line = |person: &Names| {
            let emails: Vec<_> = person.emails.iter().map(EmailKey::as_str).collect();
            let names: Vec<_> = person.names.iter().map(String::as_str).collect();
            format!(
                "  {}  {}",
                single_line(&emails.join(" / ")),
                names.join(" / ")
            )
        };
        self.0.values().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_for_several_people_lists_their_addresses() {
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
        let spellings = [lead("w.ei@gmail.com"), lead("wei+x@gmail.com")];
        assert_eq!(
            only(&[&spellings[0], &spellings[1]]),
            Ok("w.ei@gmail.com".to_owned())
        );
        assert!(
            only(&[&wei, &mei])
                .unwrap_err()
                .contains("by email address\n  mei@example.com")
        );
        assert!(only(&[]).unwrap_err().contains("no data"));
    }
}
