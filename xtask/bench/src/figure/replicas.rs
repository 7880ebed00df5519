//! Throughput of several consumer replicas compared with one. It has no goal, as the gain depends on the cores.

use xtask::error::{Error, Result};
use xtask::progress::Step;

use super::{mailed, stored};
use crate::database::Engine;
use crate::measure::{Who, in_turn};
use crate::row::{Goal, Row, Unit};
use crate::system::System;

pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let (one, more) =
        system.scale.replicas.split_first().ok_or_else(|| Error::failed("no number of replicas"))?;
    let mut table = Vec::new();
    for replicas in more {
        let rounds = in_turn(system.plan, &[Who::Ours, Who::Ceiling], async |who| {
            let replicas = if who == Who::Ours { *replicas } else { *one };
            let name = format!("{replicas} crm-sync");
            let (sample, _) = stored::by_crm_sync(system, line, Engine::Postgres, &name, replicas).await?;
            Ok(sample.per_second)
        })
        .await?;
        let what = format!("leads stored by {replicas} crm-sync (baseline: {one})");
        table.push(Row::beside(what, Unit::PerSecond, rounds.compared(|rate| *rate), Goal::None));
    }
    for replicas in more {
        let rounds = in_turn(system.plan, &[Who::Ours, Who::Ceiling], async |who| {
            let replicas = if who == Who::Ours { *replicas } else { *one };
            Ok(mailed::by_notifier(system, line, replicas).await?.0)
        })
        .await?;
        let what = format!("emails sent by {replicas} notifiers (baseline: {one})");
        table.push(Row::beside(what, Unit::PerSecond, rounds.compared(|rate| *rate), Goal::None));
    }
    Ok(table)
}
