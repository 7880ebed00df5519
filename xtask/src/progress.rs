//! Progress on standard error: a ticking line on a terminal, plain lines elsewhere.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

const TICK: Duration = Duration::from_millis(120);
const REMINDER: Duration = Duration::from_secs(15);
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const WIDTH: usize = 78;

/// Prints steps as they start, run and end. Clones share the output; steps may run in parallel.
#[derive(Clone)]
pub struct Progress {
    board: Arc<Mutex<Board>>,
}

struct Board {
    terminal: bool,
    running: Vec<Running>,
    ended: Vec<Ended>,
    next_id: u64,
    frame: usize,
}

struct Running {
    id: u64,
    title: String,
    detail: String,
    started: Instant,
    reminded: Instant,
}

pub struct Ended {
    pub title: String,
    pub took: Duration,
}

pub struct Step {
    board: Arc<Mutex<Board>>,
    id: u64,
}

impl Progress {
    pub fn to_stderr() -> Self {
        let terminal = io::stderr().is_terminal();
        let board = Arc::new(Mutex::new(Board {
            terminal,
            running: Vec::new(),
            ended: Vec::new(),
            next_id: 0,
            frame: 0,
        }));
        let ticking = Arc::downgrade(&board);
        thread::spawn(move || tick(&ticking));
        Self { board }
    }

    pub fn line(&self, text: &str) {
        lock(&self.board).print(text);
    }

    /// The steps that ended since the previous call, in order.
    pub fn take_ended(&self) -> Vec<Ended> {
        std::mem::take(&mut lock(&self.board).ended)
    }

    /// Runs a step and prints its start, reminders and result.
    pub fn run<T>(&self, title: &str, work: impl FnOnce(&Step) -> Result<T>) -> Result<T> {
        let step = Step { board: Arc::clone(&self.board), id: lock(&self.board).start(title) };
        let result = work(&step);
        let mark = match &result {
            Ok(_) => "✓",
            Err(Error::Interrupted) => "-",
            Err(Error::CommandLine(_) | Error::Usage(_) | Error::Failed(_) | Error::Reported) => "✗",
        };
        lock(&self.board).end(step.id, mark);
        result
    }
}

impl Step {
    /// The current activity, shown while the step runs.
    pub fn detail(&self, text: &str) {
        let mut board = lock(&self.board);
        if let Some(running) = board.running.iter_mut().find(|running| running.id == self.id) {
            running.detail = text.to_owned();
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

impl Board {
    fn start(&mut self, title: &str) -> u64 {
        let now = Instant::now();
        let id = self.next_id;
        self.next_id += 1;
        self.running.push(Running {
            id,
            title: title.to_owned(),
            detail: String::new(),
            started: now,
            reminded: now,
        });
        if self.terminal {
            self.draw();
        } else {
            self.print(&format!("… {title}"));
        }
        id
    }

    fn end(&mut self, id: u64, mark: &str) {
        let Some(position) = self.running.iter().position(|running| running.id == id) else { return };
        let Running { title, started, .. } = self.running.remove(position);
        let took = started.elapsed();
        let mut text = format!("{mark} {title}");
        let gap = 52usize.saturating_sub(text.chars().count()).max(2);
        let _infallible = write!(text, "{:gap$}{:>10}", "", elapsed(took));
        self.print(&text);
        self.ended.push(Ended { title, took });
    }

    fn print(&mut self, text: &str) {
        let mut stderr = io::stderr().lock();
        let clear = if self.terminal { "\r\x1b[2K" } else { "" };
        // Losing the terminal must not stop the stack.
        let _ignored = writeln!(stderr, "{clear}{text}");
        drop(stderr);
        self.draw();
    }

    fn draw(&mut self) {
        if !self.terminal {
            return;
        }
        let mut text = String::new();
        if let Some(last) = self.running.last() {
            text.push_str(SPINNER[self.frame % SPINNER.len()]);
            for (position, running) in self.running.iter().enumerate() {
                let separator = if position == 0 { " " } else { " · " };
                let _infallible =
                    write!(text, "{separator}{} {} s", running.title, running.started.elapsed().as_secs());
            }
            if !last.detail.is_empty() {
                let _infallible = write!(text, " — {}", last.detail);
            }
        }
        let text: String = text.chars().filter(|character| !character.is_control()).take(WIDTH).collect();
        let mut stderr = io::stderr().lock();
        let _ignored = write!(stderr, "\r\x1b[2K{text}").and_then(|()| stderr.flush());
    }

    fn remind(&mut self) {
        let now = Instant::now();
        let mut lines = Vec::new();
        for running in &mut self.running {
            if now.duration_since(running.reminded) >= REMINDER {
                running.reminded = now;
                let detail = if running.detail.is_empty() {
                    String::new()
                } else {
                    format!(" — {}", running.detail)
                };
                lines.push(format!(
                    "… {} ({} s){detail}",
                    running.title,
                    running.started.elapsed().as_secs()
                ));
            }
        }
        for line in lines {
            self.print(&line);
        }
    }
}

fn tick(board: &Weak<Mutex<Board>>) {
    while let Some(board) = board.upgrade() {
        {
            let mut board = lock(&board);
            board.frame += 1;
            if board.terminal {
                if !board.running.is_empty() {
                    board.draw();
                }
            } else {
                board.remind();
            }
        }
        drop(board);
        thread::sleep(TICK);
    }
}

fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_read_in_minutes() {
        assert_eq!(elapsed(Duration::from_millis(420)), "0.4 s");
        assert_eq!(elapsed(Duration::from_secs(185)), "3 min 05 s");
    }
}
