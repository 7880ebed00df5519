//! Kills, freezes and restarts processes.

use std::time::Duration;

use rustix::process::Signal;
use tokio_util::sync::CancellationToken;
use xtask::error::Result;

use crate::fault::Made;
use crate::run::{Run, last};
use crate::stack::parts::Process;

pub(super) async fn kill(run: &Run, process: Process) -> Result<Made> {
    let before = run.stack.supervisor.pid(process.name());
    run.stack.supervisor.signal(process.name(), Signal::KILL);
    run.until(&format!("{} was not restarted", process.name()), || {
        let now = run.stack.supervisor.pid(process.name());
        now.is_some() && now != before
    })
    .await?;
    ready(run, process).await
}

pub(super) async fn freeze(
    run: &Run,
    process: Process,
    lasts: Duration,
    over: &CancellationToken,
) -> Result<Made> {
    run.stack.supervisor.signal(process.name(), Signal::STOP);
    last(lasts, over).await;
    run.stack.supervisor.signal(process.name(), Signal::CONT);
    ready(run, process).await
}

pub(super) async fn restart(
    run: &Run,
    process: Process,
    lasts: Duration,
    over: &CancellationToken,
) -> Result<Made> {
    stop(run, process);
    last(lasts, over).await;
    start(run, process).await
}

/// Stops a process gracefully, and records if it had to be killed.
pub(crate) fn stop(run: &Run, process: Process) {
    let in_time = tokio::task::block_in_place(|| run.stack.supervisor.hold(process.name()));
    if !in_time {
        run.note_overdue(process);
    }
}

/// Starts a stopped process and waits until it is ready.
pub(crate) async fn start(run: &Run, process: Process) -> Result<Made> {
    run.stack.supervisor.release(process.name());
    ready(run, process).await
}

async fn ready(run: &Run, process: Process) -> Result<Made> {
    run.until(&format!("{} was not ready again", process.name()), || run.stack.is_ready(process)).await?;
    Ok(Made::Done)
}
