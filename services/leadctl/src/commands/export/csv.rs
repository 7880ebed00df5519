//! Writes leads as CSV (RFC 4180) whose cells spreadsheets treat as text.

use std::io::{self, Write};

use ::csv::{ErrorKind, Terminator, Writer, WriterBuilder};
use chrono_tz::Tz;

use super::sheet::{COLUMNS, Cell, Sheet, cells};
use crate::{error::Error, leads::Lead, target::Target};

/// Excel recognises UTF-8 only with it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// First characters of a formula, full-width ones included, and those that some programs skip before one.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// The characters of numbers, amounts, dates and times.
const NUMBER: &str = "0123456789+-./:,() %eE";

/// A longer text is not treated as a number.
const LONGEST_NUMBER: usize = 30;

pub(super) struct Csv {
    writer: Writer<Target>,
    zone: Tz,
}

impl Csv {
    pub(super) fn new(mut target: Target, zone: Tz) -> Result<Self, Error> {
        target.write_all(BYTE_ORDER_MARK)?;
        let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(target);
        writer.write_record(COLUMNS.map(|column| column.name)).map_err(cannot_write)?;
        Ok(Self { writer, zone })
    }
}

impl Sheet for Csv {
    fn add(&mut self, lead: &Lead) -> Result<(), Error> {
        let record = cells(lead, self.zone).map(|cell| match cell {
            Cell::Text(text) => harmless(text),
            Cell::Time(time) => time.format("%Y-%m-%d %H:%M:%S").to_string(),
        });
        self.writer.write_record(record).map_err(cannot_write)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        self.writer.into_inner().map_err(|error| error.into_error())?.finish()
    }
}

fn cannot_write(error: ::csv::Error) -> Error {
    let ErrorKind::Io(error) = error.into_kind() else {
        return Error::Output(io::Error::other("a row of another length than those before"));
    };
    Error::Output(error)
}

/// Puts an apostrophe before a text that a spreadsheet would treat as a formula, a number or a date.
fn harmless(text: String) -> String {
    let is_formula = text.trim_start_matches(' ').starts_with(FORMULA);
    let is_number = text.len() <= LONGEST_NUMBER
        && text.chars().all(|c| NUMBER.contains(c))
        && text.contains(|c: char| c.is_ascii_digit());
    if is_formula || is_number { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_spreadsheet_would_take_for_something_else_stays_text() {
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
        ] {
            assert_eq!(harmless(text.to_owned()), format!("'{text}"));
        }
        for text in
            ["", "陈伟", "O'Neil", "1 Raffles Place", "a=b", "'tis", "wei@example.com", "ZG-1234-56", "()"]
        {
            assert_eq!(harmless(text.to_owned()), text);
        }
    }
}
