//! What has to be done from time to time, by every replica, whichever comes first.

use std::{convert::Infallible, time::Duration};

use chrono::TimeDelta;
use runtime::service::Context;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{
    people::People,
    store::{Store, StoreError},
};

/// How often.
const INTERVAL: Duration = Duration::from_secs(60);

/// Leads of older versions get their contacts, leads whose time is over are erased, canaries forgotten.
pub(crate) struct Upkeep {
    pub(crate) store: Store,
    pub(crate) people: People,
    /// How long leads are kept; for good when it is not said.
    pub(crate) retention: Option<TimeDelta>,
}

impl Upkeep {
    /// At once, and then again and again for as long as the process lives.
    pub(crate) fn start(self, context: &Context) {
        let stop = context.lifecycle.soft_stop();
        context.lifecycle.spawn("upkeep", async move {
            self.run(&stop).await;
            Ok::<_, Infallible>(())
        });
    }

    async fn run(&self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                done = self.once() => if let Err(error) = done {
                    warn!(%error, "upkeep is not done, trying again");
                },
                () = stop.cancelled() => return,
            }
            tokio::select! {
                () = sleep(INTERVAL) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    async fn once(&self) -> Result<(), StoreError> {
        let assigned = self.people.assign_all().await?;
        if assigned > 0 {
            info!(leads = assigned, "leads of an older version have their contacts");
        }
        if let Some(age) = self.retention {
            let mut erased = 0;
            loop {
                let some = self.people.erase_older_than(age).await?;
                erased += some;
                if some == 0 {
                    break;
                }
            }
            if erased > 0 {
                info!(leads = erased, "leads whose time was over are erased");
            }
        }
        while self.store.forget_canaries().await? > 0 {}
        self.people.scrub().await;
        Ok(())
    }
}
