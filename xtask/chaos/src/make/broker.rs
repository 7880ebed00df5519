//! Alarms of the broker, and operator errors: deleted queues and bindings.

use std::time::{Duration, Instant};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use xtask::error::{Error, Result};

use crate::fault::{Made, Queue, Resource};
use crate::run::{Run, last};
use crate::stack::parts::Process;

const EXCHANGE: &str = "leads";
const SUBMITTED: &str = "lead.submitted.v1";

/// Minimum time before a deleted queue is declared again. When that happens within 30 ms, RabbitMQ 3.10 keeps the old
/// queue's consumers without notice, and they receive nothing until they reconnect.
const NOTICED: Duration = Duration::from_secs(1);

/// Maximum wait for the other copies.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The broker updates its counts every second.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1500);
/// Messages seen in the first look are processed by the next.
const LOOKS: u32 = 2;
/// Leads in processing or prefetched, at most.
const IN_HAND: u64 = 150;

/// The broker clears the alarm itself, so that it ends even if the broker becomes unreachable.
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

pub(super) async fn delete_queue(
    run: &Run,
    queue: Queue,
    lasts: Duration,
    over: &CancellationToken,
) -> Result<Made> {
    broker_is_there(run).await?;
    run.stack.management.delete_queue(&queue.name()).await.map_err(Error::of)?;
    last(lasts, over).await;
    sleep(NOTICED).await;
    make_again(run).await?;
    wait_for_the_other_copies(run, queue).await?;
    Ok(Made::Done)
}

pub(super) async fn delete_binding(
    run: &Run,
    queue: Queue,
    lasts: Duration,
    over: &CancellationToken,
) -> Result<Made> {
    broker_is_there(run).await?;
    run.stack.management.delete_binding(EXCHANGE, &queue.name(), SUBMITTED).await.map_err(Error::of)?;
    last(lasts, over).await;
    sleep(NOTICED).await;
    make_again(run).await?;
    wait_for_the_other_copies(run, queue).await?;
    Ok(Made::Done)
}

async fn broker_is_there(run: &Run) -> Result<()> {
    run.until("the broker was not ready", || run.stack.is_ready(Process::Broker)).await
}

/// Redeclares the topology as the operator, since the services lack permission. The broker may be down meanwhile.
async fn make_again(run: &Run) -> Result<()> {
    let deadline = Instant::now() + TIMEOUT;
    while let Err(error) = run.stack.topology.make().await {
        run.interrupt.check()?;
        if Instant::now() > deadline {
            return Err(error);
        }
        sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// Waits until the other queue has no backlog. Until a copy is processed, a lead exists only in the two queues, so
/// deleting both would lose it, which the script must not do. On timeout the run continues: the cause shows in the
/// checks.
async fn wait_for_the_other_copies(run: &Run, queue: Queue) -> Result<()> {
    let deadline = Instant::now() + TIMEOUT;
    let mut looks = 0;
    while looks < LOOKS && Instant::now() < deadline {
        sleep(BETWEEN_LOOKS).await;
        looks = if is_worked_off(run, queue).await.unwrap_or(false) { looks + 1 } else { 0 };
        run.interrupt.check()?;
    }
    Ok(())
}

async fn is_worked_off(run: &Run, queue: Queue) -> Result<bool> {
    let management = &run.stack.management;
    let is_whole = management.is_bound(EXCHANGE, &queue.name(), SUBMITTED).await.map_err(Error::of)?;
    let other = queue.other().name();
    let depths = management.depths().await.map_err(Error::of)?;
    Ok(is_whole && depths.iter().any(|depth| depth.queue == other && depth.messages <= IN_HAND))
}
