//! Leads stored per second by crm-sync from a backlog, compared with baseline inserts of the same rows.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use xtask::error::{Error, Result};
use xtask::progress::Step;

use crate::database::{Engine, Rows, best};
use crate::environment::{Environment, Part};
use crate::measure::in_turn;
use crate::row::{Goal, Row, Unit};
use crate::system::System;

const GOAL: Goal = Goal::Share(0.6);
/// Leads per transaction: from a few, like crm-sync's, up to what SQLite's 32,766 parameters allow.
const BATCHES: [usize; 3] = [64, 256, 900];

pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let mut table = Vec::new();
    for (engine, name) in [(Engine::Postgres, "PostgreSQL"), (Engine::Sqlite, "SQLite")] {
        let (rows, batch): (RefCell<Rc<[Rows]>>, RefCell<usize>) = Default::default();
        let rounds = in_turn(
            system.scale.rounds,
            system.same,
            async || {
                let (rate, stored) = by_crm_sync(system, line, engine, name, 1).await?;
                rows.replace(stored.into());
                Ok(rate)
            },
            async || {
                let rows = Rc::clone(&rows.borrow());
                let (size, rate) = baseline(system, line, engine, name, &rows).await?;
                batch.replace(size);
                Ok(rate)
            },
        )
        .await?;
        let what = format!("leads stored in {name} (ceiling: {} a transaction)", batch.borrow());
        table.push(Row::beside(what, Unit::PerSecond, rounds.compared(|rate| *rate), GOAL));
    }
    Ok(table)
}

/// Leads stored per second by `replicas` replicas of crm-sync, and the stored rows.
pub(crate) async fn by_crm_sync(
    system: &System<'_>,
    line: &Step,
    engine: Engine,
    name: &str,
    replicas: usize,
) -> Result<(f64, Vec<Rows>)> {
    let environment = Environment::begin(system, line, Some(engine), None).await?;
    let leads = system.scale.leads;
    environment.fill(leads, |count| line.detail(&format!("{name}: {count} of {leads} published"))).await?;
    for number in 0..replicas {
        environment.start(Part::Crm, number)?;
    }
    let database = environment.database()?;
    database.wait_for(leads, |count| line.detail(&format!("{name}: {count} of {leads} stored"))).await?;
    let stored = (database.per_second().await?, database.rows().await?);
    environment.end().await?;
    Ok(stored)
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
