mod columns;
mod sheet;

use std::{
    ffi::OsStr,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use contracts::crm::v1::ExportLeadsRequest;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::signal;

use self::sheet::{Format, Sheet};
use crate::{
    arguments::Filter,
    context::Context,
    crm::may_contact,
    error::Exit,
    output::{Target, format_count},
};

/// Export leads as CSV, XLSX or JSON
#[derive(Args)]
#[command(after_help = "\
Times are exported as times, everything else as text. In CSV, an apostrophe precedes values that a spreadsheet would
read as a formula, a number, a date, a time or a truth value.

Examples:
  leadctl export --output leads.xlsx
  leadctl export --format csv --since 2026-03-01 --until 2026-03-31 > march.csv
  leadctl export --json --state new | jq -r .mobile")]
pub(crate) struct Export {
    /// Write to this file, readable only by you, once the export is complete
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// CSV in UTF-8, a spreadsheet, or JSON with one object a line; by default by the file's extension
    #[arg(long, conflicts_with = "json")]
    format: Option<Format>,
    /// Include people who must not be contacted
    #[arg(long)]
    with_do_not_contact: bool,
    #[command(flatten)]
    filter: Filter,
}

impl Export {
    pub(crate) async fn run(self, context: &Context) -> Result<()> {
        let zone = context.output.zone;
        let Some(format) = self.format(context.output.is_json) else {
            bail!(
                Exit::Usage.error("choose a format by --format, or by the extension of --output")
            );
        };
        if self.output.is_none() && format == Format::Xlsx && io::stdout().is_terminal() {
            bail!(
                Exit::Usage
                    .error("cannot print a spreadsheet to a terminal: name a file with --output")
            );
        }
        let request = ExportLeadsRequest {
            filter: Some(self.filter.into_contract(context.output.now, zone)),
        };
        let mut leads = context
            .crm()
            .leads
            .export_leads(request)
            .await?
            .into_inner();
        let target = Target::create(self.output.as_deref())?;
        let mut sheet = Sheet::create(format, target, zone)?;
        // The bar appears only if standard error is a terminal.
        let style =
            ProgressStyle::with_template("[{bar:30}] {percent:>3} %  {pos} of {len} leads")?;
        let progress = ProgressBar::new(0).with_style(style.progress_chars("##."));
        let (mut written, mut left_out) = (0, 0);
        // Stores only one message of the stream in memory at a time.
        let export = async {
            while let Some(message) = leads.message().await? {
                progress.set_length(message.total.max(progress.length().unwrap_or(0)));
                for lead in message.leads {
                    if self.with_do_not_contact || may_contact(&lead) {
                        written += 1;
                        sheet.add(&lead, written, zone)?;
                    } else {
                        left_out += 1;
                    }
                }
                progress.set_position(u64::from(written + left_out));
            }
            anyhow::Ok(())
        };
        tokio::select! {
            biased;
            _ = signal::ctrl_c() => bail!(Exit::Interrupted.error("interrupted: no file was written")),
            exported = export => exported?,
        }
        sheet.finish(&format_count(written, "lead", "leads"))?;
        if left_out > 0 {
            eprintln!(
                "left out {} of people who must not be contacted; --with-do-not-contact includes them",
                format_count(left_out, "lead", "leads")
            );
        }
        Ok(())
    }

    fn format(&self, is_json: bool) -> Option<Format> {
        let extension = self
            .output
            .as_deref()
            .and_then(Path::extension)
            .and_then(OsStr::to_str);
        let by_extension = extension.and_then(|name| Format::from_str(name, true).ok());
        self.format
            .or(is_json.then_some(Format::Json))
            .or(by_extension)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Only {
        #[command(flatten)]
        export: Export,
        #[arg(long)]
        json: bool,
    }

    #[test]
    fn format_comes_from_flag_or_extension() {
        for (arguments, format) in [
            (&["--format", "csv"][..], Some(Format::Csv)),
            (&["--format", "csv", "-o", "a.txt"], Some(Format::Csv)),
            (&["--format", "xlsx", "-o", "a.csv"], Some(Format::Xlsx)),
            (&["--json"], Some(Format::Json)),
            (&["-o", "a/leads.XLSX"], Some(Format::Xlsx)),
            (&["-o", "leads.jsonl"], Some(Format::Json)),
            (&["-o", "leads"], None),
            (&[], None),
            (&["--format", "csv", "--json"], None),
            (&["--format", "pdf"], None),
        ] {
            let parsed = Only::try_parse_from(["export"].iter().chain(arguments)).ok();
            let chosen = parsed.and_then(|only| only.export.format(only.json));
            assert_eq!(chosen, format, "{arguments:?}");
        }
    }
}
