//! Command-line client of the CRM, and of the broker for its dead letters.

mod arguments;
mod cli;
mod commands;
mod config;
mod crm;
mod error;
mod leads;
mod output;
mod target;
mod time;

use std::{
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

use clap::Parser;

use crate::{
    cli::Cli,
    error::{Error, USAGE},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            let is_wrong = usage.use_stderr();
            // There is no stream left to report a failure to.
            let _ = usage.print();
            return if is_wrong { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    let Err(error) = cli.run().await else { return ExitCode::SUCCESS };
    let (code, prefix) = match (error.downcast_ref::<Error>(), error.downcast_ref::<io::Error>()) {
        (Some(error), _) => (error.exit_code(), ""),
        // The reader closed the pipe, as in `leadctl list | head`.
        (None, Some(error)) if error.kind() == ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        // Only output fails with an error of the operating system.
        (None, Some(_)) => (74, "cannot write: "),
        (None, None) => (70, ""),
    };
    let _ = writeln!(io::stderr(), "leadctl: {prefix}{error:#}");
    ExitCode::from(code)
}
