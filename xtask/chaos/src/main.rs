//! Runs the whole system under load, breaks it on purpose, and checks that no lead was lost.

mod check;
mod fault;
mod lead;
mod mailbox;
mod make;
mod phases;
mod quiescence;
mod run;
mod script;
mod stack;
mod visitor;

use std::fs::File;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use xtask::builds::Builds;
use xtask::checkout::Lock;
use xtask::cli::{self, ChaosOptions, Command};
use xtask::error::{self, Error, Result};
use xtask::session::Session;
use xtask::system::packages::{self, Package};
use xtask::{files, output, random};

use fault::Fault;
use run::Run;
use stack::Stack;
use visitor::Visitors;

fn main() -> ExitCode {
    let arguments = std::iter::once("chaos".into()).chain(std::env::args_os().skip(1));
    error::exit(cli::parse(arguments, |_| None).map_err(Error::from).and_then(|command| match command {
        Command::Chaos(options) => break_everything(&options),
        Command::Up(_) | Command::Test(_) | Command::Backends | Command::Bench(_) => {
            unreachable!("the first argument is chaos")
        }
    }))
}

fn break_everything(options: &ChaosOptions) -> Result<()> {
    let session = Session::begin()?;
    let directory = session.checkout.throw_away("chaos");
    let _lock = Lock::take(&directory, "cargo xtask chaos")?;
    files::empty_directory(&directory)?;
    let faults = chosen(&options.faults)?;
    let seed = match options.seed {
        Some(seed) => seed,
        None => u64::from(random::number()?),
    };
    packages::ensure(
        &[Package::RabbitMq, Package::Nginx, Package::Postgres],
        &directory.join("packages.log"),
        &session.progress,
        &session.interrupt,
    )?;
    let logs = directory.join("builds");
    files::directory(&logs)?;
    let programs = Builds::new(&session, &logs).all()?;
    let steps = script::write(seed, Duration::from_secs_f64(options.minutes * 60.0), &faults);
    output::print(&format!("seed {seed}, {} minutes, {} faults:\n", options.minutes, steps.len()))?;
    for step in &steps {
        let (at, lasts) = (step.at.as_secs_f64(), step.lasts.as_secs_f64());
        output::print(&format!("{at:>8.1} s  {lasts:>5.1} s  {}\n", step.fault))?;
    }

    let rows = runtime()?.block_on(async {
        let stack = Stack::start(&directory, &programs, &session).await?;
        let visitors = Visitors::new(stack.site_port, seed)?;
        let log = directory.join("faults.log");
        let faults = File::create(&log).map_err(|error| Error::file("create", &log, &error))?;
        let (progress, interrupt) = (session.progress.clone(), session.interrupt.clone());
        let run = Arc::new(Run::new(stack, visitors, faults, seed, progress, interrupt));
        run.phases(options, steps).await?;
        check::all(&run).await
    })?;
    output::print(&format!("\n{}", check::table(&rows)))?;
    if rows.iter().all(|row| row.is_kept) {
        return files::remove(&directory);
    }
    session.progress.line(&format!(
        "\nThe logs are in {}/. Repeat the script with --seed {seed}.",
        session.checkout.shown(&directory)
    ));
    Err(Error::Reported)
}

fn chosen(names: &[String]) -> Result<Vec<Fault>> {
    let begins = |fault: &Fault, name: &String| fault.to_string().starts_with(name.as_str());
    if let Some(name) = names.iter().find(|name| !Fault::all().iter().any(|fault| begins(fault, name))) {
        let all: Vec<String> = Fault::all().iter().map(Fault::to_string).collect();
        return Err(Error::Usage(format!("no fault starts with {name}: choose from {}", all.join(", "))));
    }
    let wanted = |fault: &Fault| names.iter().any(|name| begins(fault, name));
    Ok(Fault::all().into_iter().filter(wanted).collect())
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    // Many faults wait for slow programs and each blocks a thread.
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .map_err(|error| Error::failed(format!("cannot start the async runtime: {error}")))
}
