//! Progress on standard error, as plain lines: when a step starts, every 15 seconds, and when it ends.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

const REMINDER: Duration = Duration::from_secs(15);

/// Prints steps, which may run in parallel.
#[derive(Clone, Debug)]
pub struct Progress;

/// A running step.
#[derive(Debug, Default)]
pub struct Step {
    detail: Mutex<String>,
}

impl Progress {
    pub fn line(&self, text: &str) {
        // A terminal that was closed must not stop the system.
        let _ignored = writeln!(io::stderr(), "{text}");
    }

    /// Runs a step in this thread.
    pub fn run<T>(&self, title: &str, work: impl FnOnce(&Step) -> Result<T>) -> Result<T> {
        self.line(&format!("… {title}"));
        let started = Instant::now();
        let step = Step::default();
        let (running, ended) = mpsc::channel::<()>();
        let outcome = thread::scope(|scope| {
            scope.spawn(|| {
                let ended = ended;
                while ended.recv_timeout(REMINDER) == Err(RecvTimeoutError::Timeout) {
                    self.line(&format!(
                        "… {title}, {} so far{}",
                        elapsed(started.elapsed()),
                        step.shown_detail()
                    ));
                }
            });
            let outcome = work(&step);
            drop(running);
            outcome
        });
        let mark = match &outcome {
            Ok(_) => '✓',
            Err(Error::Interrupted) => '–',
            Err(_) => '✗',
        };
        self.line(&format!("{mark} {title:<50} {:>10}", elapsed(started.elapsed())));
        outcome
    }
}

impl Step {
    /// What the step does now, for the next reminder.
    pub fn detail(&self, text: &str) {
        text.clone_into(&mut self.detail.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn shown_detail(&self) -> String {
        match self.detail.lock().unwrap_or_else(PoisonError::into_inner).as_str() {
            "" => String::new(),
            detail => format!(": {detail}"),
        }
    }
}

/// A readable duration: `0.4 s`, `12.0 s`, `3 min 05 s`.
pub fn elapsed(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}
