//! Waits until a healed system has finished all remaining work.

use std::time::{Duration, Instant};

use tokio::time::sleep;
use xtask::error::{Error, Result};
use xtask::progress::Step as Line;

use crate::check;
use crate::run::Run;

/// Long enough for a lead with three failed leases, which is leased again after four minutes.
const WITHIN: Duration = Duration::from_secs(420);
/// Time without activity that counts as quiescence. Quorum queues publish their counts every five seconds
/// (`quorum_tick_interval`), so that a shorter time may see old ones.
const STILL: Duration = Duration::from_secs(11);
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// Waits for quiescence; returns the remaining activity if it takes too long.
pub(crate) async fn wait(run: &Run, line: &Line) -> Result<Option<String>> {
    let deadline = Instant::now() + WITHIN;
    let mut still_since = None;
    let mut count = 0;
    loop {
        run.interrupt.check()?;
        let emails = run.stack.mailbox.count();
        let unrest = match unrest(run).await {
            Ok(None) if emails != count => Some("emails are still arriving".to_owned()),
            Ok(unrest) => unrest,
            Err(error) => Some(error.to_string()),
        };
        count = emails;
        match unrest {
            None => {
                let since = *still_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= STILL {
                    return Ok(None);
                }
            }
            Some(unrest) => {
                still_since = None;
                run.show(line, &unrest);
                if Instant::now() > deadline {
                    return Ok(Some(unrest));
                }
            }
        }
        sleep(BETWEEN_LOOKS).await;
    }
}

async fn unrest(run: &Run) -> Result<Option<String>> {
    let waiting = run.visitors.waiting();
    if waiting > 0 {
        return Ok(Some(format!("{waiting} visitors wait for a response")));
    }
    let depths = run.stack.management.depths().await.map_err(Error::of)?;
    if let Some(depth) = depths.iter().find(|depth| depth.is_work()) {
        return Ok(Some(format!("{} messages in {}", depth.messages, depth.queue)));
    }
    let open = tokio::task::block_in_place(|| check::unfinished(&run.stack.sql))?;
    Ok((open > 0).then(|| format!("{open} leads and deliveries are unfinished")))
}
