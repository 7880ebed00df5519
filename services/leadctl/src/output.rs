//! Writes to standard output, standard error and files: text for people, JSON for programs.

use std::{
    collections::HashMap,
    fmt::Write as _,
    io::{self, BufWriter, Write},
    iter,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};
use lead::text::{breaks_line, is_hidden, several_lines, single_line};
use serde::Serialize;
use tempfile::{NamedTempFile, TempPath};
use toml::{Table as Message, Value};

/// Width of the gap between columns, in cells.
const GAP: u16 = 2;

/// Time format in tables, where the heading contains the zone.
const MINUTE: &str = "%Y-%m-%d %H:%M";

const SECOND: &str = "%Y-%m-%d %H:%M:%S %Z";

/// The name of a field, and the minimum width of its column in cells; 0 prevents wrapping.
pub(crate) type Column = (&'static str, u16);

/// Prints messages of the contract as JSON, one per line, or as text with named fields. Text contains no characters that
/// control the terminal.
pub(crate) struct Output {
    pub(crate) is_json: bool,
    /// Width of text, in cells.
    pub(crate) width: u16,
    /// Zone of all times in text.
    pub(crate) zone: Tz,
    /// The time at the start of the command.
    pub(crate) now: DateTime<Utc>,
}

impl Output {
    /// Uses the width of the terminal, limited to 80 to 140 cells to keep tables readable, or 120 without a terminal.
    pub(crate) fn new(is_json: bool, zone: Tz, now: DateTime<Utc>) -> Self {
        let width = rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| size.ws_col);
        Self {
            is_json,
            width: if width == 0 {
                120
            } else {
                width.clamp(80, 140)
            },
            zone,
            now,
        }
    }

    /// Prints a message as JSON, or else prints `text`, which must not contain characters that control the terminal.
    pub(crate) fn print(
        &self,
        message: &impl Serialize,
        text: impl FnOnce() -> Result<String>,
    ) -> Result<()> {
        let line = if self.is_json {
            to_json(message)?
        } else {
            text()?
        };
        Ok(writeln!(io::stdout(), "{line}")?)
    }

    /// Prints the fields of a message, one below the other.
    pub(crate) fn print_fields(&self, message: &impl Serialize) -> Result<()> {
        self.print(message, || {
            Ok(self.format_pairs(self.format_fields(message)?))
        })
    }

    /// Prints some fields of messages as a table, or `none` if there are no messages.
    pub(crate) fn print_rows<T: Serialize>(
        &self,
        messages: &[T],
        columns: &[Column],
        none: &str,
    ) -> Result<()> {
        if self.is_json {
            return messages
                .iter()
                .try_for_each(|message| self.print_fields(message));
        }
        let text = if messages.is_empty() {
            none
        } else {
            &self.format_rows(messages, columns)?
        };
        Ok(writeln!(io::stdout(), "{text}")?)
    }

    pub(crate) fn format_rows<T: Serialize>(
        &self,
        messages: &[T],
        columns: &[Column],
    ) -> Result<String> {
        let mut table = Table::new();
        let zone = self.now.with_timezone(&self.zone).format("%Z");
        table.set_header(columns.iter().map(|(name, _)| match heading(name) {
            name if is_time(name) => format!("{} ({zone})", name.to_uppercase()),
            name => name.to_uppercase(),
        }));
        for message in messages {
            let fields: HashMap<_, _> = self
                .flatten(&Message::try_from(message)?, MINUTE)
                .into_iter()
                .collect();
            // A line break in a cell could look like another row.
            let cell = |name| {
                fields
                    .get(name)
                    .map_or_else(String::new, |text: &String| text.replace('\n', " "))
            };
            table.add_row(columns.iter().map(|(name, _)| cell(*name)));
        }
        Ok(self.layout(table, columns.iter().map(|(_, narrowest)| *narrowest)))
    }

    /// Formats labels and their texts, one below the other.
    pub(crate) fn format_pairs(&self, pairs: impl IntoIterator<Item = (String, String)>) -> String {
        let mut table = Table::new();
        table.add_rows(pairs.into_iter().map(|(label, text)| [label, text]));
        self.layout(table, [0, 1])
    }

    /// Applies the minimum widths, see [`Column`]. Columns beyond those in `narrowest` do not wrap.
    pub(crate) fn layout(
        &self,
        mut table: Table,
        narrowest: impl IntoIterator<Item = u16>,
    ) -> String {
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic);
        for (column, narrowest) in table
            .column_iter_mut()
            .zip(narrowest.into_iter().chain(iter::repeat(0)))
        {
            column.set_padding((0, GAP));
            column.set_constraint(match narrowest {
                0 => ColumnConstraint::ContentWidth,
                width => ColumnConstraint::LowerBoundary(Width::Fixed(width + GAP)),
            });
        }
        // `trim_fmt` removes the gap after the last column.
        table.set_width(self.width + GAP).trim_fmt()
    }

    /// Formats the fields of a message by name, e.g. `progress.state`. Omits empty fields.
    pub(crate) fn format_fields(&self, message: &impl Serialize) -> Result<Vec<(String, String)>> {
        // TOML tables preserve the order of the contract's fields, unlike the maps of serde_json.
        Ok(self.flatten(&Message::try_from(message)?, SECOND))
    }

    fn flatten(&self, message: &Message, time_format: &str) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        for (name, value) in message {
            if let Value::Table(inner) = value {
                let inner = self.flatten(inner, time_format).into_iter();
                fields.extend(inner.map(|(field, text)| (format!("{name}.{field}"), text)));
            } else {
                fields.push((name.clone(), self.format_value(name, value, time_format)));
            }
        }
        fields.retain(|(_, text)| !text.is_empty());
        fields
    }

    fn format_value(&self, name: &str, value: &Value, time_format: &str) -> String {
        let join = |texts: &mut dyn Iterator<Item = String>, separator| {
            texts.collect::<Vec<_>>().join(separator)
        };
        match value {
            Value::String(text) => match DateTime::parse_from_rfc3339(text) {
                Ok(time) if is_time(name) => time
                    .with_timezone(&self.zone)
                    .format(time_format)
                    .to_string(),
                _ => several_lines(text),
            },
            Value::Array(values) => {
                let separator = if values.iter().any(Value::is_table) {
                    "\n"
                } else {
                    ", "
                };
                join(
                    &mut values
                        .iter()
                        .map(|value| self.format_value(name, value, time_format)),
                    separator,
                )
            }
            Value::Table(message) => {
                let fields = self.flatten(message, time_format).into_iter();
                join(
                    &mut fields.map(|(name, text)| format!("{name} {text}")),
                    "; ",
                )
            }
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
                value.to_string()
            }
        }
    }
}

/// The last part of a field's name, without those parts that another column has, too.
fn heading(field: &'static str) -> &'static str {
    match field {
        "session.campaign.name" => "campaign",
        _ => field.rsplit('.').next().unwrap_or(field),
    }
}

/// Whether the contract uses this name for a time.
fn is_time(field: &str) -> bool {
    ["at", "since", "until"].contains(&field) || field.ends_with("_at")
}

pub(crate) fn to_json(message: &impl Serialize) -> Result<String> {
    Ok(escape(&serde_json::to_string(message)?))
}

/// Escapes the invisible characters and line breaks that JSON does not escape.
pub(crate) fn escape(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if (is_hidden(c) || breaks_line(c)) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(escaped, "\\u{unit:04x}").expect("a String accepts every write");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

pub(crate) fn format_count(number: impl TryInto<u64>, one: &str, several: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {}", if number == 1 { one } else { several })
}

/// A file, or standard output.
pub(crate) struct Target {
    writer: Box<dyn Write + Send>,
    /// A temporary file, readable only by its owner, and the path to which [`Target::finish`] moves it. Dropping the
    /// target earlier deletes the file. `None` for standard output.
    file: Option<(TempPath, PathBuf)>,
}

impl Target {
    /// Writes to standard output if there is no path.
    pub(crate) fn create(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Self {
                writer: Box::new(BufWriter::new(io::stdout())),
                file: None,
            });
        };
        let beside = path
            .parent()
            .filter(|directory| !directory.as_os_str().is_empty());
        // Temporary files have mode 0600.
        let file = NamedTempFile::with_prefix_in(".leadctl-", beside.unwrap_or(Path::new(".")));
        let (file, temporary) = file
            .with_context(|| path.display().to_string())?
            .into_parts();
        Ok(Self {
            writer: Box::new(BufWriter::new(file)),
            file: Some((temporary, path.to_owned())),
        })
    }

    /// Moves a file to its path, replacing an existing file, and reports the contents, e.g. `9 leads`.
    pub(crate) fn finish(mut self, contents: &str) -> Result<()> {
        self.flush()?;
        if let Some((temporary, path)) = self.file {
            let shown = path.display().to_string();
            temporary
                .persist(&path)
                .map_err(|failed| failed.error)
                .with_context(|| shown.clone())?;
            eprintln!("{contents} in {}", single_line(&shown));
        }
        Ok(())
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::tests::NARROW;

    #[test]
    fn heading_names_the_zone_without_a_time() {
        let rows = [
            serde_json::json!({ "id": "x" }),
            serde_json::json!({ "at": "2026-03-01T04:05:06Z" }),
        ];
        let table = NARROW.format_rows(&rows, &[("at", 0), ("id", 0)]).unwrap();
        assert!(table.starts_with("AT (+08)          ID\n"), "{table}");
        assert!(table.ends_with("2026-03-01 12:05"), "{table}");
    }

    #[test]
    fn json_escapes_invisible_characters() {
        let text = "a\u{9b}31m\x7f\u{202e}\u{e0041}\n陈";
        let json = to_json(&text).unwrap();
        assert_eq!(json, "\"a\\u009b31m\\u007f\\u202e\\udb40\\udc41\\n陈\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
    #[test]
    fn writes_whole_private_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("leads.csv");
        fs::write(&path, "before").unwrap();
        let names = || fs::read_dir(directory.path()).unwrap().count();

        let mut given_up = Target::create(Some(&path)).ok().unwrap();
        given_up.write_all(b"half").unwrap();
        given_up.flush().unwrap();
        assert_eq!(names(), 2);
        drop(given_up);
        assert_eq!(
            (names(), fs::read_to_string(&path).unwrap().as_str()),
            (1, "before")
        );

        let mut whole = Target::create(Some(&path)).ok().unwrap();
        whole.write_all(b"whole").unwrap();
        assert!(whole.finish("1 lead").is_ok());
        assert_eq!(
            (names(), fs::read_to_string(&path).unwrap().as_str()),
            (1, "whole")
        );
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let nowhere = Target::create(Some(&directory.path().join("no/leads.csv")))
            .err()
            .unwrap();
        assert!(nowhere.is::<io::Error>());
    }
}
