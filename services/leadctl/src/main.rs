//! Leads at the command line: a client of the CRM, and of the broker for what is parked.

mod cli;
mod client;
mod config;
mod error;
mod lead;
mod output;
mod parked;

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use clap::Parser;
use runtime::clock::SystemClock;

use crate::{
    cli::{Cli, Command},
    client::Client,
    config::Config,
    error::{Error, USAGE},
    output::Output,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            let is_wrong = usage.use_stderr();
            // Nobody is left to tell when even this cannot be written.
            let _ = usage.print();
            return if is_wrong { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough: `leadctl list | head`.
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "leadctl: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

async fn run(cli: Cli) -> Result<(), Error> {
    let config = match cli.config {
        Some(path) => Config::read(path)?,
        None => Config::find(&env::current_dir().map_err(Error::CurrentDirectory)?)?,
    };
    let mut output = Output::new(cli.json);
    match cli.command {
        Command::List { limit } => list(&config, limit, &mut output).await,
        Command::Show { lead } => {
            let mut client = Client::connect(&config).await?;
            output.lead(&client.get(&lead).await?)
        }
        Command::Watch => watch(&config, &mut output).await,
        Command::Parked { command, queue } => {
            parked::run(command, queue, &config, &SystemClock, &mut output).await
        }
    }
}

async fn list(config: &Config, limit: u32, output: &mut Output) -> Result<(), Error> {
    let mut client = Client::connect(config).await?;
    let mut page_token = String::new();
    let mut wanted = limit;
    loop {
        let (leads, next) = client.list(wanted, page_token).await?;
        // Never more than asked for, whatever the server does.
        wanted = wanted.saturating_sub(u32::try_from(leads.len()).unwrap_or(u32::MAX));
        output.leads(&leads)?;
        page_token = next;
        if wanted == 0 || page_token.is_empty() {
            return output.end_of_list();
        }
    }
}

async fn watch(config: &Config, output: &mut Output) -> Result<(), Error> {
    let mut client = Client::connect(config).await?;
    let mut watch = client.watch().await?;
    output.watching()?;
    loop {
        let lead = watch.next().await?;
        output.leads(std::slice::from_ref(&lead))?;
    }
}
