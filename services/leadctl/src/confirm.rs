//! Asking the person at the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::error::Error;

/// Whether the answer to a question is yes; an error when it is not, or when there is nobody to ask.
pub(crate) fn confirm(question: &str) -> Result<(), Error> {
    if !io::stdin().is_terminal() {
        return Err(Error::NotConfirmed);
    }
    let mut stderr = io::stderr();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::Declined),
    }
}
