//! What can go wrong, and the exit code that says so.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// A failed command.
#[derive(Debug)]
pub enum Error {
    /// The command line is wrong, or asks for help.
    CommandLine(clap::Error),
    /// An argument or a variable is wrong; the text says what to write instead.
    Usage(String),
    /// Something on this machine or in this checkout failed; the text says what and where to look.
    Failed(String),
    /// Ctrl-C or SIGTERM arrived while a step was running.
    Interrupted,
    /// Something failed and was reported already; only the exit code is left to say.
    Reported,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A failure with a message for the person at the terminal.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// A failure of something with an error of its own.
    pub fn of(error: impl fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// A failed operation on a file: `what` is a verb, as in "write".
    pub fn file(what: &str, path: &Path, error: &io::Error) -> Self {
        Self::Failed(format!("cannot {what} {}: {error}", path.display()))
    }

    /// The process's exit code: 64 for usage, as in sysexits.h, 130 as a shell reports Ctrl-C.
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

/// Says on the terminal what failed, unless that was reported already.
pub fn exit(outcome: Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    match &error {
        Error::CommandLine(error) => drop(error.print()),
        Error::Usage(_) | Error::Failed(_) | Error::Interrupted => eprintln!("\n{error}"),
        Error::Reported => {}
    }
    ExitCode::from(error.exit_code())
}
