//! Writes to standard output and standard error: text for people, JSON for programs.

mod chart;
mod columns;
mod confirm;
pub(crate) mod json;
mod progress;
mod text;
mod view;

#[cfg(test)]
pub(crate) use self::view::NARROW;
pub(crate) use self::{
    chart::chart,
    columns::{Field, GAP, INDENT, LABEL, columns, fields, indented, table},
    confirm::confirm,
    progress::Progress,
    text::{counted, span},
    view::View,
};
pub(crate) use lead::text::{several_lines, single_line};

use std::{
    io::{self, Write},
    path::Path,
};

use chrono_tz::Tz;
use runtime::config::Source;
use serde::Serialize;

use crate::error::Error;

/// For an unknown width of the terminal.
const DEFAULT_WIDTH: u16 = 120;

/// Shown as text or as JSON.
pub(crate) trait Render: Serialize {
    /// Must not contain characters that control the terminal.
    fn text(&self, view: &View) -> String;

    fn json(&self) -> String {
        json::pretty(self)
    }
}

/// One after the other, in full.
impl<T: Render> Render for [T] {
    fn text(&self, view: &View) -> String {
        self.iter().map(|it| it.text(view)).collect::<Vec<_>>().join("\n\n")
    }

    fn json(&self) -> String {
        self.iter().map(Render::json).collect::<Vec<_>>().join("\n")
    }
}

pub(crate) struct Terminal {
    pub(crate) is_json: bool,
    pub(crate) view: View,
}

impl Terminal {
    /// Text is as wide as the terminal, in the characters of the environment's locale.
    pub(crate) fn new(is_json: bool, zone: Tz, environment: &dyn Source) -> Self {
        let size = rustix::termios::tcgetwinsize(io::stdout());
        let width = size.map(|size| size.ws_col).ok().filter(|columns| *columns > 0).unwrap_or(DEFAULT_WIDTH);
        Self { is_json, view: View::new(width, zone, environment) }
    }

    pub(crate) fn show(&self, what: &(impl Render + ?Sized)) -> Result<(), Error> {
        self.print(&if self.is_json { what.json() } else { what.text(&self.view) })
    }

    /// A table, or `none` without rows; in JSON a line for each row.
    pub(crate) fn rows<T: Serialize>(
        &self,
        rows: &[T],
        none: &str,
        table: impl FnOnce(&[T], &View) -> String,
    ) -> Result<(), Error> {
        match rows {
            rows if self.is_json => rows.iter().try_for_each(|row| self.print(&json::line(row))),
            [] => self.print(none),
            rows => self.print(&table(rows, &self.view)),
        }
    }

    /// Shows an outcome in one line.
    pub(crate) fn say(&self, text: &str, json: &impl Serialize) -> Result<(), Error> {
        if self.is_json { self.print(&json::line(json)) } else { self.print(text) }
    }

    /// Writes a text that is safe for a terminal.
    pub(crate) fn print(&self, text: &str) -> Result<(), Error> {
        Ok(writeln!(io::stdout(), "{text}")?)
    }

    /// Writes to standard error.
    pub(crate) fn note(&self, text: &str) -> Result<(), Error> {
        Ok(writeln!(io::stderr(), "{text}")?)
    }

    /// Reports on standard error how much was written to a file.
    pub(crate) fn written(&self, count: &str, path: &Path) -> Result<(), Error> {
        self.remark(&format!("{count} in {}", single_line(&path.display().to_string())))
    }

    /// Writes to standard error, after the program's name.
    pub(crate) fn remark(&self, text: &str) -> Result<(), Error> {
        self.note(&format!("leadctl: {text}"))
    }
}
