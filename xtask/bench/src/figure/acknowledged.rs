//! Leads acknowledged per second after the broker's confirm, and what each costs.

use tokio::time::sleep;
use xtask::cpu::process_time;
use xtask::error::Result;
use xtask::progress::Step;

use super::memory::{MOST, megabytes};
use crate::environment::{Environment, Part, PeerRole};
use crate::load::Door;
use crate::measure::{Who, in_turn};
use crate::row::{Goal, Row, Unit};
use crate::system::System;

const RATE: Goal = Goal::ShareAndPeer(0.85, 2.0);
const CORE: Goal = Goal::AtMost(60.0);

struct Sample {
    per_second: f64,
    /// Microseconds of CPU time per lead, of the acknowledging process.
    core: f64,
    megabytes: f64,
}

pub(crate) async fn through_nginx(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    measure(system, line, true).await
}

pub(crate) async fn without_nginx(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    measure(system, line, false).await
}

async fn measure(system: &System<'_>, line: &Step, nginx: bool) -> Result<Vec<Row>> {
    let environment = Environment::begin(system, line, None, None).await?;
    let ports = &environment.ports;
    environment.start(Part::Intake, 0)?;
    environment.start_baseline_intake()?;
    environment.start_peer(PeerRole::Intake).await?;
    let doors = [
        (ports.site, ports.intake),
        (ports.baseline_site, ports.baseline_intake),
        (ports.peer_site, ports.peer_intake),
    ];
    if nginx {
        for (site, intake) in doors {
            environment.start_nginx(site, intake)?;
        }
    }
    let door = &Door::open(ports.intake).await?;
    sleep(system.scale.visit).await;
    let all = [Who::Ours, Who::Ceiling, Who::Peer];
    let rounds = in_turn(system.plan, &all, async |who| {
        line.detail(who.name());
        environment.purge().await?;
        let (site, intake) = doors[who as usize];
        let pid = environment.pid_of_intake(who)?;
        let scale = &system.scale;
        let before = process_time(pid)?;
        let door = door.at(if nginx { site } else { intake });
        let acknowledged = door.acknowledged(scale.connections, scale.length, &system.leads).await?;
        let spent = process_time(pid)?.saturating_sub(before);
        Ok(Sample {
            per_second: acknowledged.per_second,
            core: spent.as_secs_f64() * 1e6 / acknowledged.all as f64,
            megabytes: megabytes(pid, MOST)?,
        })
    })
    .await?;
    environment.end().await?;
    let rate = rounds.compared(|sample| sample.per_second);
    if nginx {
        return Ok(vec![Row::beside("leads acknowledged through nginx", Unit::PerSecond, rate, RATE)]);
    }
    let core = rounds.compared(|sample| sample.core);
    let memory = rounds.compared(|sample| sample.megabytes);
    Ok(vec![
        Row::beside("leads acknowledged without nginx", Unit::PerSecond, rate, RATE),
        Row::beside("CPU time per lead acknowledged", Unit::Core, core, CORE),
        Row::beside("memory of the acknowledging process", Unit::Megabytes, memory, Goal::None),
    ])
}
