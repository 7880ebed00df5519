mod erase;
mod merge;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::PathBuf,
};

use anyhow::{Result, bail};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use contracts::{
    crm::v1::{ExportPersonRequest, Lead},
    leads::v1::LeadSubmitted,
};
use crm_client::Crm;
use lead::{EmailKey, Telephone, digits, text::single_line};
use serde::Serialize;
use tonic::Status;

use self::{
    erase::Erase,
    merge::{Merge, Split},
};
use crate::{
    Error, Exit,
    cli::Context,
    output::{escape, format_count},
    target::Target,
};

/// A text with fewer digits is not a phone number.
const FEWEST_DIGITS: usize = 5;

/// Export, erase, merge or split people
#[derive(Subcommand)]
pub(crate) enum Person {
    Export(Export),
    Erase(Erase),
    Merge(Merge),
    Split(Split),
}

/// Whom a command is about.
#[derive(Args)]
struct PersonArgs {
    /// Email address or phone number
    #[arg(value_name = "EMAIL_OR_PHONE")]
    person: String,
    /// Select the person with this email address among those who share the phone number
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
}

/// Names by email address, which identifies a person.
struct People(BTreeMap<EmailKey, BTreeSet<String>>);

impl Person {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        match self {
            Self::Export(export) => export.run(context).await,
            Self::Erase(erase) => erase.run(context).await,
            Self::Merge(merge) => merge.run(context).await,
            Self::Split(split) => split.run(context).await,
        }
    }
}

/// Export all data about a person as JSON
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl person export wei@example.com --output wei.json
  leadctl person export \"+65 9123 4567\" --email wei@example.com")]
pub(crate) struct Export {
    #[command(flatten)]
    person: PersonArgs,
    /// Write to this file, readable only by you
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct PersonData<'a> {
    email: &'a str,
    exported_at: DateTime<Utc>,
    leads: &'a [Lead],
}

impl Export {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let (email, leads) = self.person.find(&[], &mut context.crm()).await?;
        if leads.is_empty() {
            bail!(no_data_error());
        }
        let data = PersonData { email: email.as_str(), exported_at: context.now, leads: &leads };
        let mut target = Target::create(self.output.as_deref())?;
        // Indented, as the person may read it.
        writeln!(target, "{}", escape(&serde_json::to_string_pretty(&data)?))?;
        target.finish(&format_count(leads.len(), "lead", "leads"))
    }
}

impl PersonArgs {
    /// Finds a person and their leads in the CRM, oldest first. `others` are leads that the CRM may not have.
    async fn find(&self, others: &[&LeadSubmitted], crm: &mut Crm) -> Result<(EmailKey, Vec<Lead>)> {
        let typed = self.person.trim();
        if typed.contains('@') {
            return Ok((EmailKey::new(typed), find_leads(typed, crm).await?));
        }
        let number = to_number(typed);
        if number.len() < FEWEST_DIGITS {
            bail!(Exit::Usage.error(format!(
                "{} is neither an email address nor a phone number: write wei@example.com or +65 9123 4567",
                single_line(typed)
            )));
        }
        let leads = find_leads(typed, crm).await?;
        let others = others.iter().copied().filter(|lead| to_number(&lead.mobile) == number);
        let stored = leads.iter().filter_map(|lead| lead.submission.as_ref());
        let people: People = stored.chain(others).collect();
        let email = people.choose(self.email.as_deref())?;
        let leads = find_leads(email.as_str(), crm).await?;
        Ok((email, leads))
    }
}

/// All leads of an email address or phone number, oldest first.
async fn find_leads(person: &str, crm: &mut Crm) -> Result<Vec<Lead>, Status> {
    let request = ExportPersonRequest { person: person.to_owned() };
    let mut stream = crm.export_person(request).await?.into_inner();
    let mut leads = Vec::new();
    while let Some(page) = stream.message().await? {
        leads.extend(page.leads);
    }
    Ok(leads)
}

/// The digits of a phone number, with its country code if that is known, as the CRM compares them.
fn to_number(mobile: &str) -> String {
    Telephone::read(mobile).map_or_else(|| digits(mobile), |telephone| telephone.digits().to_owned())
}

fn no_data_error() -> Error {
    Exit::NoMatch.error("no data about this person: search with `leadctl list TEXT`")
}

impl<'a> FromIterator<&'a LeadSubmitted> for People {
    fn from_iter<I: IntoIterator<Item = &'a LeadSubmitted>>(leads: I) -> Self {
        let mut people: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for lead in leads {
            people.entry(EmailKey::new(&lead.email)).or_default().insert(single_line(&lead.name));
        }
        Self(people)
    }
}

impl People {
    /// The person with this address, or the only one.
    fn choose(mut self, email: Option<&str>) -> Result<EmailKey, Error> {
        if let Some(email) = email.map(EmailKey::new) {
            self.0.retain(|key, _| *key == email);
        }
        let text = self.format();
        match (self.0.pop_first(), self.0.is_empty()) {
            (Some((email, _)), true) => Ok(email),
            (Some(_), false) => Err(Exit::NoMatch.error(format!(
                "several people share this phone number: select with --email ADDRESS\n{text}"
            ))),
            (None, _) => Err(no_data_error()),
        }
    }

    /// A line for each.
    fn format(&self) -> String {
        let line = |(email, names): (&EmailKey, &BTreeSet<String>)| {
            let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(" / ");
            format!("  {}  {names}", single_line(email.as_str()))
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_of_a_number_does_not_matter() {
        for typed in ["91234567", "0065 9123-4567", "＋６５ ９１２３　４５６７"] {
            assert_eq!(to_number(typed), to_number("+65 9123 4567"), "{typed}");
        }
        assert_ne!(to_number("81234567"), to_number("+65 9123 4567"));
        // Not valid, so compared by digits.
        assert_eq!(to_number("12345678 ext. 9"), to_number("1234 5678 ext 9"));
        assert_ne!(to_number("12345678"), to_number("1234 5678 ext 9"));
    }

    #[test]
    fn several_people_need_an_address() {
        let lead = |email: &str| LeadSubmitted { email: email.to_owned(), ..LeadSubmitted::default() };
        let (wei, mei) = (lead("Wei@Example.com"), lead("mei@example.com"));
        let choose = |leads: &[&LeadSubmitted], email| {
            let people: People = leads.iter().copied().collect();
            people.choose(email).map(|email| email.as_str().to_owned()).map_err(|error| error.to_string())
        };
        assert_eq!(choose(&[&wei, &wei], None), Ok("wei@example.com".to_owned()));
        assert_eq!(choose(&[&wei, &mei], Some("WEI@example.com")), Ok("wei@example.com".to_owned()));
        assert!(choose(&[&wei, &mei], None).unwrap_err().contains("--email ADDRESS"));
        assert!(choose(&[&wei], Some("eve@example.com")).unwrap_err().contains("no data"));
        assert!(choose(&[], None).unwrap_err().contains("no data"));
    }
}
