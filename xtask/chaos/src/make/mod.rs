//! Makes the faults; one file per kind.

mod broker;
mod database;
mod disk;
mod network;
mod poison;
pub(crate) mod process;
mod smtp;

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use xtask::error::Result;

use crate::fault::{Fault, Made};
use crate::run::Run;

/// Makes a fault, waits for `lasts` and heals it. Fails if it cannot be made or healed.
pub(crate) async fn make(fault: Fault, run: &Run, lasts: Duration, over: &CancellationToken) -> Result<Made> {
    match fault {
        Fault::Kill(process) => process::kill(run, process).await,
        Fault::Freeze(process) => process::freeze(run, process, lasts, over).await,
        Fault::Restart(process) => process::restart(run, process, lasts, over).await,
        Fault::Cut(_) | Fault::Stall(_) | Fault::Reset(_) | Fault::HalfOpen(_) => {
            network::disturb(fault, run, lasts, over).await
        }
        Fault::Alarm(resource) => broker::alarm(run, resource, lasts, over).await,
        Fault::QueueDeleted(queue) => broker::delete_queue(run, queue, lasts, over).await,
        Fault::BindingDeleted(queue) => broker::delete_binding(run, queue, lasts, over).await,
        Fault::Mail(trouble) => smtp::trouble(run, trouble, lasts, over).await,
        Fault::RecipientRefused => smtp::refuse_recipient(run).await,
        Fault::ReadOnly => database::read_only(run, lasts, over).await,
        Fault::OutOfConnections => database::out_of_connections(run, lasts, over).await,
        Fault::Locked => database::lock(run, lasts).await,
        Fault::Deadlock => database::deadlock(run, lasts).await,
        Fault::DatabaseDiskFull => disk::fill_database(run, lasts, over).await,
        Fault::BrokerDiskFull => disk::fill_broker(run, lasts, over).await,
        Fault::Poison(poison, queue) => poison::put(run, poison, queue).await,
    }
}
