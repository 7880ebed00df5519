//! Measures speed and size of the system beside an axum handler and an Express app.

mod baseline;
mod candidate;
mod footprint;
mod load;
mod measure;
mod observe;
mod processing;
mod stack;
mod table;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio::time::sleep;
use xtask::builds::Builds;
use xtask::checkout::Lock;
use xtask::cli::{self, BenchOptions, Command, Figure};
use xtask::error::{self, Error, Result};
use xtask::progress::{Step, elapsed};
use xtask::session::Session;
use xtask::system::packages::{self, Package};
use xtask::{files, output};

use stack::Stack;
use table::{Goal, Row};

/// The first argument that starts this program as the baseline.
const BASELINE: &str = "baseline";
const EXPRESS_APP: &str = "xtask/bench/peer";

// The main task blocks. The mail server and the broker's client run on other threads.
#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == BASELINE) {
        return error::exit(baseline::serve().await);
    }
    arguments[0] = OsString::from("bench");
    error::exit(match cli::parse(arguments, |_| None) {
        Ok(Command::Bench(options)) => measure(&options).await,
        Ok(_) => unreachable!("the first argument is bench"),
        Err(error) => Err(error.into()),
    })
}

/// Measures figures in turn until one fails, and prints the table.
async fn measure(options: &BenchOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin()?;
    let Session { checkout, progress, interrupt } = &session;
    let directory = checkout.throw_away("bench");
    let _lock = Lock::take(&directory, "cargo xtask bench")?;
    files::empty_directory(&directory)?;
    let required = [Package::RabbitMq, Package::Nginx, Package::Postgres, Package::Wrk];
    packages::ensure(&required, &directory.join("packages.log"), progress, interrupt)?;
    let express_app = checkout.root().join(EXPRESS_APP);
    Builds::new(&session, &directory).packages("install the Express app's packages", &express_app)?;
    let stack = block_in_place(|| {
        progress.run("start RabbitMQ and PostgreSQL", |_| {
            Handle::current().block_on(Stack::start(&session, &directory, options))
        })
    })?;
    let mut rows = Vec::new();
    let outcome: Result<()> = options.figures().into_iter().try_for_each(|figure| {
        rows.extend(run(figure, &stack)?);
        Ok(())
    });
    stack.end()?;
    if options.small {
        rows.iter_mut().for_each(|row| row.goal = Goal::None);
    }
    output::print(&format!("\n{}\n", table::table(&rows)))?;
    progress.line(&format!("The bench took {}.", elapsed(started.elapsed())));
    let shown = checkout.shown(&directory);
    outcome.inspect_err(|_| progress.line(&format!("The logs are in {shown}/.")))?;
    files::remove(&directory)?;
    match rows.iter().filter(|row| row.misses_goal()).count() {
        0 => Ok(()),
        missed => Err(Error::failed(format!("{missed} goals missed"))),
    }
}

fn run(figure: Figure, stack: &Stack<'_>) -> Result<Vec<Row>> {
    let interrupted = async || {
        while stack.session.interrupt.count() == 0 {
            sleep(Duration::from_millis(100)).await;
        }
    };
    block_in_place(|| {
        stack.session.progress.run(figure.into_str(), |step| {
            Handle::current().block_on(async {
                tokio::select! {
                    measured = measure_figure(figure, stack, step) => measured,
                    () = interrupted() => Err(Error::Interrupted),
                }
            })
        })
    })
}

async fn measure_figure(figure: Figure, stack: &Stack<'_>, step: &Step) -> Result<Vec<Row>> {
    match figure {
        Figure::Accepted => processing::measure_accepted(stack, step).await,
        Figure::Latency => processing::measure_latency(stack, step).await,
        Figure::Stored => processing::measure_stored(stack, step).await,
        Figure::Emailed => processing::measure_emailed(stack, step).await,
        Figure::Memory => footprint::measure_memory(stack, step).await,
        Figure::Start => footprint::measure_start(stack, step).await,
    }
}
