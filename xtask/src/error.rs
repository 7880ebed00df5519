//! Errors and their exit codes.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug)]
pub enum Error {
    /// Explains what failed and where to look.
    Failed(String),
    /// Ctrl-C or SIGTERM arrived during a step.
    Interrupted,
    /// A failure that was already printed; only sets the exit code.
    Reported,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn failed(message: impl fmt::Display) -> Self {
        Self::Failed(message.to_string())
    }

    /// `verb` is what could not be done, e.g. "write".
    pub fn file(verb: &str, path: &Path, error: &io::Error) -> Self {
        Self::Failed(format!("cannot {verb} {}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Failed(message) => message,
            Self::Interrupted => "interrupted",
            Self::Reported => "",
        })
    }
}

impl std::error::Error for Error {}

/// Prints the error unless it was already printed. Ctrl-C gives 130, as in shells.
pub fn exit(outcome: Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Reported) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("\n{error}");
            ExitCode::from(if matches!(error, Error::Interrupted) { 130 } else { 1 })
        }
    }
}
