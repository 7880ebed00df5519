mod erase;
mod merge;
mod people;

use std::{io::Write, path::PathBuf};

use anyhow::{Result, bail};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use contracts::crm::v1::Lead;
use serde::Serialize;

use self::{
    erase::Erase,
    merge::{Merge, Split},
    people::{find_person, no_data_error},
};
use crate::{
    cli::Context,
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
  leadctl person export \"+65 9123 4567\"")]
pub(crate) struct Export {
    /// Email address, or phone number that only one person has
    #[arg(value_name = "EMAIL_OR_PHONE")]
    person: String,
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
        let (email, leads) = find_person(&self.person, &[], &mut context.crm()).await?;
        if leads.is_empty() {
            bail!(no_data_error());
        }
        let data = PersonData {
            email: email.as_str(),
            exported_at: context.output.now,
            leads: &leads,
        };
        let mut target = Target::create(self.output.as_deref())?;
        // Indented, because the person may read the file.
        writeln!(target, "{}", escape(&serde_json::to_string_pretty(&data)?))?;
        target.finish(&format_count(leads.len(), "lead", "leads"))
    }
}
