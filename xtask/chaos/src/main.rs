//! Runs the whole system under load, breaks it on purpose, and checks that no lead was lost.

mod check;
mod fault;
mod history;
mod journal;
mod lead;
mod mail_server;
mod make;
mod memory;
mod phases;
mod quiescence;
mod reconciliation;
mod report;
mod run;
mod script;
mod stack;
mod visitor;
mod webhook_receiver;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command as Program, ExitCode, Stdio};
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
use journal::Journal;
use run::Run;
use stack::Stack;
use visitor::Visitors;

/// The first argument that starts this program as the mail server.
const MAIL_SERVER: &str = "mail-server";
/// The first argument of a run that has been restarted by `unshare`.
const APART: &str = "apart";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((first, rest)) if first == MAIL_SERVER => serve_mail(rest),
        Some((first, rest)) if first == APART => command(rest),
        Some(_) | None => go_apart(&arguments).and_then(|()| command(&arguments)),
    };
    error::exit(outcome)
}

/// Restarts this program in its own mount namespace, so that its mounts disappear with it. Does nothing without root.
fn go_apart(arguments: &[OsString]) -> Result<()> {
    const UNSHARE: [&str; 3] = ["--mount", "--propagation", "private"];
    let unshare = || {
        let mut program = Program::new("unshare");
        program.args(UNSHARE).arg("--");
        program
    };
    let may = rustix::process::geteuid().is_root()
        && unshare().arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !may {
        return Ok(());
    }
    let error = unshare().arg(this_program()?).arg(APART).args(arguments).exec();
    Err(Error::failed(format!("cannot restart in a separate mount namespace: {error}")))
}

fn this_program() -> Result<PathBuf> {
    std::env::current_exe()
        .map_err(|error| Error::failed(format!("cannot find the path of this program: {error}")))
}

fn command(arguments: &[OsString]) -> Result<()> {
    let line = std::iter::once(OsString::from("chaos")).chain(arguments.iter().cloned());
    match cli::parse(line, |_| None)? {
        Command::Chaos(options) => break_everything(&options),
        Command::Up(_) | Command::Test(_) | Command::Backends | Command::Bench(_) => {
            unreachable!("the first argument is chaos")
        }
    }
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
    let programs = match &options.programs {
        Some(programs) => programs.clone(),
        None => {
            let logs = directory.join("builds");
            files::directory(&logs)?;
            Builds::new(&session, &logs).with_tool("chaos", options.release)?
        }
    };
    let steps = script::write(seed, Duration::from_secs_f64(options.minutes * 60.0), &faults);
    output::print(&format!("seed {seed}, {} minutes, {} faults:\n", options.minutes, steps.len()))?;
    for step in &steps {
        let (at, lasts) = (step.at.as_secs_f64(), step.lasts.as_secs_f64());
        output::print(&format!("{at:>8.1} s  {lasts:>5.1} s  {}\n", step.fault))?;
    }

    let rows = runtime()?.block_on(async {
        let stack = Stack::start(&directory, &programs, &session).await?;
        let visits = directory.join("visits.journal");
        let visitors = Visitors::new(stack.site_port, Journal::open(&visits)?, seed)?;
        let faults = Journal::open(&directory.join("faults.journal"))?;
        let (progress, interrupt) = (session.progress.clone(), session.interrupt.clone());
        let run = Arc::new(Run::new(stack, visitors, visits, faults, seed, progress, interrupt));
        run.phases(options, steps).await?;
        check::all(&run).await
    })?;
    output::print(&format!("\n{}", report::table(&rows)))?;
    if rows.iter().all(|row| row.kept) {
        return files::remove(&directory);
    }
    session.progress.line(&format!(
        "\nLogs and journals are in {}/. Repeat the script with --seed {seed}.",
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
    let wanted = |fault: &Fault| names.is_empty() || names.iter().any(|name| begins(fault, name));
    Ok(Fault::all().into_iter().filter(wanted).collect())
}

fn serve_mail(arguments: &[OsString]) -> Result<()> {
    let usage = || Error::Usage("mail-server SMTP_PORT CONTROL_PORT WEBHOOK_PORT JOURNAL REFUSED".to_owned());
    let port = |text: &OsString| text.to_str().and_then(|text| text.parse::<u16>().ok()).ok_or_else(usage);
    let [smtp, control, webhook, journal, refused] = arguments else { return Err(usage()) };
    let (smtp, control, webhook) = (port(smtp)?, port(control)?, port(webhook)?);
    let served = mail_server::serve(smtp, control, webhook, Path::new(journal), Path::new(refused));
    runtime()?.block_on(served)
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    // Many faults wait for slow programs and each blocks a thread.
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .map_err(|error| Error::failed(format!("cannot start the async runtime: {error}")))
}
