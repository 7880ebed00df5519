//! Everything that is held about a person, as JSON that a person can read.

use std::{io::Write, path::Path};

use chrono::{DateTime, Utc};
use runtime::clock::Clock;
use serde::Serialize;

use super::Person;
use crate::{
    client::Client,
    config::Config,
    error::Error,
    file::NewFile,
    lead::{FullLead, rfc3339},
    output::{self, Output},
};

/// What the person gets.
#[derive(Serialize)]
struct Copy<'a> {
    /// As it was asked for.
    person: &'a str,
    #[serde(serialize_with = "rfc3339")]
    exported_at: DateTime<Utc>,
    leads: &'a [FullLead],
}

pub(super) async fn run(
    person: &Person,
    file: Option<&Path>,
    config: &Config,
    clock: &impl Clock,
    output: &mut Output,
) -> Result<(), Error> {
    let leads = Client::connect(config).await?.export_person(person).await?;
    if leads.is_empty() {
        return Err(Error::NobodyKnown);
    }
    let json = output::pretty(&Copy { person: person.as_str(), exported_at: clock.now(), leads: &leads });
    let Some(path) = file else { return output.text(&json) };
    let mut file = NewFile::create(path)?;
    writeln!(file, "{json}").map_err(|source| Error::File { path: path.to_owned(), source })?;
    file.finish()?;
    output.written(leads.len(), path)
}
