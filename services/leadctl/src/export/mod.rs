//! Leads as a table or as JSON. A few are in memory at a time, however many there are.

mod columns;
mod csv;
mod progress;
mod target;
mod xlsx;

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

use chrono_tz::Tz;
use contracts::crm::v1::LeadFilter;
use runtime::clock::Clock;
use tokio::signal;

use self::{csv::Csv, progress::Progress, target::Target, xlsx::Xlsx};
use crate::{
    cli::ExportFormat,
    client::{Client, Exporting},
    config::Config,
    error::Error,
    lead::Lead,
    output::{self, Output},
};

/// What an export looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Xlsx,
    Json,
}

/// An export on its way.
enum Sheet {
    Csv(Box<Csv<Target>>),
    Xlsx(Box<Xlsx>, Target),
    Json(Target),
}

/// Exports the leads of a filter.
pub(crate) async fn run(
    format: &ExportFormat,
    json: bool,
    file: Option<&Path>,
    filter: LeadFilter,
    config: &Config,
    clock: &impl Clock,
    output: &mut Output,
) -> Result<(), Error> {
    let format = Format::of(format, json, file)?;
    if file.is_none() && format == Format::Xlsx && io::stdout().is_terminal() {
        return Err(Error::Terminal);
    }
    let mut leads = Client::connect(config).await?.export(filter).await?;
    let mut progress = Progress::new(clock.now());
    let sheet = Sheet::new(format, Target::open(file)?, config.time_zone)?;
    // What is dropped half-way takes its file along.
    let written = tokio::select! {
        biased;
        interrupted = signal::ctrl_c() => Err(interrupted.map_or_else(Error::Output, |()| Error::Interrupted)),
        written = write(sheet, &mut leads, &mut progress, clock) => written,
    };
    progress.end()?;
    let count = written?;
    file.map_or(Ok(()), |path| output.written(count, path))
}

async fn write(
    mut sheet: Sheet,
    leads: &mut Exporting,
    progress: &mut Progress,
    clock: &impl Clock,
) -> Result<usize, Error> {
    let mut count = 0;
    while let Some(lead) = leads.next().await? {
        sheet.add(&lead)?;
        count += 1;
        progress.at(count, leads.total, clock)?;
    }
    sheet.finish()?;
    Ok(count)
}

impl Format {
    /// What was asked for, or else what a file's name says.
    fn of(asked: &ExportFormat, json: bool, file: Option<&Path>) -> Result<Self, Error> {
        let ending = file.and_then(Path::extension).and_then(|it| it.to_str()).map(str::to_ascii_lowercase);
        match (asked.csv, asked.xlsx, json) {
            (true, _, false) => Ok(Self::Csv),
            (_, true, false) => Ok(Self::Xlsx),
            (false, false, true) => Ok(Self::Json),
            (false, false, false) => match ending.as_deref() {
                Some("csv") => Ok(Self::Csv),
                Some("xlsx") => Ok(Self::Xlsx),
                Some("json" | "jsonl" | "ndjson") => Ok(Self::Json),
                Some(_) | None => Err(Error::NoFormat),
            },
            (true, _, true) | (_, true, true) => Err(Error::NoFormat),
        }
    }
}

impl Sheet {
    fn new(format: Format, target: Target, zone: Tz) -> Result<Self, Error> {
        Ok(match format {
            Format::Csv => Self::Csv(Box::new(Csv::new(target, zone)?)),
            Format::Xlsx => Self::Xlsx(Box::new(Xlsx::new(zone)?), target),
            Format::Json => Self::Json(target),
        })
    }

    fn add(&mut self, lead: &Lead) -> Result<(), Error> {
        match self {
            Self::Csv(csv) => csv.add(lead),
            Self::Xlsx(xlsx, _) => xlsx.add(lead),
            Self::Json(target) => Ok(writeln!(target, "{}", output::line(lead))?),
        }
    }

    fn finish(self) -> Result<(), Error> {
        match self {
            Self::Csv(csv) => csv.finish()?.finish(),
            Self::Xlsx(xlsx, mut target) => {
                xlsx.save(&mut target)?;
                target.finish()
            }
            Self::Json(target) => target.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_asked_for_or_read_off_the_name() {
        let of = |csv, xlsx, json, file: Option<&str>| {
            Format::of(&ExportFormat { csv, xlsx }, json, file.map(Path::new)).ok()
        };
        assert_eq!(of(true, false, false, None), Some(Format::Csv));
        assert_eq!(of(true, false, false, Some("a.txt")), Some(Format::Csv));
        assert_eq!(of(false, true, false, Some("a.csv")), Some(Format::Xlsx));
        assert_eq!(of(false, false, true, None), Some(Format::Json));
        assert_eq!(of(false, false, false, Some("a/leads.XLSX")), Some(Format::Xlsx));
        assert_eq!(of(false, false, false, Some("leads")), None);
        assert_eq!(of(false, false, false, None), None);
        assert_eq!(of(true, false, true, None), None);
    }
}
