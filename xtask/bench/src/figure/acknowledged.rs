//! Leads acknowledged per second, confirmed by the broker; against a bare handler that gets the very same requests.

use tokio::time::sleep;
use xtask::error::Result;
use xtask::progress::Step;

use crate::load::Door;
use crate::measure::in_turn;
use crate::row::{Goal, Row, Unit};
use crate::scene::{Part, Scene};
use crate::system::System;

const GOAL: Goal = Goal::Share(0.9);

pub(crate) async fn through_nginx(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    measure(system, line, "leads acknowledged through nginx", true).await
}

pub(crate) async fn without_nginx(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    measure(system, line, "leads acknowledged without nginx", false).await
}

async fn measure(system: &System<'_>, line: &Step, what: &str, nginx: bool) -> Result<Vec<Row>> {
    let scene = Scene::begin(system, line, None, None).await?;
    let ports = &scene.ports;
    scene.start(Part::Intake, 0)?;
    scene.start_bare_intake()?;
    let (ours, bare) = if nginx {
        scene.start_nginx(ports.site, ports.intake)?;
        scene.start_nginx(ports.bare_site, ports.bare_intake)?;
        (ports.site, ports.bare_site)
    } else {
        (ports.intake, ports.bare_intake)
    };
    let door = &Door::open(ports.intake).await?;
    sleep(system.scale.visit).await;
    let acknowledged = async |who: &str, port: u16| {
        line.detail(who);
        scene.purge().await?;
        let scale = &system.scale;
        door.at(port).acknowledged(scale.connections, scale.length, &system.leads).await
    };
    let rounds = in_turn(
        system.scale.rounds,
        system.same,
        async || acknowledged("ours", ours).await,
        async || acknowledged("bare handler", bare).await,
    )
    .await?;
    scene.end().await?;
    Ok(vec![Row::beside(what, Unit::PerSecond, rounds.compared(|rate| *rate), GOAL)])
}
