//! Writes leads as CSV (RFC 4180) with cells that spreadsheets treat as text, as XLSX, or as lines of JSON.

use std::io::Write;

use anyhow::{Result, anyhow};
use chrono_tz::Tz;
use clap::ValueEnum;
use contracts::crm::v1::Lead;
use csv::{ErrorKind, Terminator, Writer, WriterBuilder};
use lead::text::search_key;
use rust_xlsxwriter::{Format as CellFormat, Workbook, XlsxError};

use super::columns::{Cell, build_columns};
use crate::{
    error::Exit,
    output::{Target, to_json},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Csv,
    Xlsx,
    #[value(aliases = ["jsonl", "ndjson"])]
    Json,
}

/// Number format that every spreadsheet displays as a time.
const TIME: &str = "yyyy-mm-dd hh:mm:ss";

/// Excel recognises UTF-8 only with this mark.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Characters that start a formula, also in full width, and characters that some programs skip before a formula.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Parts of numbers, amounts, dates and times, normalised by `search_key`. Longer words precede their prefixes.
const PARTS: &str = "0 1 2 3 4 5 6 7 8 9 + - . / : , ( ) % ' \
    s$ us$ $ € £ ¥ ₹ ₩ 元 sgd usd cny rmb \
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun \
    january february march april may june july august september october november december \
    jan feb mar apr jun jul aug sept sep oct nov dec am pm \
    星期 周 日 月 年 号 號 一 二 三 四 五 六 七 八 九 十 〇 零 上午 下午 时 時 点 點 分 秒";

/// Truth values and error values of spreadsheets, normalised by `search_key`.
const VALUES: [&str; 11] = [
    "true", "false", "真", "假", "#n/a", "#ref!", "#value!", "#div/0!", "#name?", "#null!", "#num!",
];

/// An export in progress. Dropping it leaves no file.
#[expect(clippy::large_enum_variant, reason = "a process creates only one")]
pub(super) enum Sheet {
    Csv(Writer<Target>),
    /// Stores rows in a temporary file instead of memory.
    Xlsx(Workbook, Target),
    Json(Target),
}

impl Sheet {
    /// Writes the names of the columns.
    pub(super) fn create(format: Format, mut target: Target, zone: Tz) -> Result<Self> {
        match format {
            Format::Csv => {
                target.write_all(BYTE_ORDER_MARK)?;
                let mut writer = WriterBuilder::new()
                    .terminator(Terminator::CRLF)
                    .from_writer(target);
                let names = build_columns(&Lead::default(), zone).map(|column| column.name);
                writer.write_record(names).map_err(explain_csv)?;
                Ok(Self::Csv(writer))
            }
            Format::Xlsx => Ok(Self::Xlsx(
                create_workbook(zone).map_err(explain_xlsx)?,
                target,
            )),
            Format::Json => Ok(Self::Json(target)),
        }
    }

    /// Adds a lead as row `number`, which starts at 1.
    pub(super) fn add(&mut self, lead: &Lead, number: u32, zone: Tz) -> Result<()> {
        match self {
            Self::Csv(writer) => {
                let record = build_columns(lead, zone).map(|column| match column.cell {
                    Cell::Text(text) => escape_text(text),
                    Cell::Time(time) => time.format("%Y-%m-%d %H:%M:%S").to_string(),
                });
                writer.write_record(record).map_err(explain_csv)
            }
            Self::Xlsx(workbook, _) => add_row(workbook, lead, number, zone).map_err(explain_xlsx),
            Self::Json(target) => Ok(writeln!(target, "{}", to_json(lead)?)?),
        }
    }

    /// Writes the remaining data and moves the file to its path, see [`Target::finish`].
    pub(super) fn finish(self, contents: &str) -> Result<()> {
        let target = match self {
            Self::Csv(writer) => writer.into_inner().map_err(|error| error.into_error())?,
            Self::Xlsx(mut workbook, mut target) => {
                // Not `save_to_writer`: after an error of the target, the zip library prints a second message.
                target.write_all(&workbook.save_to_buffer().map_err(explain_xlsx)?)?;
                target
            }
            Self::Json(target) => target,
        };
        target.finish(contents)
    }
}

/// Creates a workbook with a row of column names, which stays visible.
fn create_workbook(zone: Tz) -> Result<Workbook, XlsxError> {
    let (mut workbook, bold) = (Workbook::new(), CellFormat::new().set_bold());
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    sheet.set_name("Leads")?.set_freeze_panes(1, 1)?;
    for (index, column) in (0..).zip(build_columns(&Lead::default(), zone)) {
        sheet.set_column_width(index, column.width)?;
        sheet.write_string_with_format(0, index, column.name, &bold)?;
    }
    Ok(workbook)
}

/// Writes texts as strings, to prevent formulas, numbers and links.
fn add_row(workbook: &mut Workbook, lead: &Lead, number: u32, zone: Tz) -> Result<(), XlsxError> {
    // Marks a cell as text, so that the cell remains text after an edit.
    let quoted = CellFormat::new().set_quote_prefix();
    let time_format = CellFormat::new().set_num_format(TIME);
    let sheet = workbook.worksheet_from_index(0)?;
    for (index, column) in (0..).zip(build_columns(lead, zone)) {
        match column.cell {
            Cell::Text(text) if text.is_empty() => continue,
            Cell::Text(text) => sheet.write_string_with_format(number, index, text, &quoted)?,
            Cell::Time(at) => sheet.write_datetime_with_format(number, index, at, &time_format)?,
        };
    }
    Ok(())
}

fn explain_xlsx(error: XlsxError) -> anyhow::Error {
    if let XlsxError::IoError(error) = error {
        return error.into();
    }
    if matches!(error, XlsxError::RowColumnLimitError) {
        let advice = "narrow the export with --since, or use --format csv";
        return Exit::Usage
            .error(format!(
                "a spreadsheet is limited to 1,048,575 leads: {advice}"
            ))
            .into();
    }
    error.into()
}

/// Returns the error of the operating system, if there is one.
fn explain_csv(error: csv::Error) -> anyhow::Error {
    if let ErrorKind::Io(error) = error.into_kind() {
        error.into()
    } else {
        anyhow!("rows differ in length")
    }
}

/// Prepends an apostrophe to a value that an English or Chinese spreadsheet would not treat as text.
fn escape_text(text: String) -> String {
    let is_formula = text.trim_start_matches(' ').starts_with(FORMULA);
    let key = search_key(&text);
    if is_formula || is_number_or_date(&key) || VALUES.contains(&key.as_str()) {
        format!("'{text}")
    } else {
        text
    }
}

/// Whether a text contains a digit and consists only of [`PARTS`].
fn is_number_or_date(key: &str) -> bool {
    let mut rest = key;
    loop {
        let before = key[..key.len() - rest.len()].trim_end();
        // Letters that may follow a digit, as in 1e5 and 5 p.
        let letters = if before.ends_with(|c: char| c.is_ascii_digit()) {
            "e a p"
        } else {
            ""
        };
        let mut parts = PARTS
            .split_ascii_whitespace()
            .chain(letters.split_ascii_whitespace());
        let Some(part) = parts.find(|part| rest.starts_with(part)) else {
            break;
        };
        rest = rest[part.len()..].trim_start();
    }
    rest.is_empty() && key.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_numbers_and_dates_stay_text() {
        for text in [
            "=1+1",
            "+65 9123 4567",
            "-1",
            "@SUM(A1)",
            "\tx",
            "\rx",
            "  =1",
            "＝1+1",
            "91234567",
            "0091234567",
            "(65) 9123-4567",
            "1e5",
            "2025-07",
            "12:30",
            "-",
            "10:30 am",
            "10 PM",
            "5 p",
            "nov-26",
            "Mar 2026",
            "May 4",
            "Sunday, 1 March 2026",
            "4-Sept",
            "1 1/2",
            "50%",
            "S$1,250.00",
            "1E+05",
            "１２３４",
            "2026年3月1日",
            "3月1日 星期日",
            "下午3:30",
            "10时30分",
            "¥500",
            "9123456791234567912345679123456791234567",
            "TRUE",
            "假",
            "#N/A",
        ] {
            assert_eq!(escape_text(text.to_owned()), format!("'{text}"));
        }
        for text in [
            "",
            "陈伟",
            "O'Neil",
            "1 Raffles Place",
            "a=b",
            "'tis",
            "wei@example.com",
            "ZG-1234-56",
            "()",
            "May",
            "Mark 2",
            "A1",
            "E5",
            "#12-04",
            "3房",
            "truely",
        ] {
            assert_eq!(escape_text(text.to_owned()), text);
        }
    }
}
