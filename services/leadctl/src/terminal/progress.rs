//! Shows a bar on standard error during long work, if that is a terminal.

use std::io::{self, IsTerminal, Write};

use chrono::{DateTime, TimeDelta, Utc};
use runtime::clock::Clock;

use crate::error::Error;

/// Shorter work has no bar.
const DELAY: TimeDelta = TimeDelta::seconds(1);

const INTERVAL: TimeDelta = TimeDelta::milliseconds(200);

const WIDTH: u64 = 30;

/// Goes to the beginning of the line and clears it.
const CLEAR: &str = "\r\x1b[K";

pub(crate) struct Progress<'a, C> {
    unit: &'static str,
    clock: &'a C,
    next: DateTime<Utc>,
    is_terminal: bool,
    is_shown: bool,
}

impl<'a, C: Clock> Progress<'a, C> {
    /// `unit` is a plural.
    pub(crate) fn new(unit: &'static str, clock: &'a C) -> Self {
        let next = clock.now() + DELAY;
        Self { unit, clock, next, is_terminal: io::stderr().is_terminal(), is_shown: false }
    }

    pub(crate) fn at(&mut self, done: u64, total: u64) -> Result<(), Error> {
        if !self.is_terminal || self.clock.now() < self.next {
            return Ok(());
        }
        self.next = self.clock.now() + INTERVAL;
        self.is_shown = true;
        let mut stderr = io::stderr();
        write!(stderr, "{CLEAR}{}", bar(done, total, self.unit))?;
        Ok(stderr.flush()?)
    }

    /// Removes the bar.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        if std::mem::take(&mut self.is_shown) {
            write!(io::stderr(), "{CLEAR}")?;
        }
        Ok(())
    }
}

fn bar(done: u64, total: u64, unit: &str) -> String {
    if total == 0 {
        return format!("{done} {unit}");
    }
    let done = done.min(total);
    let filled = done * WIDTH / total;
    let cells: String = (0..WIDTH).map(|cell| if cell < filled { '#' } else { '.' }).collect();
    format!("[{cells}] {:3} %  {done} of {total} {unit}", done * 100 / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_far_it_is() {
        assert_eq!(bar(0, 10, "leads"), "[..............................]   0 %  0 of 10 leads");
        assert_eq!(
            bar(50_000, 100_000, "leads"),
            "[###############...............]  50 %  50000 of 100000 leads"
        );
        assert_eq!(bar(11, 10, "leads"), "[##############################] 100 %  10 of 10 leads");
        assert_eq!(bar(7, 0, "leads"), "7 leads");
    }
}
