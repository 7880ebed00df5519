//! Command-line client of the CRM, and of the broker for its dead letters.

mod arguments;
mod broker;
mod cli;
mod commands;
mod config;
mod context;
mod crm;
mod error;
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

use crate::{
    cli::Cli,
    error::{Error, Exit},
};

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
