//! How far a long export is, for the person at the terminal.

use std::io::{self, IsTerminal, Write};

use chrono::{DateTime, TimeDelta, Utc};
use runtime::clock::Clock;

use crate::error::Error;

/// What is over sooner needs no bar.
const TIMEOUT: TimeDelta = TimeDelta::seconds(1);

/// How often the bar moves.
const INTERVAL: TimeDelta = TimeDelta::milliseconds(200);

/// How often the clock is looked at, in leads.
const STEP: usize = 64;

/// Cells of the bar.
const WIDTH: u64 = 30;

/// Goes to the beginning of the line and clears it.
const CLEAR: &str = "\r\x1b[K";

/// A bar on standard error; none when that is no terminal.
pub(super) struct Progress {
    next: DateTime<Utc>,
    is_wanted: bool,
    is_shown: bool,
}

impl Progress {
    /// Of something that begins now.
    pub(super) fn new(now: DateTime<Utc>) -> Self {
        Self { next: now + TIMEOUT, is_wanted: io::stderr().is_terminal(), is_shown: false }
    }

    /// So many of so many are done.
    pub(super) fn at(&mut self, done: usize, total: u64, clock: &impl Clock) -> Result<(), Error> {
        if !self.is_wanted || !done.is_multiple_of(STEP) || clock.now() < self.next {
            return Ok(());
        }
        self.next = clock.now() + INTERVAL;
        self.is_shown = true;
        let mut stderr = io::stderr();
        write!(stderr, "{CLEAR}{}", bar(u64::try_from(done).unwrap_or(u64::MAX), total))?;
        Ok(stderr.flush()?)
    }

    /// Takes the bar away.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.is_shown) {
            write!(io::stderr(), "{CLEAR}")?;
        }
        Ok(())
    }
}

fn bar(done: u64, total: u64) -> String {
    if total == 0 {
        return format!("{done} leads");
    }
    let done = done.min(total);
    let filled = done * WIDTH / total;
    let cells: String = (0..WIDTH).map(|cell| if cell < filled { '#' } else { '.' }).collect();
    format!("[{cells}] {:3} %  {done} of {total} leads", done * 100 / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_far_it_is() {
        assert_eq!(bar(0, 10), "[..............................]   0 %  0 of 10 leads");
        assert_eq!(bar(50_000, 100_000), "[###############...............]  50 %  50000 of 100000 leads");
        assert_eq!(bar(11, 10), "[##############################] 100 %  10 of 10 leads");
        assert_eq!(bar(7, 0), "7 leads");
    }
}
