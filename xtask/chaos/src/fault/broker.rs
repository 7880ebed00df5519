//! The broker's alarms, and an operator's slips.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use xtask::error::Result;

use super::{Made, Queue, Resource, last};
use crate::run::Run;

const EXCHANGE: &str = "leads";
const SUBMITTED: &str = "lead.submitted.v1";

/// The broker clears the alarm by itself, so that it is over even if nobody can tell it so.
pub(super) async fn alarm(
    run: &Run,
    resource: Resource,
    lasts: Duration,
    over: &CancellationToken,
) -> Result<Made> {
    let name = match resource {
        Resource::Memory => "memory",
        Resource::Disk => "disk",
    };
    let limit = format!("{{resource_limit, {name}, node()}}");
    let expression = format!(
        "spawn(fun() -> rabbit_alarm:set_alarm({{{limit}, []}}), timer:sleep({}), rabbit_alarm:clear_alarm({limit}) end), ok.",
        lasts.as_millis()
    );
    tokio::task::block_in_place(|| run.stack.node.evaluate(&expression))?;
    last(lasts, over).await;
    Ok(Made::Done)
}

pub(super) async fn delete_queue(run: &Run, queue: Queue) -> Result<Made> {
    run.stack.management.delete_queue(&format!("{}.leads", queue.service())).await?;
    Ok(Made::Done)
}

pub(super) async fn delete_binding(run: &Run, queue: Queue) -> Result<Made> {
    let name = format!("{}.leads", queue.service());
    run.stack.management.delete_binding(EXCHANGE, &name, SUBMITTED).await?;
    Ok(Made::Done)
}
