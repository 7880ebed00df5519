//! Runs recurring work that any replica may do.

use std::{convert::Infallible, time::Duration};

use chrono::TimeDelta;
use runtime::service::Context;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{
    db::{Store, error::StoreError},
    people::People,
};

const INTERVAL: Duration = Duration::from_secs(60);

/// Erases leads past their retention, deletes old canaries and tasks, and truncates SQLite's log.
pub(crate) struct Maintenance {
    pub(crate) store: Store,
    pub(crate) people: People,
    /// `None` keeps leads forever.
    pub(crate) retention: Option<TimeDelta>,
}

impl Maintenance {
    /// Runs at once, and then every [`INTERVAL`] until the process stops.
    pub(crate) fn start(self, context: &Context) {
        let stop = context.lifecycle.soft_stop();
        context.lifecycle.spawn("maintenance", async move {
            self.run(&stop).await;
            Ok::<_, Infallible>(())
        });
    }

    async fn run(&self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                done = self.once() => if let Err(error) = done {
                    warn!(%error, "maintenance failed, retrying");
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
                info!(leads = erased, "leads past RETENTION_DAYS erased");
            }
        }
        while self.store.forget_canaries().await? > 0 {}
        self.store.delete_old_tasks().await?;
        self.people.checkpoint().await;
        Ok(())
    }
}
