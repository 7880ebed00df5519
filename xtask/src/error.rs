//! Errors and their exit codes.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug)]
pub enum Error {
    /// The command line is wrong or requests help.
    CommandLine(clap::Error),
    /// An argument or variable is wrong; the text explains the correct form.
    Usage(String),
    /// An operation failed; the text explains which and where to look.
    Failed(String),
    /// Ctrl-C or SIGTERM arrived during a step.
    Interrupted,
    /// A failure that was already reported; only sets the exit code.
    Reported,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// Converts another error to text.
    pub fn of(error: impl fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// `what` is a verb, e.g. "write".
    pub fn file(what: &str, path: &Path, error: &io::Error) -> Self {
        Self::Failed(format!("cannot {what} {}: {error}", path.display()))
    }

    /// 64 for usage errors, as in sysexits.h; 130 for Ctrl-C, as in shells.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::CommandLine(error) if !error.use_stderr() => 0,
            Self::CommandLine(_) | Self::Usage(_) => 64,
            Self::Failed(_) | Self::Reported => 1,
            Self::Interrupted => 130,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine(error) => error.fmt(formatter),
            Self::Usage(message) | Self::Failed(message) => formatter.write_str(message),
            Self::Interrupted => formatter.write_str("interrupted"),
            Self::Reported => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<clap::Error> for Error {
    fn from(error: clap::Error) -> Self {
        Self::CommandLine(error)
    }
}

/// Prints the error unless it was already reported, and returns the exit code.
pub fn exit(outcome: Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    match &error {
        Error::CommandLine(error) => drop(error.print()),
        Error::Usage(_) | Error::Failed(_) | Error::Interrupted => eprintln!("\n{error}"),
        Error::Reported => {}
    }
    ExitCode::from(error.exit_code())
}
