mod erase;
mod key;
mod merge;

use std::{io::Write, path::PathBuf};

use anyhow::{Result, bail};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use contracts::crm::v1::Lead;
use serde::Serialize;

use self::{
    erase::Erase,
    key::{Choice, People, PersonKey, no_data},
    merge::{Merge, Split},
};
use crate::{
    cli::Context,
    leads::submission,
    output::{counted, pretty_json},
    target::Target,
};

/// Export, erase, merge or split people
#[derive(Subcommand)]
pub(crate) enum Person {
    Export(Export),
    Erase(Erase),
    Merge(Merge),
    Split(Split),
}

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
    /// Email address or phone number
    #[arg(value_name = "EMAIL_OR_PHONE")]
    person: String,
    #[command(flatten)]
    choice: Choice,
    /// Write to this file, readable only by you
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct PersonData<'a> {
    /// As typed.
    person: &'a str,
    exported_at: DateTime<Utc>,
    leads: &'a [Lead],
}

impl Export {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let mut person: PersonKey = self.person.parse()?;
        let mut leads = person.find_leads(&mut context.crm().await?).await?;
        if leads.is_empty() {
            bail!(no_data());
        }
        person.choose(&self.choice, &mut leads.iter().map(submission).collect::<People>())?;
        leads.retain(|lead| person.is_chosen(&submission(lead).email));
        let data = PersonData { person: person.as_str(), exported_at: context.now, leads: &leads };
        let mut target = Target::create(self.output.as_deref())?;
        writeln!(target, "{}", pretty_json(&data)?)?;
        target.finish()?;
        context.output.report_file(&counted(leads.len(), "lead", "leads"), self.output.as_deref())
    }
}
