//! Leads acknowledged per second after the broker's confirm, compared with a baseline handler for the same requests.

use tokio::time::sleep;
use xtask::error::Result;
use xtask::progress::Step;

use crate::environment::{Environment, Part};
use crate::load::Door;
use crate::measure::in_turn;
use crate::row::{Goal, Row, Unit};
use crate::system::System;

const GOAL: Goal = Goal::Share(0.9);

pub(crate) async fn through_nginx(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    measure(system, line, "leads acknowledged through nginx", true).await
}

pub(crate) async fn without_nginx(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    measure(system, line, "leads acknowledged without nginx", false).await
}

async fn measure(system: &System<'_>, line: &Step, what: &str, nginx: bool) -> Result<Vec<Row>> {
    let environment = Environment::begin(system, line, None, None).await?;
    let ports = &environment.ports;
    environment.start(Part::Intake, 0)?;
    environment.start_baseline_intake()?;
    let (ours, baseline) = if nginx {
        environment.start_nginx(ports.site, ports.intake)?;
        environment.start_nginx(ports.baseline_site, ports.baseline_intake)?;
        (ports.site, ports.baseline_site)
    } else {
        (ports.intake, ports.baseline_intake)
    };
    let door = &Door::open(ports.intake).await?;
    sleep(system.scale.visit).await;
    let acknowledged = async |who: &str, port: u16| {
        line.detail(who);
        environment.purge().await?;
        let scale = &system.scale;
        door.at(port).acknowledged(scale.connections, scale.length, &system.leads).await
    };
    let rounds = in_turn(
        system.scale.rounds,
        system.same,
        async || acknowledged("ours", ours).await,
        async || acknowledged("baseline handler", baseline).await,
    )
    .await?;
    environment.end().await?;
    Ok(vec![Row::beside(what, Unit::PerSecond, rounds.compared(|rate| *rate), GOAL)])
}
