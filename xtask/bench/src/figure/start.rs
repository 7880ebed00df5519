//! Time from the start of a process until it is ready, with a warm disk cache.

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use xtask::error::{Error, Result};
use xtask::http;
use xtask::process::{signal_group, stop};
use xtask::progress::Step;

use crate::database::Engine;
use crate::environment::{Environment, Part};
use crate::measure::median;
use crate::row::{Goal, Row, Unit};
use crate::system::System;

const GOAL: Goal = Goal::AtMost(100.0);
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);
const TIMEOUT: Duration = Duration::from_secs(30);
const GRACE: Duration = Duration::from_secs(25);

/// Measures each service alone, without counting its first start.
pub(crate) async fn measure(system: &System<'_>, line: &Step) -> Result<Vec<Row>> {
    let environment = Environment::begin(system, line, Some(Engine::Postgres), None).await?;
    let mut table = Vec::new();
    for part in Part::ALL {
        let mut took = Vec::new();
        for number in 0..=system.scale.starts {
            line.detail(&format!("{}, start {number}", part.name()));
            let milliseconds = tokio::task::block_in_place(|| once(system, &environment, part))?;
            if number > 0 {
                took.push(milliseconds);
            }
        }
        let what = format!("start of {} to ready", part.name());
        table.push(Row::alone(what, Unit::Milliseconds, median(took), GOAL));
    }
    environment.end().await?;
    Ok(table)
}

fn once(system: &System<'_>, environment: &Environment<'_>, part: Part) -> Result<f64> {
    let (program, port) = (environment.program(part, 0), environment.admin_port(part));
    let log = system.directory.join(format!("start-{}.log", part.name()));
    let is_ready = || http::get(port, "/readyz", &[], TIMEOUT).is_ok_and(|answer| answer.status == 200);
    let began = Instant::now();
    let mut child = program.invocation().spawn(&log)?;
    while !is_ready() {
        if began.elapsed() > TIMEOUT || system.session.interrupt.count() > 0 {
            signal_group(child.id(), Signal::KILL);
            let _reaped = child.wait();
            return Err(Error::failed(format!("{} was not ready; see {}", part.name(), log.display())));
        }
        sleep(BETWEEN_LOOKS);
    }
    let took = began.elapsed();
    stop(&mut child, Signal::TERM, GRACE, &system.session.interrupt);
    Ok(took.as_secs_f64() * 1000.0)
}
