//! What is written: for people, or for programs.

mod chart;
mod columns;
mod dead;
mod dead_letters;
mod detail;
mod json;
mod person;
#[cfg(test)]
mod samples;
mod stats;
mod table;
mod text;
mod timeline;

pub(crate) use json::{line, pretty};
pub(crate) use text::{counted, one_line, plain};

use std::{
    io::{self, Stdout, Write},
    path::Path,
};

use chrono_tz::Tz;
use runtime::config::Source;
use serde::Serialize;
use serde_json::json;

use crate::{
    canary::Arrival,
    dead::{DeadDelivery, DeadList},
    dead_letters::Message,
    error::Error,
    lead::{FullLead, Lead, Progress},
    person::{Erased, Found},
    stats::Stats,
};

/// As wide as a line is when nobody says how wide the terminal is.
const DEFAULT_WIDTH: u16 = 120;

/// Standard output.
pub(crate) struct Output {
    stdout: Stdout,
    json: bool,
    width: u16,
    zone: Tz,
    in_unicode: bool,
    has_header: bool,
}

impl Output {
    /// JSON, or text as wide as the terminal, in what the environment says it can show.
    pub(crate) fn new(json: bool, zone: Tz, environment: &dyn Source) -> Self {
        let size = rustix::termios::tcgetwinsize(io::stdout());
        let width = size.map(|size| size.ws_col).ok().filter(|columns| *columns > 0).unwrap_or(DEFAULT_WIDTH);
        let in_unicode = shows_unicode(environment);
        Self { stdout: io::stdout(), json, width, zone, in_unicode, has_header: false }
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
            writeln!(stdout, "{}", table::render(leads, self.width, self.zone, with_header))?;
        }
        Ok(stdout.flush()?)
    }

    /// There are no more leads in the list.
    pub(crate) fn end_of_list(&mut self) -> Result<(), Error> {
        if !self.json && !self.has_header {
            writeln!(self.stdout, "No leads.")?;
        }
        Ok(())
    }

    /// One lead, with all that is known of it.
    pub(crate) fn lead(&mut self, lead: &FullLead) -> Result<(), Error> {
        let text = if self.json { json::pretty(lead) } else { detail::render(lead, self.width, self.zone) };
        Ok(writeln!(self.stdout, "{text}")?)
    }

    /// How far a lead has come now.
    pub(crate) fn progress(&mut self, lead: &Lead, progress: &Progress) -> Result<(), Error> {
        let submission = &lead.submission;
        let text = if self.json {
            line(&json!({ "id": submission.id, "reference": submission.reference, "progress": progress }))
        } else {
            let reference = &submission.reference;
            format!("{reference}  {}", detail::progress(progress, self.zone).replace('\n', "; "))
        };
        self.text(&text)
    }

    /// How many leads there were.
    pub(crate) fn stats(&mut self, stats: &Stats) -> Result<(), Error> {
        let text = if self.json { pretty(stats) } else { stats::render(stats, self.in_unicode) };
        self.text(&text)
    }

    /// How a canary came through.
    pub(crate) fn arrival(&mut self, arrival: &Arrival) -> Result<(), Error> {
        if self.json {
            return self.text(&line(arrival));
        }
        let Arrival { id: _, reference, accepted_seconds, stored_seconds, mailed_seconds } = arrival;
        let reference = one_line(reference);
        self.text(&format!(
            "{reference}  accepted after {accepted_seconds:.2} s, stored after {stored_seconds:.2} s, mailed after {mailed_seconds:.2} s"
        ))
    }

    /// What there is of a person; for people beside the question that follows, which is not on standard output.
    pub(crate) fn found(&mut self, found: &Found) -> Result<(), Error> {
        if self.json {
            return self.text(&line(&json!({ "found": person::found_json(found) })));
        }
        Ok(writeln!(io::stderr(), "{}", person::found(found, self.zone))?)
    }

    /// What was erased of a person.
    pub(crate) fn erased(&mut self, erased: &Erased) -> Result<(), Error> {
        let text = if self.json { line(&json!({ "erased": erased })) } else { person::erased(erased) };
        self.text(&text)
    }

    /// So many leads are in a file now; not on standard output.
    pub(crate) fn written(&self, leads: usize, path: &Path) -> Result<(), Error> {
        let leads = counted(leads as u64, "lead", "leads");
        self.remark(&format!("{leads} in {}", one_line(&path.display().to_string())))
    }

    /// A text that is safe already.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Error> {
        Ok(writeln!(self.stdout, "{text}")?)
    }

    /// Says that it is now a matter of waiting; not on standard output, which is the leads'.
    pub(crate) fn watching(&self) -> Result<(), Error> {
        Ok(writeln!(io::stderr(), "Watching for leads; Ctrl-C ends it.")?)
    }

    /// The oldest dead deliveries, and how many there are when that is not all of them.
    pub(crate) fn dead(&mut self, list: &DeadList) -> Result<(), Error> {
        let DeadList { deliveries, total } = list;
        self.rows(deliveries, dead::table, "No delivery is dead.")?;
        let shown = deliveries.len() as u64;
        if *total > shown { self.remark(&format!("{shown} of {total} shown.")) } else { Ok(()) }
    }

    /// The dead deliveries of one lead, with all that is known of them.
    pub(crate) fn dead_in_full(&mut self, deliveries: &[DeadDelivery]) -> Result<(), Error> {
        self.each(deliveries, pretty, dead::full)
    }

    /// How many deliveries are dead no more.
    pub(crate) fn decided(&mut self, count: u64, done: &str) -> Result<(), Error> {
        if self.json {
            return self.text(&line(&json!({ done: count })));
        }
        self.text(&format!("{} {done}.", counted(count, "delivery", "deliveries")))
    }

    /// What lies in the dead-letter queues.
    pub(crate) fn dead_letters(&mut self, messages: &[Message]) -> Result<(), Error> {
        self.rows(messages, dead_letters::table, "No dead letters.")
    }

    /// Dead letters, with all that is known of them.
    pub(crate) fn dead_letters_in_full(&mut self, messages: &[Message]) -> Result<(), Error> {
        self.each(messages, json::message, dead_letters::full)
    }

    /// Dead letters that lie there no more.
    pub(crate) fn decided_letters(&mut self, messages: &[Message], done: &str) -> Result<(), Error> {
        if self.json || !messages.is_empty() {
            self.dead_letters(messages)?;
        }
        if self.json {
            return Ok(());
        }
        self.text(&format!("\n{} {done}.", counted(messages.len() as u64, "message", "messages")))
    }

    /// A table, or an object of JSON to a line.
    fn rows<T: Serialize>(
        &mut self,
        rows: &[T],
        table: impl Fn(&[T], u16, Tz) -> String,
        none: &str,
    ) -> Result<(), Error> {
        if self.json {
            return rows.iter().try_for_each(|row| self.text(&line(row)));
        }
        let text = if rows.is_empty() { none.to_owned() } else { table(rows, self.width, self.zone) };
        self.text(&text)
    }

    /// One after the other, in full.
    fn each<T>(
        &mut self,
        all: &[T],
        json: impl Fn(&T) -> String,
        text: impl Fn(&T, u16, Tz) -> String,
    ) -> Result<(), Error> {
        let one = |it: &T| if self.json { json(it) } else { text(it, self.width, self.zone) };
        let texts: Vec<_> = all.iter().map(one).collect();
        self.text(&texts.join(if self.json { "\n" } else { "\n\n" }))
    }

    /// Something to know beside what was asked for; not on standard output.
    pub(crate) fn remark(&self, text: &str) -> Result<(), Error> {
        Ok(writeln!(io::stderr(), "leadctl: {text}")?)
    }
}

/// Whether the locale says so, as C programs read it.
fn shows_unicode(environment: &dyn Source) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| environment.var(name));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_locale_says_whether_there_is_more_than_ascii() {
        let with = |vars: &[(&str, &str)]| {
            let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            shows_unicode(&vars.collect::<BTreeMap<_, _>>())
        };
        assert!(with(&[("LANG", "en_SG.UTF-8")]) && with(&[("LC_CTYPE", "C.utf8"), ("LANG", "C")]));
        assert!(
            !with(&[]) && !with(&[("LANG", "C")]) && !with(&[("LC_ALL", "POSIX"), ("LANG", "en_SG.UTF-8")])
        );
    }
}
