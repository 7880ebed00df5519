//! Resident memory of each service: idle, at full load, and with a large backlog.

use std::fs;
use std::path::PathBuf;

use tokio::time::sleep;
use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::database::Engine;
use crate::environment::{Environment, Part};
use crate::load::Door;
use crate::measure::{Who, median};
use crate::row::{Goal, Row, Unit};
use crate::sink::Sink;
use crate::system::System;

const IDLE: Goal = Goal::AtMost(15.0);
const BUSY: Goal = Goal::AtMost(40.0);
/// Bytes in the kernel's `kB`.
const KILOBYTE: f64 = 1024.0;
/// The current resident memory.
const NOW: &str = "VmRSS:";
/// The peak resident memory.
pub(super) const MOST: &str = "VmHWM:";

/// Measures idle and load in every round, the backlog once.
pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let mut rounds = Vec::new();
    for _ in 0..system.plan.rounds {
        rounds.push(idle_and_busy(system, line).await?);
    }
    let backlog = with_backlog(system, line).await?;
    let row = |part: Part, when: &str, megabytes: f64, goal: Goal| {
        Row::alone(format!("memory of {}, {when}", part.name()), Unit::Megabytes, megabytes, goal)
    };
    let mut table = Vec::new();
    for (index, part) in Part::ALL.into_iter().enumerate() {
        let of = |when: usize| median(rounds.iter().map(|round| round[when][index]).collect());
        table.push(row(part, "idle", of(0), IDLE));
        table.push(row(part, "at full load", of(1), BUSY));
    }
    let when = format!("{} leads queued", system.scale.backlog);
    table.extend(backlog.into_iter().map(|(part, megabytes)| row(part, &when, megabytes, BUSY)));
    Ok(table)
}

/// Memory of each service when idle, then at full load, all running together.
async fn idle_and_busy(system: &System<'_>, line: &Step) -> Result<[[f64; 3]; 2]> {
    let sink = Sink::start().await?;
    let environment = Environment::begin(system, line, Some(Engine::Postgres), Some(sink.port())).await?;
    for part in [Part::Crm, Part::Notifier, Part::Intake] {
        environment.start(part, 0)?;
    }
    environment.start_nginx(environment.ports.site, environment.ports.intake)?;
    line.detail("idle");
    sleep(system.scale.rest).await;
    let idle = of_all(&environment, NOW)?;
    line.detail("full load");
    let door = Door::open(environment.ports.intake).await?.at(environment.ports.site);
    sleep(system.scale.visit).await;
    door.acknowledged(system.scale.connections, system.scale.length, &system.leads).await?;
    let busy = of_all(&environment, MOST)?;
    environment.end().await?;
    Ok([idle, busy])
}

/// Peak memory of each consumer while it works on a backlog.
async fn with_backlog(system: &System<'_>, line: &Step) -> Result<Vec<(Part, f64)>> {
    let sink = Sink::start().await?;
    let environment = Environment::begin(system, line, Some(Engine::Postgres), Some(sink.port())).await?;
    let backlog = system.scale.backlog;
    environment
        .fill(Who::Ours, backlog, |count| line.detail(&format!("{count} of {backlog} published")))
        .await?;
    let consumers = [Part::Crm, Part::Notifier];
    for part in consumers {
        environment.start(part, 0)?;
    }
    line.detail("large backlog");
    sleep(system.scale.work).await;
    let held = consumers.into_iter().map(|part| Ok((part, megabytes(environment.pid(part)?, MOST)?)));
    let held: Vec<_> = held.collect::<Result<_>>()?;
    environment.end().await?;
    Ok(held)
}

fn of_all(environment: &Environment<'_>, what: &str) -> Result<[f64; 3]> {
    let [intake, crm, notifier] = Part::ALL;
    let of = |part| megabytes(environment.pid(part)?, what);
    Ok([of(intake)?, of(crm)?, of(notifier)?])
}

pub(super) fn megabytes(pid: u32, what: &str) -> Result<f64> {
    let path = PathBuf::from(format!("/proc/{pid}/status"));
    let status = fs::read_to_string(&path).map_err(|error| Error::file("read", &path, &error))?;
    kilobytes(&status, what)
        .map(|kilobytes| kilobytes * KILOBYTE / 1e6)
        .ok_or_else(|| Error::failed(format!("{} has no {what}", path.display())))
}

fn kilobytes(status: &str, what: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(what))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_status() {
        let status = "Name:\tx\nVmHWM:\t  2345 kB\nVmRSS:\t  1234 kB\nThreads: 2\n";
        assert_eq!(kilobytes(status, NOW), Some(1234.0));
        assert_eq!(kilobytes(status, MOST), Some(2345.0));
        assert_eq!(kilobytes("Name:\tx\n", NOW), None);
    }
}
