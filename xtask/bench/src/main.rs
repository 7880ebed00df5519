//! Measures speed and size of the system and compares them with the bare libraries and an Express app.

mod baseline;
mod database;
mod environment;
mod figure;
mod lead;
mod load;
mod machine;
mod measure;
mod report;
mod row;
mod sink;
mod system;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use runtime::clock::{Clock, SystemClock};
use tokio::runtime::{Handle, Runtime};
use tokio::time::sleep;
use xtask::builds::Builds;
use xtask::checkout::{Checkout, Lock};
use xtask::cli::{self, BenchOptions, Command};
use xtask::error::{self, Error, Result};
use xtask::interrupt::Interrupt;
use xtask::progress::elapsed;
use xtask::session::Session;
use xtask::system::packages::{self, Package};
use xtask::{files, output};

use figure::Figure;
use measure::Plan;
use row::Row;
use system::{Scale, System};
use xtask::cpu::CpuUsage;

/// Name of the baseline handler, and the first argument that starts this program as it.
const BASELINE_INTAKE: &str = "baseline-intake";
const DOCUMENT: &str = "docs/benchmarks.md";
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((first, rest)) if first == BASELINE_INTAKE => serve_baseline_intake(rest),
        Some(_) | None => command(&arguments),
    };
    error::exit(outcome)
}

fn this_program() -> Result<PathBuf> {
    std::env::current_exe().map_err(|error| Error::failed(format!("this program's path is unknown: {error}")))
}

/// The folder of the Express app, a Node program.
fn peer(checkout: &Checkout) -> PathBuf {
    checkout.root().join("xtask/bench/peer")
}

fn serve_baseline_intake(arguments: &[OsString]) -> Result<()> {
    let usage = || Error::Usage(format!("{BASELINE_INTAKE} PORT FILE_WITH_AMQP_URL"));
    let [port, amqp_url_file] = arguments else { return Err(usage()) };
    let port = port.to_str().and_then(|text| text.parse().ok()).ok_or_else(usage)?;
    runtime()?.block_on(baseline::intake::serve(port, Path::new(amqp_url_file)))
}

fn command(arguments: &[OsString]) -> Result<()> {
    let line = std::iter::once(OsString::from("bench")).chain(arguments.iter().cloned());
    match cli::parse(line, |_| None)? {
        Command::Bench(options) => measure(&options),
        Command::Up(_) | Command::Test(_) | Command::Backends | Command::Chaos(_) => {
            unreachable!("the first argument says bench")
        }
    }
}

fn measure(options: &BenchOptions) -> Result<()> {
    let figures = Figure::chosen(&options.only)?;
    let started = Instant::now();
    let session = Session::begin()?;
    let directory = session.checkout.throw_away("bench");
    let _lock = Lock::take(&directory, "cargo xtask bench")?;
    files::empty_directory(&directory)?;
    packages::ensure(
        &[Package::RabbitMq, Package::Nginx, Package::Postgres, Package::Valgrind],
        &directory.join("packages.log"),
        &session.progress,
        &session.interrupt,
    )?;
    Builds::new(&session, &directory)
        .packages("install the Express app's packages", &peer(&session.checkout))?;
    let programs = this_program()?.parent().map(Path::to_owned).unwrap_or_default();
    let scale = if options.small { Scale::small() } else { Scale::full() };
    let plan = Plan { rounds: if options.small { 1 } else { options.rounds }, same: options.same };
    let system = System::start(&session, &directory, programs, scale, plan)?;
    let (rows, failed, machine) = runtime()?.block_on(async {
        let (rows, failed) = all(&system, &figures).await?;
        Ok::<_, Error>((rows, failed, machine::describe(&system).await?))
    })?;

    output::print(&format!("\n{}", if options.small { report::lines(&rows) } else { report::table(&rows) }))?;
    for (figure, error) in &failed {
        output::print(&format!("MISS  {}: {error}\n", figure.name()))?;
    }
    if failed.is_empty() && !options.small && options.only.is_empty() {
        let when = format!("on {}, {} rounds", SystemClock.now().date_naive(), options.rounds);
        report::write(&session.checkout.root().join(DOCUMENT), &rows, &machine, &when)?;
        session.progress.line(&format!("\nWrote {DOCUMENT}."));
    }
    system.end()?;
    session.progress.line(&format!("\nThat took {}.", elapsed(started.elapsed())));
    if failed.is_empty() {
        return files::remove(&directory);
    }
    session.progress.line(&format!("The logs are in {}/.", session.checkout.shown(&directory)));
    Err(Error::Reported)
}

/// Measures figures in turn. A failed figure does not stop the others.
async fn all(system: &System<'_>, figures: &[Figure]) -> Result<(Vec<Row>, Vec<(Figure, Error)>)> {
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for figure in figures {
        let before = CpuUsage::now();
        let measured = tokio::task::block_in_place(|| {
            system.session.progress.run(figure.name(), |line| {
                Handle::current().block_on(async {
                    tokio::select! {
                        measured = figure.measure(system, line) => measured,
                        () = interrupted(&system.session.interrupt) => Err(Error::Interrupted),
                    }
                })
            })
        });
        match measured {
            Ok(measured) => {
                let stolen = CpuUsage::now().stolen_since(before);
                for row in measured {
                    let ours = row.unit.show(row.figure.ours);
                    let ratio = row.figure.ceiling.map(|ceiling| format!(", ratio {:.2}", ceiling.ratio));
                    let ratio = ratio.unwrap_or_default();
                    system.session.progress.line(&format!("  {}: {ours}{ratio}", row.what));
                    rows.push(row.while_stolen(stolen));
                }
            }
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            Err(error @ (Error::CommandLine(_) | Error::Usage(_) | Error::Failed(_) | Error::Reported)) => {
                system.session.progress.line(&format!("  {error}"));
                failed.push((*figure, error));
            }
        }
    }
    Ok((rows, failed))
}

/// Returns once the user has interrupted the run.
async fn interrupted(interrupt: &Interrupt) {
    while interrupt.count() == 0 {
        sleep(BETWEEN_LOOKS).await;
    }
}

fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::failed(format!("no runtime: {error}")))
}
