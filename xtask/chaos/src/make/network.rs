//! Network faults: cut, stalled, reset and half-open connections.

use std::time::Duration;

use testkit::proxy::{Direction, Mode};
use tokio_util::sync::CancellationToken;
use xtask::error::Result;

use crate::fault::{Fault, Made, Target};
use crate::run::{Run, last};

pub(super) async fn disturb(
    fault: Fault,
    run: &Run,
    lasts: Duration,
    over: &CancellationToken,
) -> Result<Made> {
    if let (Some(mode), Target::Link(link)) = (mode(fault), fault.target()) {
        run.stack.links.set(link, mode);
        last(lasts, over).await;
        run.stack.links.set(link, Mode::Pass);
    }
    Ok(Made::Done)
}

fn mode(fault: Fault) -> Option<Mode> {
    match fault {
        Fault::Cut(_) => Some(Mode::Cut),
        Fault::Stall(_) => Some(Mode::Stall(Direction::Both)),
        Fault::Reset(_) => Some(Mode::Reset),
        Fault::HalfOpen(_) => Some(Mode::HalfOpen),
        Fault::Kill(_)
        | Fault::Freeze(_)
        | Fault::Restart(_)
        | Fault::Alarm(_)
        | Fault::QueueDeleted(_)
        | Fault::BindingDeleted(_)
        | Fault::Mail(_)
        | Fault::RecipientRefused
        | Fault::ReadOnly
        | Fault::OutOfConnections
        | Fault::Locked
        | Fault::Deadlock
        | Fault::DatabaseDiskFull
        | Fault::BrokerDiskFull
        | Fault::Poison(..) => None,
    }
}
