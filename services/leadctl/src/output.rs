//! Writes to standard output and standard error: text for people, JSON for programs.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal, Write},
    path::Path,
    time::Duration,
};

use anyhow::{Result, bail};
use chrono_tz::Tz;
use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Row, Table, Width, presets};
use indicatif::{ProgressBar, ProgressStyle};
use lead::{
    field::optional_time,
    text::{breaks_line, is_hidden, single_line},
};
use prost_types::Timestamp;
use serde::Serialize;
use tokio::task::spawn_blocking;

use crate::error::Error;

/// For an unknown width of the terminal.
const DEFAULT_WIDTH: u16 = 120;

/// Narrower tables cannot be read.
const NARROWEST: u16 = 80;

/// Rows of wider tables are hard to follow.
const WIDEST: u16 = 140;

/// Cells between columns.
const GAP: u16 = 2;

/// A label and its value. An empty value is not shown.
pub(crate) type Field = (&'static str, String);

/// Texts passed to it must not contain characters that control the terminal.
pub(crate) struct Output {
    pub(crate) is_json: bool,
    /// In cells, between [`NARROWEST`] and [`WIDEST`].
    pub(crate) width: u16,
    /// For all times in text.
    pub(crate) zone: Tz,
}

impl Output {
    /// Text is as wide as the terminal.
    pub(crate) fn new(is_json: bool, zone: Tz) -> Self {
        let size = rustix::termios::tcgetwinsize(io::stdout());
        let width = size.map(|size| size.ws_col).ok().filter(|columns| *columns > 0);
        Self { is_json, width: width.unwrap_or(DEFAULT_WIDTH).clamp(NARROWEST, WIDEST), zone }
    }

    /// Text, or an indented object.
    pub(crate) fn show(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
        self.print(&if self.is_json { pretty_json(value)? } else { text() })
    }

    /// Each as [`Output::show`] does, with an empty line between texts.
    pub(crate) fn show_all<T: Serialize>(&self, values: &[T], text: impl Fn(&T) -> String) -> Result<()> {
        for (index, value) in values.iter().enumerate() {
            if index > 0 && !self.is_json {
                self.print("")?;
            }
            self.show(value, || text(value))?;
        }
        Ok(())
    }

    /// A line of text, or an object on one line.
    pub(crate) fn say(&self, value: &impl Serialize, text: &str) -> Result<()> {
        if self.is_json { self.print(&json(value)?) } else { self.print(text) }
    }

    /// A table, or `none` without rows; in JSON a line for each row.
    pub(crate) fn rows<T: Serialize>(
        &self,
        rows: &[T],
        none: &str,
        table: impl FnOnce(&[T]) -> String,
    ) -> Result<()> {
        match rows {
            rows if self.is_json => rows.iter().try_for_each(|row| self.print(&json(row)?)),
            [] => self.print(none),
            rows => self.print(&table(rows)),
        }
    }

    /// What the next question is about. Text goes to standard error, as the question does.
    pub(crate) fn announce(&self, value: &impl Serialize, text: &str) -> Result<()> {
        if self.is_json { self.print(&json(value)?) } else { self.note(text) }
    }

    pub(crate) fn print(&self, text: &str) -> Result<()> {
        Ok(writeln!(io::stdout(), "{text}")?)
    }

    /// Writes to standard error.
    pub(crate) fn note(&self, text: &str) -> Result<()> {
        Ok(writeln!(io::stderr(), "{text}")?)
    }

    /// Writes to standard error, after the program's name.
    pub(crate) fn remark(&self, text: &str) -> Result<()> {
        self.note(&format!("leadctl: {text}"))
    }

    /// Reports how much was written to a file, if to any.
    pub(crate) fn report_file(&self, count: &str, path: Option<&Path>) -> Result<()> {
        let Some(path) = path else { return Ok(()) };
        self.remark(&format!("{count} in {}", single_line(&path.display().to_string())))
    }

    /// To the second, with the zone's name. Empty without a time, as are all times.
    pub(crate) fn zoned(&self, time: Option<Timestamp>) -> String {
        match self.second(time) {
            none if none.is_empty() => none,
            time => format!("{time} {}", self.zone.name()),
        }
    }

    pub(crate) fn second(&self, time: Option<Timestamp>) -> String {
        self.time(time, "%Y-%m-%d %H:%M:%S")
    }

    pub(crate) fn minute(&self, time: Option<Timestamp>) -> String {
        self.time(time, "%Y-%m-%d %H:%M")
    }

    /// The heading of a column of times, with the zone's abbreviation at the first of them.
    pub(crate) fn heading(&self, name: &str, first: Option<Timestamp>) -> String {
        format!("{name}{}", self.time(first, " (%Z)"))
    }

    fn time(&self, time: Option<Timestamp>, format: &str) -> String {
        let time = optional_time("time", time).ok().flatten();
        time.map(|time| time.with_timezone(&self.zone).format(format).to_string()).unwrap_or_default()
    }

    /// The columns named in `wrapped` share the width that the others leave.
    pub(crate) fn table<C: Into<Cell>, R: Into<Row>>(
        &self,
        header: impl IntoIterator<Item = C>,
        wrapped: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) -> String {
        let header: Vec<Cell> = header.into_iter().map(Into::into).collect();
        let mut table = Table::new();
        table.set_header(header.clone()).add_rows(rows);
        for (column, name) in table.column_iter_mut().zip(header) {
            column.set_padding((0, GAP));
            let heading = name.content();
            column.set_constraint(if wrapped.contains(&heading.as_str()) {
                let narrowest = u16::try_from(heading.len()).unwrap_or(0) + GAP;
                ColumnConstraint::LowerBoundary(Width::Fixed(narrowest))
            } else {
                ColumnConstraint::ContentWidth
            });
        }
        self.layout(table)
    }

    /// Labels and their values, one below the other and indented.
    pub(crate) fn fields<L: ToString>(&self, fields: impl IntoIterator<Item = (L, String)>) -> String {
        let mut table = Table::new();
        let filled = fields.into_iter().filter(|(_, value)| !value.is_empty());
        table.add_rows(filled.map(|(label, value)| [label.to_string(), value]));
        for (column, indent) in table.column_iter_mut().zip([GAP, 0]) {
            column.set_padding((indent, GAP));
            if indent > 0 {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        self.layout(table)
    }

    fn layout(&self, mut table: Table) -> String {
        // The gap after the last column is trimmed.
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(self.width + GAP).trim_fmt()
    }
}

pub(crate) fn json(value: &impl Serialize) -> Result<String> {
    Ok(escape(&serde_json::to_string(value)?))
}

pub(crate) fn pretty_json(value: &impl Serialize) -> Result<String> {
    Ok(escape(&serde_json::to_string_pretty(value)?))
}

/// Escapes the invisible characters and line breaks that JSON leaves as they are.
fn escape(json: &str) -> String {
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

/// Fails unless the answer is yes, and without a terminal. Waits in another thread: the broker closes a connection that
/// sends no heartbeat for 20 s.
pub(crate) async fn confirm(question: &str) -> Result<()> {
    if !io::stdin().is_terminal() {
        bail!(Error::Usage("nothing changed: pass --yes to confirm without a terminal".to_owned()));
    }
    write!(io::stderr(), "{question} [y/N] ")?;
    let read_line = || io::stdin().lines().next().unwrap_or_else(|| Ok(String::new()));
    let answer = spawn_blocking(read_line).await??;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => bail!(Error::Declined),
    }
}

/// A bar on standard error, if that is a terminal. `unit` is a plural.
pub(crate) fn progress(unit: &str) -> ProgressBar {
    let template = format!("[{{bar:30}}] {{percent:>3}} %  {{pos}} of {{len}} {unit}");
    let style = ProgressStyle::with_template(&template).expect("a constant template is valid");
    ProgressBar::new(0).with_style(style.progress_chars("##."))
}

pub(crate) fn counted(number: impl TryInto<u64>, one: &str, several: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {}", if number == 1 { one } else { several })
}

/// A duration to the second, from an hour on to the minute.
pub(crate) fn span(seconds: i64) -> String {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    let seconds = if seconds < 3600 { seconds } else { seconds - seconds % 60 };
    humantime::format_duration(Duration::from_secs(seconds)).to_string()
}

#[cfg(test)]
pub(crate) use self::tests::NARROW;

#[cfg(test)]
mod tests {
    use super::*;

    /// Eighty columns in Singapore.
    pub(crate) const NARROW: Output = Output { is_json: false, width: NARROWEST, zone: Tz::Asia__Singapore };

    #[test]
    fn json_escapes_invisible_characters() {
        let text = "a\u{9b}31m\x7f\u{202e}\u{e0041}\n陈";
        let json = json(&text).unwrap();
        assert_eq!(json, "\"a\\u009b31m\\u007f\\u202e\\udb40\\udc41\\n陈\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn long_spans_have_no_seconds() {
        for (seconds, text) in
            [(0, "0s"), (59, "59s"), (61, "1m 1s"), (3661, "1h 1m"), (90_061, "1day 1h 1m")]
        {
            assert_eq!(span(seconds), text);
        }
    }
}
