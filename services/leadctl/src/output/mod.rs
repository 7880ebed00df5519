//! What is written: for people, or for programs.

mod columns;
mod detail;
mod json;
mod parked;
mod table;
mod text;
mod timeline;

pub(crate) use text::one_line;

use std::io::{self, Stdout, Write};

use crate::{
    error::Error,
    lead::{FullLead, Lead},
    parked::Message,
};

/// As wide as a line is when nobody says how wide the terminal is.
const DEFAULT_WIDTH: u16 = 120;

/// Standard output.
pub(crate) struct Output {
    stdout: Stdout,
    json: bool,
    width: u16,
    has_header: bool,
}

impl Output {
    /// JSON, or text as wide as the terminal.
    pub(crate) fn new(json: bool) -> Self {
        let size = rustix::termios::tcgetwinsize(io::stdout());
        let width = size.map(|size| size.ws_col).ok().filter(|columns| *columns > 0).unwrap_or(DEFAULT_WIDTH);
        Self { stdout: io::stdout(), json, width, has_header: false }
    }

    /// Some more leads of a list.
    pub(crate) fn leads(&mut self, leads: &[Lead]) -> Result<(), Error> {
        let mut stdout = self.stdout.lock();
        if self.json {
            for lead in leads {
                writeln!(stdout, "{}", json::line(lead))?;
            }
        } else if !leads.is_empty() {
            let with_header = !std::mem::replace(&mut self.has_header, true);
            writeln!(stdout, "{}", table::render(leads, self.width, with_header))?;
        }
        Ok(stdout.flush()?)
    }

    /// There are no more leads in the list.
    pub(crate) fn end_of_list(&mut self) -> Result<(), Error> {
        if !self.json && !self.has_header {
            writeln!(self.stdout, "No leads yet.")?;
        }
        Ok(())
    }

    /// One lead, with all that is known of it.
    pub(crate) fn lead(&mut self, lead: &FullLead) -> Result<(), Error> {
        let text = if self.json { json::pretty(lead) } else { detail::render(lead, self.width) };
        Ok(writeln!(self.stdout, "{text}")?)
    }

    /// Says that it is now a matter of waiting; not on standard output, which is the leads'.
    pub(crate) fn watching(&self) -> Result<(), Error> {
        Ok(writeln!(io::stderr(), "Watching for leads; Ctrl-C ends it.")?)
    }

    /// What is parked.
    pub(crate) fn parked(&mut self, messages: &[Message]) -> Result<(), Error> {
        if self.json {
            for message in messages {
                writeln!(self.stdout, "{}", json::line(message))?;
            }
        } else if messages.is_empty() {
            writeln!(self.stdout, "Nothing is parked.")?;
        } else {
            writeln!(self.stdout, "{}", parked::table(messages, self.width))?;
        }
        Ok(())
    }

    /// Parked messages, with all that is known of them.
    pub(crate) fn parked_in_full(&mut self, messages: &[Message]) -> Result<(), Error> {
        let texts: Vec<_> = messages
            .iter()
            .map(|message| if self.json { json::message(message) } else { parked::full(message, self.width) })
            .collect();
        Ok(writeln!(self.stdout, "{}", texts.join(if self.json { "\n" } else { "\n\n" }))?)
    }

    /// Parked messages that are parked no more.
    pub(crate) fn moved(&mut self, messages: &[Message], done: &str) -> Result<(), Error> {
        if self.json {
            return self.parked(messages);
        }
        if !messages.is_empty() {
            writeln!(self.stdout, "{}\n", parked::table(messages, self.width))?;
        }
        let noun = if messages.len() == 1 { "message" } else { "messages" };
        Ok(writeln!(self.stdout, "{done}: {} {noun}.", messages.len())?)
    }

    /// Something to know beside what was asked for; not on standard output.
    pub(crate) fn remark(&self, text: &str) -> Result<(), Error> {
        Ok(writeln!(io::stderr(), "leadctl: {text}")?)
    }
}
