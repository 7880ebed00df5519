//! Append-only journals of visitors' requests and of the mail server's decisions.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use runtime::clock::{Clock, SystemClock};
use uuid::Uuid;
use xtask::error::{Error, Result};

/// Milliseconds since 1970, by the clock common to all processes of a run.
pub(crate) type Millis = i64;

pub(crate) fn now() -> Millis {
    SystemClock.now().timestamp_millis()
}

pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|error| Error::file("open", path, &error))?;
        Ok(Self { path: path.to_owned(), file: Mutex::new(file) })
    }

    pub(crate) fn append(&self, line: &str) -> std::io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(format!("{line}\n").as_bytes())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Calls `each` for every line that parses; a line truncated by a kill is skipped.
pub(crate) fn read<T>(path: &Path, parse: fn(&str) -> Option<T>, mut each: impl FnMut(T)) -> Result<()> {
    let file = File::open(path).map_err(|error| Error::file("read", path, &error))?;
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|error| Error::file("read", path, &error))?;
        if let Some(entry) = parse(&line) {
            each(entry);
        }
    }
    Ok(())
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// A visitor submitted the form. `variant` distinguishes payloads with the same key.
    Submitted { at: Millis, key: Uuid, variant: u8 },
    /// A request ended. `status` is `None` when the connection broke.
    Answered { at: Millis, key: Uuid, variant: u8, attempt: u32, took: Millis, status: Option<u16> },
}

impl Visit {
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Submitted { at, key, variant } => format!("{at} submitted {key} {variant}"),
            Self::Answered { at, key, variant, attempt, took, status } => {
                let status = status.map_or_else(|| "broken".to_owned(), |status| status.to_string());
                format!("{at} answered {key} {variant} {attempt} {took} {status}")
            }
        }
    }

    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let at = words.next()?.parse().ok()?;
        let kind = words.next()?;
        let key = words.next()?.parse().ok()?;
        let variant = words.next()?.parse().ok()?;
        let visit = match kind {
            "submitted" => Self::Submitted { at, key, variant },
            "answered" => Self::Answered {
                at,
                key,
                variant,
                attempt: words.next()?.parse().ok()?,
                took: words.next()?.parse().ok()?,
                status: match words.next()? {
                    "broken" => None,
                    status => Some(status.parse().ok()?),
                },
            },
            _ => return None,
        };
        words.next().is_none().then_some(visit)
    }
}

/// A line of the mail server's journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mailed {
    pub(crate) at: Millis,
    /// True if the mail was accepted, false if it was permanently refused.
    pub(crate) taken: bool,
    /// The part of the Message-ID before its `@`.
    pub(crate) id: Uuid,
    pub(crate) recipient: String,
}

impl Mailed {
    pub(crate) fn line(&self) -> String {
        let verdict = if self.taken { "taken" } else { "refused" };
        format!("{} {verdict} {} {}", self.at, self.id, self.recipient)
    }

    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let at = words.next()?.parse().ok()?;
        let taken = match words.next()? {
            "taken" => true,
            "refused" => false,
            _ => return None,
        };
        let id = words.next()?.parse().ok()?;
        let recipient = words.next().filter(|recipient| recipient.contains('@'))?.to_owned();
        words.next().is_none().then_some(Self { at, taken, id, recipient })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let key = Uuid::from_u128(7);
        for visit in [
            Visit::Submitted { at: 1, key, variant: 0 },
            Visit::Answered { at: 2, key, variant: 1, attempt: 3, took: 40, status: Some(202) },
            Visit::Answered { at: 2, key, variant: 1, attempt: 3, took: 40, status: None },
        ] {
            assert_eq!(Visit::parse(&visit.line()), Some(visit));
        }
        let mailed = Mailed { at: 5, taken: true, id: key, recipient: "a@b.example".to_owned() };
        assert_eq!(Mailed::parse(&mailed.line()), Some(mailed));
    }

    #[test]
    fn a_line_cut_off_by_a_kill_is_no_entry() {
        let line = Mailed { at: 5, taken: true, id: Uuid::nil(), recipient: "a@b".to_owned() }.line();
        for length in 0..line.len() - 2 {
            assert_eq!(Mailed::parse(&line[..length]), None, "{length}");
        }
        assert_eq!(Visit::parse("12 answered"), None);
    }
}
