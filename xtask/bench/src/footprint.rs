//! The footprint of each service: resident memory, time from the start until it is ready, and size of the binary.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fs_err as fs;
use rustix::process::Signal;
use tokio::time::sleep;
use xtask::builds::PROGRAMS;
use xtask::process;

use crate::candidate::{Candidate, JOBS};
use crate::measure::{Comparison, Who, compare};
use crate::stack::Stack;
use crate::table::{Goal, Row, Unit, rows};

const STARTS: usize = 10;
const START_POLL: Duration = Duration::from_millis(1);
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Longer than the services' grace period.
const STOP_TIMEOUT: Duration = Duration::from_secs(25);
/// Time without load before a service counts as idle.
const REST: Duration = Duration::from_secs(10);
/// The current resident memory.
const CURRENT: &str = "VmRSS:";
/// The peak resident memory.
pub(crate) const PEAK: &str = "VmHWM:";

pub(crate) async fn measure_memory(stack: &Stack<'_>) -> Result<Vec<Row>> {
    let values = compare(stack.rounds, &[Who::Ours], async |who| {
        let candidate = Candidate::new(stack, who).await?;
        candidate.start_all()?;
        sleep(REST).await;
        let measure = |field: &str| -> Result<_> {
            let [accept, store, email] = JOBS.map(|job| megabytes(candidate.pid(job)?, field));
            Ok((accept?, store?, email?))
        };
        let (a, b, c) = measure(CURRENT)?;
        let leads = candidate.begin_visit().await?;
        candidate.load(&leads, stack.ports.site, stack.load_seconds)?;
        let (d, e, f) = measure(PEAK)?;
        Ok([a, b, c, d, e, f])
    })
    .await?;
    let row = |job: &str, when: &str, most: f64| {
        (
            format!("memory of {job}, {when}"),
            Unit::Megabytes,
            Goal::AtMost(most),
        )
    };
    let [a, b, c] = JOBS.map(|job| row(job, "idle", 15.0));
    let [d, e, f] = JOBS.map(|job| row(job, "at full load", 40.0));
    Ok(rows(values, [a, b, c, d, e, f]))
}

/// Measures each start apart from the others, because none depends on another service.
pub(crate) async fn measure_start(stack: &Stack<'_>) -> Result<Vec<Row>> {
    let candidate = Candidate::new(stack, Who::Ours).await?;
    let start_each = async |_| {
        let [accept, store, email] = JOBS;
        let start = |job| start_once(stack, &candidate, job);
        Ok([start(accept)?, start(store)?, start(email)?])
    };
    // Fills the disk cache.
    start_each(Who::Ours).await?;
    let starts = compare(STARTS, &[Who::Ours], start_each).await?;
    let mut sizes = [0.0; PROGRAMS.len()];
    for (program, size) in PROGRAMS.iter().zip(&mut sizes) {
        *size = fs::metadata(std::env::current_exe()?.with_file_name(program))?.len() as f64 / 1e6;
    }
    let sizes = sizes.map(|ours| Comparison {
        ours,
        express: None,
        baseline: None,
    });
    let start = |job: &str| {
        (
            format!("start of {job} until ready"),
            Unit::Milliseconds,
            Goal::AtMost(100.0),
        )
    };
    let size = |program| {
        (
            format!("size of {program}"),
            Unit::Megabytes,
            Goal::AtMost(15.0),
        )
    };
    Ok([
        rows(starts, JOBS.map(start)),
        rows(sizes, PROGRAMS.map(size)),
    ]
    .concat())
}

/// The milliseconds until the service is ready.
fn start_once(stack: &Stack<'_>, candidate: &Candidate<'_>, job: &str) -> Result<f64> {
    stack.session.interrupt.check()?;
    let program = candidate.service(job)?;
    let log = stack.directory.join(format!("start-{job}.log"));
    let began = Instant::now();
    let mut child = process::spawn(&mut program.service.command.lock(), &log)?;
    while !program.is_ready()
        && began.elapsed() < START_TIMEOUT
        && stack.session.interrupt.count() == 0
    {
        thread::sleep(START_POLL);
    }
    let took = began.elapsed();
    process::stop(
        &mut child,
        Signal::TERM,
        STOP_TIMEOUT,
        &stack.session.interrupt,
    );
    if took >= START_TIMEOUT {
        bail!("{job} was not ready; see {}", log.display());
    }
    Ok(took.as_secs_f64() * 1e3)
}

/// A field of the process's status in `/proc`, in millions of bytes.
pub(crate) fn megabytes(pid: u32, field: &str) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let value = status
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_suffix(" kB"));
    let kibibytes: f64 = value
        .with_context(|| format!("process {pid} has no {field}"))?
        .trim()
        .parse()?;
    Ok(kibibytes * 1024.0 / 1e6)
}
