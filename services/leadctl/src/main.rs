//! Command-line client of the CRM, and of the broker for its dead letters.

mod arguments;
mod cli;
mod commands;
mod config;
mod context;
mod crm;
mod dead_letters;
mod error;
mod leads;
mod target;
mod terminal;
mod when;

use std::{
    io::{self, Write},
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
    match cli.run().await {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe, as in `leadctl list | head`.
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "leadctl: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
