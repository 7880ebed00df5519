//! Leads at the command line: a client of the CRM, and of the broker for its dead letters.

mod broker;
mod canary;
mod cli;
mod client;
mod config;
mod confirm;
mod dead;
mod dead_letters;
mod error;
mod export;
mod file;
mod lead;
mod output;
mod person;
mod stats;
mod when;

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use clap::{CommandFactory, Parser};
use contracts::crm::v1::{LeadFilter, LeadState};
use runtime::{
    clock::{Clock, SystemClock},
    config::ProcessEnvironment,
    random::RandomIds,
};

use crate::{
    cli::{Cli, Command, DeadCommand, Owner, State},
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
    if let Command::Completions { shell } = cli.command {
        return completions(shell);
    }
    let mut config = match cli.config {
        Some(path) => Config::read(path)?,
        None => Config::find(&env::current_dir().map_err(Error::CurrentDirectory)?)?,
    };
    config.time_zone = cli.time_zone.unwrap_or(config.time_zone);
    let mut output = Output::new(cli.json, config.time_zone, &ProcessEnvironment);
    let clock = SystemClock;
    let (now, zone) = (clock.now(), config.time_zone);
    match cli.command {
        Command::List { filter, limit } => list(&config, filter.to_wire(now, zone), limit, &mut output).await,
        Command::Show { lead } => {
            let mut client = Client::connect(&config).await?;
            output.lead(&client.get(&lead).await?)
        }
        Command::Watch { filter } => watch(&config, filter.to_wire(now, zone), &mut output).await,
        Command::SetState { lead, state, owner } => {
            set_state(&config, &lead, state, &owner, &mut output).await
        }
        Command::Stats { days, since } => {
            stats::run(cli::first_day(days, since), &config, now, &mut output).await
        }
        Command::Export { format, output: file, filter } => {
            let filter = filter.to_wire(now, zone);
            export::run(&format, cli.json, file.as_deref(), filter, &config, &clock, &mut output).await
        }
        Command::Person { command } => person::run(command, &config, &clock, &mut output).await,
        Command::Dead { command: DeadCommand::Deliveries(command) } => {
            dead::run(command, &config, &clock, &mut output).await
        }
        Command::Dead { command: DeadCommand::Messages { command, queue } } => {
            dead_letters::run(command, queue, &config, &clock, &mut output).await
        }
        Command::Canary { every, within } => {
            let every = every.map(Into::into);
            canary::run(every, within.into(), &config, &RandomIds, &mut output).await
        }
        Command::Completions { shell } => completions(shell),
    }
}

async fn list(config: &Config, filter: LeadFilter, limit: u32, output: &mut Output) -> Result<(), Error> {
    let mut client = Client::connect(config).await?;
    let mut page_token = String::new();
    let mut wanted = limit;
    loop {
        let (leads, next) = client.list(filter.clone(), wanted, page_token).await?;
        // Never more than asked for, whatever the server does.
        wanted = wanted.saturating_sub(u32::try_from(leads.len()).unwrap_or(u32::MAX));
        output.leads(&leads)?;
        page_token = next;
        if wanted == 0 || page_token.is_empty() {
            return output.end_of_list();
        }
    }
}

async fn watch(config: &Config, filter: LeadFilter, output: &mut Output) -> Result<(), Error> {
    let mut client = Client::connect(config).await?;
    let mut watch = client.watch(filter).await?;
    output.watching()?;
    loop {
        let lead = watch.next().await?;
        output.leads(std::slice::from_ref(&lead))?;
    }
}

async fn set_state(
    config: &Config,
    typed: &str,
    state: Option<State>,
    owner: &Owner,
    output: &mut Output,
) -> Result<(), Error> {
    let mut client = Client::connect(config).await?;
    let lead = client.get(typed).await?.lead;
    let state = state.map_or(LeadState::Unspecified, State::to_wire);
    let progress = client.set_state(lead.submission.id, state, owner.to_wire()).await?;
    output.progress(&lead, &progress)
}

fn completions(shell: clap_complete::Shell) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "leadctl", &mut script);
    Ok(io::stdout().write_all(&script)?)
}
