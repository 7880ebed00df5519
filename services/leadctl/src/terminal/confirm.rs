//! Asks for confirmation at the terminal.

use std::io::{self, IsTerminal, Write};

use tokio::task::spawn_blocking;

use crate::error::Error;

/// Fails unless the answer is yes, and without a terminal. Waits in another thread: the broker closes a connection that
/// sends no heartbeat for 20 s.
pub(crate) async fn confirm(question: &str) -> Result<(), Error> {
    if !io::stdin().is_terminal() {
        return Err(Error::NotConfirmed);
    }
    let mut stderr = io::stderr();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let read = || io::stdin().lines().next().unwrap_or_else(|| Ok(String::new()));
    let answer = spawn_blocking(read).await.map_err(io::Error::other)??;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::Declined),
    }
}
