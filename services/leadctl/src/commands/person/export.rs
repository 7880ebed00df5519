use std::{io::Write, path::PathBuf};

use chrono::{DateTime, Utc};
use clap::Args;
use lead::EmailKey;
use runtime::clock::Clock;
use serde::Serialize;

use super::{
    choice::{Choice, People},
    key::PersonKey,
};
use crate::{
    context::Context,
    error::Error,
    leads::FullLead,
    target::Target,
    terminal::{counted, json},
};

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
struct Copy<'a> {
    /// As typed.
    person: &'a str,
    exported_at: DateTime<Utc>,
    leads: &'a [FullLead],
}

impl Export {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let person: PersonKey = self.person.parse()?;
        let mut leads = person.leads(&mut context.crm().await?).await?;
        if leads.is_empty() {
            return Err(Error::NobodyKnown);
        }
        let mut people = People::default();
        leads.iter().map(|it| &it.lead.submission).for_each(|it| people.add(&it.name, &it.email));
        let chosen = self.choice.of(&person, &people)?;
        leads.retain(|it| chosen.contains(&EmailKey::of(&it.lead.submission.email)));
        let (person, exported_at) = (person.as_str(), context.clock.now());
        let json = json::pretty(&Copy { person, exported_at, leads: &leads });
        let path = self.output.as_deref();
        let failed = |source| match path {
            Some(path) => Error::File { path: path.to_owned(), source },
            None => Error::Output(source),
        };
        let mut target = Target::open(path)?;
        writeln!(target, "{json}").map_err(failed)?;
        target.finish()?;
        let count = counted(leads.len() as u64, "lead", "leads");
        path.map_or(Ok(()), |path| context.terminal.written(&count, path))
    }
}
