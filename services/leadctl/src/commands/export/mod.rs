mod csv;
mod sheet;
mod xlsx;

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use contracts::crm::v1::{ExportLeadsRequest, ExportLeadsResponse};
use runtime::clock::SystemClock;
use tokio::signal;
use tonic::Streaming;

use self::{csv::Csv, sheet::Sheet, xlsx::Xlsx};
use crate::{
    arguments::Filter,
    context::Context,
    crm::Crm,
    error::Error,
    leads::Lead,
    target::Target,
    terminal::{Progress, counted, json},
};

/// Export leads as CSV, XLSX or JSON
#[derive(Args)]
#[command(after_help = "\
Times are exported as times, everything else as text. In CSV, an apostrophe precedes values that a spreadsheet would
read as a formula, a number, a date, a time or a truth value.

Examples:
  leadctl export --output leads.xlsx
  leadctl export --csv --since 2026-03-01 --until 2026-03-31 > march.csv
  leadctl export --json --state new | jq -r .mobile")]
pub(crate) struct Export {
    #[command(flatten)]
    format: ExportFormat,
    /// Write to this file, readable only by you, once the export is complete
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Include people who must not be contacted
    #[arg(long)]
    with_do_not_contact: bool,
    #[command(flatten)]
    filter: Filter,
}

/// Numbers of leads.
#[derive(Default)]
struct Exported {
    written: u64,
    left_out: u64,
}

/// The file extension of --output also selects a format.
#[derive(Args)]
#[group(multiple = false)]
struct ExportFormat {
    /// Write CSV (UTF-8, RFC 4180)
    #[arg(long)]
    csv: bool,
    /// Write an XLSX spreadsheet
    #[arg(long)]
    xlsx: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Xlsx,
    Json,
}

/// Writes a line of JSON for each lead.
struct Lines(Target);

impl Export {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let file = self.output.as_deref();
        let format = Format::of(&self.format, context.terminal.is_json, file)?;
        if file.is_none() && format == Format::Xlsx && io::stdout().is_terminal() {
            return Err(Error::Terminal);
        }
        let request = ExportLeadsRequest { filter: Some(context.filter(self.filter)) };
        let mut crm = context.crm().await?;
        let leads = crm.call(async |crm| crm.export_leads(request).await).await?;
        let mut progress = Progress::new("leads", &context.clock);
        let (target, zone) = (Target::open(file)?, context.config.time_zone);
        let sheet: Box<dyn Sheet> = match format {
            Format::Csv => Box::new(Csv::new(target, zone)?),
            Format::Xlsx => Box::new(Xlsx::new(target, zone)?),
            Format::Json => Box::new(Lines(target)),
        };
        let written = tokio::select! {
            biased;
            interrupted = signal::ctrl_c() => Err(interrupted.map_or_else(Error::Output, |()| Error::Interrupted)),
            written = write(sheet, leads, self.with_do_not_contact, &crm, &mut progress) => written,
        };
        progress.end()?;
        let Exported { written, left_out } = written?;
        if let Some(path) = file {
            context.terminal.written(&counted(written, "lead", "leads"), path)?;
        }
        if left_out == 0 {
            return Ok(());
        }
        let left_out = counted(left_out, "lead", "leads");
        context.terminal.remark(&format!(
            "left out {left_out} of people who must not be contacted; --with-do-not-contact includes them"
        ))
    }
}

/// Holds one message of the stream in memory at a time.
async fn write(
    mut sheet: Box<dyn Sheet>,
    mut stream: Streaming<ExportLeadsResponse>,
    with_do_not_contact: bool,
    crm: &Crm,
    progress: &mut Progress<'_, SystemClock>,
) -> Result<Exported, Error> {
    let (mut done, mut total) = (Exported::default(), 0);
    while let Some(message) = stream.message().await.map_err(|status| crm.error(&status))? {
        total = message.total.max(total);
        for lead in message.leads {
            let lead = Lead::read(lead)?;
            if lead.progress.do_not_contact_at.is_some() && !with_do_not_contact {
                done.left_out += 1;
            } else {
                sheet.add(&lead)?;
                done.written += 1;
            }
            progress.at(done.written + done.left_out, total)?;
        }
    }
    sheet.finish()?;
    Ok(done)
}

impl Format {
    /// From the flag, or else from the file's extension; an error when neither gives one.
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

impl Sheet for Lines {
    fn add(&mut self, lead: &Lead) -> Result<(), Error> {
        Ok(writeln!(self.0, "{}", json::line(lead))?)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        self.0.finish()
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
