//! Runs the whole system under load, breaks it on purpose, and checks that no lead was lost.

mod check;
mod fault;
mod inject;
mod mailbox;
mod run;
mod system;
mod visitor;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Parser;
use xtask::builds;
use xtask::cli::ChaosOptions;
use xtask::files;
use xtask::packages::{self, NGINX, POSTGRES, RABBITMQ};
use xtask::session::{self, Session, print};

use fault::{Fault, Round};
use run::Run;
use system::{BROKER, NODES, Process, System};
use visitor::Visitors;

fn main() -> ExitCode {
    session::exit(inject_faults(&ChaosOptions::parse()))
}

fn inject_faults(options: &ChaosOptions) -> Result<()> {
    let session = Session::begin("chaos")?;
    let directory = files::scratch("chaos")?;
    let seed = options.seed.unwrap_or_else(|| fastrand::u64(..65_536));
    packages::ensure(&[&RABBITMQ, &NGINX, &POSTGRES], &options.install, &session)?;
    let programs = builds::programs(builds::cargo, &session)?;
    // The services of each version, in the order of their deployment.
    let versions = match &options.from {
        Some(commit) => {
            let earlier = builds::services_of(commit, &session)?;
            vec![earlier.clone(), programs.clone(), earlier, programs]
        }
        None => vec![programs.clone(), programs],
    };
    let length = Duration::from_secs(60 * u64::from(options.minutes));
    let (broker, round): (&[Process], Round) = if options.cluster {
        (&NODES, Fault::cluster_round)
    } else {
        (&[BROKER], Fault::round)
    };
    let steps = fault::schedule(seed, length, round);
    print(&format!(
        "seed {seed}, {} minutes, {} faults\n",
        options.minutes,
        steps.len()
    ))?;

    // The mail server, the proxies and the visitors run on this runtime.
    let runtime = tokio::runtime::Runtime::new()?;
    let system = System::start(&directory, &versions[0], broker, &session, runtime.handle())?;
    let visitors = Visitors::new(system.site_port, seed, runtime.handle())?;
    let run = Run::new(system, visitors, seed, session.interrupt.clone());
    run.run_phases(&versions[1..], options.rate, steps, length)?;
    let rows = check::check_all(&run)?;
    print(&format!("\n{}", check::table(&rows)))?;
    if options.cluster {
        let longest = run.findings().longest_unconfirmed();
        print(&format!(
            "longest time without a confirmed lead: {longest} ms\n"
        ))?;
    }
    if rows.iter().all(check::Row::is_kept) {
        return files::remove(&directory);
    }
    bail!(
        "The logs are in {}/. Repeat the script with --seed {seed}.",
        files::shown(&directory)
    )
}
