mod csv;
mod sheet;
mod xlsx;

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use clap::Args;
use contracts::crm::v1::{ExportLeadsRequest, ExportLeadsResponse, Lead};
use tokio::signal;
use tonic::Streaming;

use self::{csv::Csv, sheet::Sheet, xlsx::Xlsx};
use crate::{
    arguments::Filter,
    cli::Context,
    crm::Crm,
    error::Error,
    output::{counted, json, progress},
    target::Target,
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

/// File extensions of JSON.
const JSON: [&str; 3] = ["json", "jsonl", "ndjson"];

/// Writes a line of JSON for each lead.
struct Lines(Target);

impl Export {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let (file, output) = (self.output.as_deref(), &context.output);
        let format = Format::choose(&self.format, output.is_json, file)?;
        if file.is_none() && format == Format::Xlsx && io::stdout().is_terminal() {
            bail!(Error::Usage(
                "cannot print a spreadsheet to a terminal: name a file with --output".to_owned()
            ));
        }
        let request = ExportLeadsRequest { filter: Some(context.filter(self.filter)) };
        let mut crm = context.crm().await?;
        let leads = crm.call(async |crm| crm.export_leads(request).await).await?;
        let (target, zone) = (Target::create(file)?, output.zone);
        let sheet: Box<dyn Sheet> = match format {
            Format::Csv => Box::new(Csv::new(target, zone)?),
            Format::Xlsx => Box::new(Xlsx::new(target, zone)?),
            Format::Json => Box::new(Lines(target)),
        };
        let (written, left_out) = tokio::select! {
            biased;
            interrupted = signal::ctrl_c() => {
                interrupted?;
                bail!(Error::Interrupted)
            }
            written = write_leads(sheet, leads, self.with_do_not_contact, &crm) => written?,
        };
        output.report_file(&counted(written, "lead", "leads"), file)?;
        if left_out == 0 {
            return Ok(());
        }
        let left_out = counted(left_out, "lead", "leads");
        output.remark(&format!(
            "left out {left_out} of people who must not be contacted; --with-do-not-contact includes them"
        ))
    }
}

/// Holds one message of the stream in memory at a time. Returns the numbers of leads written and left out.
async fn write_leads(
    mut sheet: Box<dyn Sheet>,
    mut stream: Streaming<ExportLeadsResponse>,
    with_do_not_contact: bool,
    crm: &Crm,
) -> Result<(u64, u64)> {
    let (mut written, mut left_out) = (0, 0);
    let progress = progress("leads");
    while let Some(message) = stream.message().await.map_err(|status| crm.error(&status))? {
        progress.set_length(message.total.max(progress.length().unwrap_or(0)));
        for lead in message.leads {
            let do_not_contact = lead.progress.as_ref().is_some_and(|it| it.do_not_contact_at.is_some());
            if do_not_contact && !with_do_not_contact {
                left_out += 1;
            } else {
                sheet.add(&lead)?;
                written += 1;
            }
        }
        progress.set_position(written + left_out);
    }
    sheet.finish()?;
    Ok((written, left_out))
}

impl Format {
    /// From the flag, or else from the file's extension; an error when neither selects one.
    fn choose(flags: &ExportFormat, json: bool, file: Option<&Path>) -> Result<Self, Error> {
        let extension = file.and_then(Path::extension).and_then(|it| it.to_str()).unwrap_or_default();
        match (flags.csv, flags.xlsx, json) {
            (true, _, false) => Ok(Self::Csv),
            (_, true, false) => Ok(Self::Xlsx),
            (false, false, true) => Ok(Self::Json),
            (false, false, false) if extension.eq_ignore_ascii_case("csv") => Ok(Self::Csv),
            (false, false, false) if extension.eq_ignore_ascii_case("xlsx") => Ok(Self::Xlsx),
            (false, false, false) if JSON.iter().any(|it| extension.eq_ignore_ascii_case(it)) => {
                Ok(Self::Json)
            }
            (_, _, _) => Err(Error::Usage(
                "choose a format: --csv, --xlsx, --json, or an --output name with that extension".to_owned(),
            )),
        }
    }
}

impl Sheet for Lines {
    fn add(&mut self, lead: &Lead) -> Result<()> {
        Ok(writeln!(self.0, "{}", json(lead)?)?)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_comes_from_flag_or_extension() {
        let choose = |csv, xlsx, json, file: Option<&str>| {
            Format::choose(&ExportFormat { csv, xlsx }, json, file.map(Path::new)).ok()
        };
        assert_eq!(choose(true, false, false, None), Some(Format::Csv));
        assert_eq!(choose(true, false, false, Some("a.txt")), Some(Format::Csv));
        assert_eq!(choose(false, true, false, Some("a.csv")), Some(Format::Xlsx));
        assert_eq!(choose(false, false, true, None), Some(Format::Json));
        assert_eq!(choose(false, false, false, Some("a/leads.XLSX")), Some(Format::Xlsx));
        assert_eq!(choose(false, false, false, Some("leads")), None);
        assert_eq!(choose(false, false, false, None), None);
        assert_eq!(choose(true, false, true, None), None);
    }
}
