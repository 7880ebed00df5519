use std::{io::Write, path::PathBuf};

use chrono::{DateTime, Utc};
use clap::Args;
use runtime::clock::Clock;
use serde::Serialize;

use super::key::PersonKey;
use crate::{
    context::Context,
    error::Error,
    leads::lead::FullLead,
    new_file::{NewFile, note_written},
    terminal::json,
};

const EXAMPLES: &str = "\
Examples:
  leadctl person export wei@example.com --output wei.json
  leadctl person export \"+65 9123 4567\"";

/// Everything that is held about a person, as JSON, for the one who asked for it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    /// The e-mail address or telephone number.
    #[arg(value_name = "EMAIL-or-NUMBER")]
    person: String,
    /// Write this file, which then only you may read.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Copy<'a> {
    /// As typed.
    person: &'a str,
    exported_at: DateTime<Utc>,
    leads: &'a [FullLead],
}

impl Export {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let person: PersonKey = self.person.parse()?;
        let leads = person.leads(&mut context.crm().await?).await?;
        if leads.is_empty() {
            return Err(Error::NobodyKnown);
        }
        let (person, exported_at) = (person.as_str(), context.clock.now());
        let json = json::pretty(&Copy { person, exported_at, leads: &leads });
        let Some(path) = self.output else { return context.terminal.print(&json) };
        let mut file = NewFile::create(&path)?;
        writeln!(file, "{json}").map_err(|source| Error::File { path: path.clone(), source })?;
        file.finish()?;
        context.terminal.remark(&note_written(leads.len(), &path))
    }
}
