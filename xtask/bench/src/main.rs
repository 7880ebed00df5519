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

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::Parser;
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio::time::sleep;
use xtask::builds;
use xtask::cli::{BenchOptions, Figure};
use xtask::files;
use xtask::packages::{self, NGINX, POSTGRES, RABBITMQ, WRK};
use xtask::session::{self, Interrupted, Session, elapsed, line, print, step};

use stack::Stack;
use table::{Goal, Row};

/// The first argument that starts this program as the baseline.
const BASELINE: &str = "baseline";
const EXPRESS_APP: &str = "xtask/bench/peer";

// The main task blocks. The mail server and the broker's client run on other threads.
#[tokio::main]
async fn main() -> ExitCode {
    if std::env::args()
        .nth(1)
        .is_some_and(|first| first == BASELINE)
    {
        return session::exit(baseline::serve().await);
    }
    session::exit(measure(&BenchOptions::parse()).await)
}

/// Measures figures in turn until one fails, and prints the table.
async fn measure(options: &BenchOptions) -> Result<()> {
    let started = Instant::now();
    let session = Session::begin("bench")?;
    let directory = files::scratch("bench")?;
    packages::ensure(
        &[&RABBITMQ, &NGINX, &POSTGRES, &WRK],
        &options.install,
        &session,
    )?;
    builds::packages(&files::path(EXPRESS_APP), &session)?;
    let stack = Stack::start(&session, &directory, options).await?;
    let mut rows = Vec::new();
    let outcome: Result<()> = options.only.iter().try_for_each(|figure| {
        rows.extend(run(*figure, &stack)?);
        Ok(())
    });
    drop(stack);
    if options.small {
        rows.iter_mut().for_each(|row| row.goal = Goal::None);
    }
    print(&format!("\n{}\n", table::table(&rows)))?;
    line(format!("The bench took {}.", elapsed(started.elapsed())));
    let shown = files::shown(&directory);
    outcome.inspect_err(|_| line(format!("The logs are in {shown}/.")))?;
    files::remove(&directory)?;
    match rows.iter().filter(|row| row.misses_goal()).count() {
        0 => Ok(()),
        missed => Err(anyhow!("{missed} goals missed")),
    }
}

fn run(figure: Figure, stack: &Stack<'_>) -> Result<Vec<Row>> {
    let interrupted = async || {
        while stack.session.interrupt.count() == 0 {
            sleep(Duration::from_millis(100)).await;
        }
    };
    let measured = async {
        tokio::select! {
            measured = measure_figure(figure, stack) => measured,
            () = interrupted() => Err(Interrupted.into()),
        }
    };
    step(figure.into_str(), || {
        block_in_place(|| Handle::current().block_on(measured))
    })
}

async fn measure_figure(figure: Figure, stack: &Stack<'_>) -> Result<Vec<Row>> {
    match figure {
        Figure::Accepted => processing::measure_accepted(stack).await,
        Figure::Latency => processing::measure_latency(stack).await,
        Figure::Stored => processing::measure_stored(stack).await,
        Figure::Emailed => processing::measure_emailed(stack).await,
        Figure::Memory => footprint::measure_memory(stack).await,
        Figure::Start => footprint::measure_start(stack).await,
    }
}
