//! Command-line client of the CRM, and of the broker for its dead letters.

mod arguments;
mod broker;
mod cli;
mod commands;
mod config;
mod crm;
mod output;
mod site;
#[cfg(test)]
mod tests;
mod time;

use std::{
    io::{self, ErrorKind},
    process::ExitCode,
};

use anyhow::anyhow;
use clap::Parser;
use tokio::runtime::Builder;

use crate::cli::Cli;

/// Exit codes: those of sysexits.h, 1 without a match or confirmation, and 130 after Ctrl-C, as in shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// No lead, person, delivery or message matches, or several do, or the user declined.
    NoMatch = 1,
    /// Invalid arguments, or an entry of the configuration is missing or invalid.
    Usage = 64,
    Unreachable = 69,
    /// The CRM, the broker or the site fails or violates its contract.
    Failed = 70,
    Output = 74,
    /// The canary did not arrive in time.
    Late = 75,
    Denied = 77,
    Interrupted = 130,
}

/// An error with an exit status. The message ends with instructions, and `anyhow` adds the failed step.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Error {
    exit: Exit,
    message: String,
}

impl Exit {
    fn error(self, message: impl Into<String>) -> Error {
        Error {
            exit: self,
            message: message.into(),
        }
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            // If printing fails, no stream is left to report the failure.
            let _ = usage.print();
            return if usage.use_stderr() {
                ExitCode::from(Exit::Usage as u8)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => print_error(&error),
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| anyhow!("cannot start: {error}"))?;
    let result = runtime.block_on(cli.run());
    // Dropping the runtime would wait for a request to the site, which may take seconds.
    runtime.shutdown_background();
    result
}

/// Prints the error and returns the exit code.
fn print_error(error: &anyhow::Error) -> ExitCode {
    let (exit, prefix) = match (
        error.downcast_ref::<Error>(),
        error.downcast_ref::<io::Error>(),
    ) {
        (Some(error), _) => (error.exit, ""),
        // The reader closed the pipe, as in `leadctl list | head`.
        (None, Some(error)) if error.kind() == ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        // Only output fails with an `io::Error`.
        (None, Some(_)) => (Exit::Output, "cannot write: "),
        (None, None) => (Exit::Failed, ""),
    };
    eprintln!("error: {prefix}{error:#}");
    ExitCode::from(exit as u8)
}
