//! Full disks.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use xtask::error::Result;

use crate::fault::Made;
use crate::run::{Run, last};
use crate::stack::disk::Disk;
use crate::stack::parts::Process;

/// Space left on the broker's disk: it raises its alarm earlier, and needs some space to run.
const BROKER_SPARE_MB: u64 = 16;

pub(super) async fn fill_database(run: &Run, lasts: Duration, over: &CancellationToken) -> Result<Made> {
    fill(run, run.stack.database_disk.as_ref(), 0, Process::Database, lasts, over).await
}

pub(super) async fn fill_broker(run: &Run, lasts: Duration, over: &CancellationToken) -> Result<Made> {
    fill(run, run.stack.broker_disk.as_ref(), BROKER_SPARE_MB, Process::Broker, lasts, over).await
}

async fn fill(
    run: &Run,
    disk: Option<&Disk>,
    spare: u64,
    process: Process,
    lasts: Duration,
    over: &CancellationToken,
) -> Result<Made> {
    let Some(disk) = disk else { return Ok(Made::NotPossibleHere) };
    tokio::task::block_in_place(|| disk.fill(spare))?;
    last(lasts, over).await;
    disk.clear()?;
    run.until(&format!("{} did not recover from a full disk", process.name()), || {
        run.stack.is_ready(process)
    })
    .await?;
    Ok(Made::Done)
}
