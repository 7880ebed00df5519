//! How the cost of a lead grows with their rate, and with how many are stored.

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use tokio::time::sleep;
use xtask::cpu::{CpuUsage, process_time};
use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::database::Engine;
use crate::environment::{Environment, Part};
use crate::load::Door;
use crate::measure::percentile;
use crate::row::{Goal, Row, Unit};
use crate::system::System;

/// The rate at which leads come while many are stored.
const STEADY: u32 = 100;

const FILL: &str = include_str!("growth.sql");

pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let mut table = Vec::new();
    for rate in system.scale.rates {
        let name = format!("at {rate} a second");
        line.detail(&name);
        table.extend(at(system, line, 0, *rate, &name).await?);
    }
    for stored in system.scale.stored {
        let name = format!("with {stored} stored");
        line.detail(&name);
        table.extend(at(system, line, *stored, STEADY, &name).await?);
    }
    Ok(table)
}

async fn at(system: &System<'_>, line: &Step, stored: u32, rate: u32, name: &str) -> Result<Vec<Row>> {
    let environment = Environment::begin(system, line, Some(Engine::Postgres), None).await?;
    let database = environment.database()?;
    if stored > 0 {
        database.run(&FILL.replace("{leads}", &stored.to_string())).await?;
        database.run("VACUUM ANALYZE lead").await?;
    }
    for part in [Part::Crm, Part::Intake] {
        environment.start(part, 0)?;
    }
    let door = Door::open(environment.ports.intake).await?;
    sleep(system.scale.visit).await;
    let parts = [environment.pid(Part::Intake)?, environment.pid(Part::Crm)?];
    let before = [process_time(parts[0])?, process_time(parts[1])?];
    let (usage, busy) = (CpuUsage::now(), Instant::now());
    let cores = available_parallelism().map_or(1, usize::from) as f64;
    let length = system.scale.length.warm_up + system.scale.length.counted;
    let times = door.paced(rate, length, &system.leads).await?;
    database.wait_for(u64::from(stored) + times.len() as u64, |_| {}).await?;
    let spent = |index: usize, now: Duration| {
        now.saturating_sub(before[index]).as_secs_f64() * 1e6 / times.len() as f64
    };
    let intake = spent(0, process_time(parts[0])?);
    let crm = spent(1, process_time(parts[1])?);
    let all = busy.elapsed().as_secs_f64() * 1e6 * cores * (1.0 - CpuUsage::now().idle_since(usage))
        / times.len() as f64;
    environment.end().await?;
    if times.is_empty() {
        return Err(Error::failed("no lead was sent"));
    }
    let row = |what: &str, unit, value| Row::alone(format!("{what} {name}"), unit, value, Goal::None);
    Ok(vec![
        row("CPU time per lead, lead-intake,", Unit::Core, intake),
        row("CPU time per lead, crm-sync,", Unit::Core, crm),
        row("click to acknowledgement, p99,", Unit::Milliseconds, percentile(&times, 99)),
        row("CPU time per lead, all processes,", Unit::Core, all),
    ])
}
