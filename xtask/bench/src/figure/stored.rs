//! Leads stored per second by crm-sync from a backlog, compared with baseline inserts of the same rows.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use xtask::cpu::process_time;
use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::database::{Engine, Rows, best};
use crate::environment::{Environment, Part, PeerRole, replica};
use crate::measure::{Compared, Who, in_turn};
use crate::row::{Goal, Row, Unit};
use crate::system::System;

const POSTGRES: Goal = Goal::Share(0.75);
const SQLITE: Goal = Goal::Share(0.7);
/// Leads per transaction: from a few, like crm-sync's, up to what SQLite's 32,766 parameters allow.
const BATCHES: [usize; 3] = [64, 256, 900];

#[derive(Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) per_second: f64,
    /// Microseconds of CPU time per lead, of the storing process.
    core: f64,
}

pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let mut table = Vec::new();
    let engines = [(Engine::Postgres, "PostgreSQL", POSTGRES), (Engine::Sqlite, "SQLite", SQLITE)];
    for (engine, name, goal) in engines {
        let (rows, batch): (RefCell<Rc<[Rows]>>, RefCell<usize>) = Default::default();
        let all = [Who::Ours, Who::Ceiling, Who::Peer];
        let all = if engine == Engine::Postgres { &all } else { &all[..2] };
        let rounds = in_turn(system.plan, all, async |who| match who {
            Who::Ours => {
                let (sample, stored) = by_crm_sync(system, line, engine, name, 1).await?;
                rows.replace(stored.into());
                Ok(sample)
            }
            Who::Ceiling => {
                let rows = Rc::clone(&rows.borrow());
                let (size, per_second) = baseline(system, line, engine, name, &rows).await?;
                batch.replace(size);
                Ok(Sample { per_second, core: 0.0 })
            }
            Who::Peer => by_peer(system, line).await,
        })
        .await?;
        let what = format!("leads stored in {name} (baseline: {} a transaction)", batch.borrow());
        let rate = rounds.compared(|sample| sample.per_second);
        table.push(Row::beside(what, Unit::PerSecond, rate, goal));
        let core = Compared { ceiling: None, ..rounds.compared(|sample| sample.core) };
        table.push(Row::beside(format!("CPU time per lead stored in {name}"), Unit::Core, core, Goal::None));
    }
    Ok(table)
}

async fn by_peer(system: &System<'_>, line: &Step) -> Result<Sample> {
    let environment = Environment::begin(system, line, Some(Engine::Postgres), None).await?;
    let leads = system.scale.leads;
    environment.fill(Who::Peer, leads, |count| line.detail(&format!("{count} of {leads} published"))).await?;
    environment.start_peer(PeerRole::Store).await?;
    let database = environment.database()?;
    database.wait_for(leads, |count| line.detail(&format!("Express app: {count} of {leads} stored"))).await?;
    let core = core(&environment, PeerRole::Store.name(), leads)?;
    let per_second = database.per_second().await?;
    environment.end().await?;
    Ok(Sample { per_second, core })
}

/// Microseconds of CPU time of a process per lead, including its start.
fn core(environment: &Environment<'_>, process: &str, leads: u64) -> Result<f64> {
    Ok(process_time(environment.pid_of(process)?)?.as_secs_f64() * 1e6 / leads as f64)
}

/// Leads stored by `replicas` replicas of crm-sync, what the first spent for each, and the stored rows.
pub(crate) async fn by_crm_sync(
    system: &System<'_>,
    line: &Step,
    engine: Engine,
    name: &str,
    replicas: usize,
) -> Result<(Sample, Vec<Rows>)> {
    let environment = Environment::begin(system, line, Some(engine), None).await?;
    let leads = system.scale.leads;
    environment
        .fill(Who::Ours, leads, |count| line.detail(&format!("{name}: {count} of {leads} published")))
        .await?;
    for number in 0..replicas {
        environment.start(Part::Crm, number)?;
    }
    let database = environment.database()?;
    database.wait_for(leads, |count| line.detail(&format!("{name}: {count} of {leads} stored"))).await?;
    let core = core(&environment, &replica(Part::Crm, 0), leads)?;
    let sample = Sample { per_second: database.per_second().await?, core };
    let rows = database.rows().await?;
    environment.end().await?;
    Ok((sample, rows))
}

/// The best batch size with its rate in leads per second.
async fn baseline(
    system: &System<'_>,
    line: &Step,
    engine: Engine,
    name: &str,
    rows: &[Rows],
) -> Result<(usize, f64)> {
    let mut rates = Vec::new();
    for batch in BATCHES {
        let environment = Environment::of_database(system, line, engine).await?;
        line.detail(&format!("{name}: baseline inserts, {batch} leads a transaction"));
        let took: Duration = environment.database()?.insert(rows, batch).await?.into_iter().sum();
        rates.push((batch, rows.len() as f64 / took.as_secs_f64()));
        environment.end().await?;
    }
    best(&rates).ok_or_else(|| Error::failed("there is no batch size"))
}
