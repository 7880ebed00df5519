mod erase;
mod merge;
mod people;

use std::{io::Write, path::PathBuf};

use anyhow::{Result, bail};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use contracts::crm::v1::Lead;
use lead::text::single_line;
use serde::Serialize;

use self::{
    erase::Erase,
    merge::{Merge, Split},
    people::{FoundPerson, format_others, no_data_error, to_strings},
};
use crate::{
    context::Context,
    error::Exit,
    output::{Target, escape, format_count},
};

/// Export, erase, merge or split people
#[derive(Subcommand)]
pub(crate) enum Person {
    Export(Export),
    Erase(Erase),
    Merge(Merge),
    Split(Split),
}

/// Export all data about a person as JSON
#[derive(Args)]
#[command(after_help = "\
Examples:
  leadctl person export wei@example.com --output wei.json
  leadctl person export wei@example.com --with wei@office.example
  leadctl person export \"+65 9123 4567\"

leadctl lists the leads of other mailboxes that may belong to the person, because they have the same phone number or
belong to the same person in the CRM, and asks before it exports without them. Anybody can enter another person's name
and number: include an address only if you know that it is the person's.")]
pub(crate) struct Export {
    /// Email address, or phone number that only one person has
    #[arg(value_name = "EMAIL_OR_PHONE")]
    person: String,
    /// Include the leads of this address of the person; can be repeated
    #[arg(long = "with", value_name = "ADDRESS")]
    further_emails: Vec<String>,
    /// Write to this file, readable only by you
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct PersonData<'a> {
    email: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    further_emails: Vec<String>,
    exported_at: DateTime<Utc>,
    leads: &'a [Lead],
}

impl Export {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let crm = &mut context.crm();
        let found = FoundPerson::find(&self.person, &self.further_emails, &[], crm).await?;
        if found.leads.is_empty() {
            bail!(no_data_error());
        }
        if let Some(email) = found.emails_without_data(&[]).first() {
            bail!(Exit::NoMatch.error(format!(
                "no data about {}: search with `leadctl list TEXT`",
                single_line(email.as_str())
            )));
        }
        if let Some(others) = format_others(&found.others) {
            eprintln!("{others}");
            let question = "Export without these leads?";
            context.ask(question, "nothing exported").await?;
        }
        let data = PersonData {
            email: found.email.as_str(),
            further_emails: to_strings(&found.further_emails),
            exported_at: context.output.now,
            leads: &found.leads,
        };
        let mut target = Target::create(self.output.as_deref())?;
        // Indented, because the person may read the file.
        writeln!(target, "{}", escape(&serde_json::to_string_pretty(&data)?))?;
        target.finish(&format_count(found.leads.len(), "lead", "leads"))
    }
}
