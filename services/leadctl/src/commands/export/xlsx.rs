//! Writes leads as a spreadsheet. Rows are kept in a temporary file, not in memory.

use anyhow::Result;
use chrono_tz::Tz;
use contracts::crm::v1::Lead;
use rust_xlsxwriter::{Format, Workbook, XlsxError};

use super::sheet::{Cell, Sheet, build_columns};
use crate::{Exit, output::Target};

/// Every spreadsheet shows this format as a time.
const TIME: &str = "yyyy-mm-dd hh:mm:ss";

pub(super) struct Xlsx {
    workbook: Workbook,
    target: Target,
    time: Format,
    /// Marks a cell as text, so that it stays text when somebody edits it.
    text: Format,
    zone: Tz,
    row: u32,
}

impl Xlsx {
    pub(super) fn new(target: Target, zone: Tz) -> Result<Self> {
        let time = Format::new().set_num_format(TIME);
        let text = Format::new().set_quote_prefix();
        let mut new = Self { workbook: Workbook::new(), target, time, text, zone, row: 1 };
        new.write_header().map_err(explain)?;
        Ok(new)
    }

    /// Writes the names of the columns, which stay visible.
    fn write_header(&mut self) -> Result<(), XlsxError> {
        let bold = Format::new().set_bold();
        let sheet = self.workbook.add_worksheet_with_constant_memory()?;
        sheet.set_name("Leads")?.set_freeze_panes(1, 1)?;
        for (index, column) in (0..).zip(build_columns(&Lead::default(), self.zone)) {
            sheet.set_column_width(index, column.width)?;
            sheet.write_string_with_format(0, index, column.name, &bold)?;
        }
        Ok(())
    }

    /// Writes texts as strings, so that none becomes a formula, a number or a link.
    fn write_row(&mut self, lead: &Lead) -> Result<(), XlsxError> {
        let sheet = self.workbook.worksheet_from_index(0)?;
        for (index, column) in (0..).zip(build_columns(lead, self.zone)) {
            match column.cell {
                Cell::Text(text) if text.is_empty() => continue,
                Cell::Text(text) => sheet.write_string_with_format(self.row, index, text, &self.text)?,
                Cell::Time(at) => sheet.write_datetime_with_format(self.row, index, at, &self.time)?,
            };
        }
        Ok(())
    }
}

impl Sheet for Xlsx {
    fn add(&mut self, lead: &Lead) -> Result<()> {
        self.write_row(lead).map_err(explain)?;
        self.row += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>, contents: &str) -> Result<()> {
        self.workbook.save_to_writer(&mut self.target).map_err(explain)?;
        self.target.finish(contents)
    }
}

fn explain(error: XlsxError) -> anyhow::Error {
    if let XlsxError::IoError(error) = error {
        return error.into();
    }
    if matches!(error, XlsxError::RowColumnLimitError) {
        let advice = "narrow the export with --since, or use --format csv";
        return Exit::Usage.error(format!("a spreadsheet is limited to 1,048,575 leads: {advice}")).into();
    }
    error.into()
}
