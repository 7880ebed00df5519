//! Leads that are stored and that nobody was told of: fetched from the ledger, told, without the broker.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{StreamExt, stream};
use messaging::{PublishError, Publisher, Reason, Schedule, topology};
use runtime::{backoff::Backoff, clock::SharedClock, random::SharedIds, service::Context};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::{
    config::Reconciliation,
    metrics::Metrics,
    telling::{Source, Teller, Telling},
    wire::{Failed, Ledger, Submission},
};

/// How many leads are fetched at once, and so the most that one mail tells of.
const LIMIT: u32 = 256;

/// How many of them are told side by side.
const CONCURRENCY: usize = 8;

/// Fetches and tells leads for as long as the process lives.
pub(crate) struct Reconciler {
    pub(crate) teller: Arc<Teller>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) publisher: Publisher,
    pub(crate) schedule: Schedule,
    pub(crate) reconciliation: Reconciliation,
    pub(crate) clock: SharedClock,
    pub(crate) metrics: Metrics,
}

impl Reconciler {
    pub(crate) fn start(self, context: &Context) {
        let (soft, hard) = (context.lifecycle.soft_stop(), context.lifecycle.hard_stop());
        let ids = context.ids.clone();
        context.lifecycle.spawn("reconciler", async move {
            tokio::select! {
                () = self.run(&soft, &ids) => {}
                () = hard.cancelled() => {}
            }
            Ok::<_, Infallible>(())
        });
    }

    /// Until the process is asked to stop; what is under way then is finished.
    async fn run(&self, soft: &CancellationToken, ids: &SharedIds) {
        let mut ledger_answers = true;
        loop {
            tokio::select! {
                () = sleep(around(self.reconciliation.interval, ids)) => {}
                () = soft.cancelled() => return,
            }
            self.teller.settle_what_is_owed().await;
            if !self.teller.may_mail() {
                tokio::select! {
                    // Whether it succeeded shows in the next line.
                    _ = self.teller.probe() => {}
                    () = soft.cancelled() => return,
                }
            }
            while self.teller.may_mail() && !soft.is_cancelled() {
                let leased = self.ledger.lease_untold(self.reconciliation.untold_after, LIMIT).await;
                if leased.is_ok() != ledger_answers {
                    ledger_answers = leased.is_ok();
                    match &leased {
                        Ok(_) => info!("the ledger answers again"),
                        Err(error) => warn!(%error, "the ledger does not answer, trying again"),
                    }
                }
                let leads = leased.unwrap_or_default();
                let is_full = u32::try_from(leads.len()).is_ok_and(|count| count >= LIMIT);
                self.tell_all(leads, soft).await;
                if !is_full {
                    break;
                }
            }
        }
    }

    async fn tell_all(&self, leads: Vec<Submission>, soft: &CancellationToken) {
        self.metrics.leased(leads.len());
        // What was not begun by then may soon be another's.
        let fresh_until = Instant::now() + self.reconciliation.lease * 5 / 6;
        let gathered = Mutex::new(Vec::new());
        stream::iter(leads)
            .for_each_concurrent(CONCURRENCY, async |lead| {
                while self.mail_server_is_there(fresh_until, soft).await {
                    let mut telling = self.teller.tell(&lead, None, Source::Ledger).await;
                    let of_this = telling.take_gathered();
                    gathered.lock().unwrap_or_else(PoisonError::into_inner).extend(of_this);
                    self.settle(&lead, &telling).await;
                    if !telling.is_paused() {
                        break;
                    }
                }
            })
            .await;
        let gathered = gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (lead, telling) in self.teller.tell_gathered(gathered).await {
            self.settle(&lead, &telling).await;
        }
    }

    /// Waits for the mail server, as long as it makes sense to go on.
    async fn mail_server_is_there(&self, until: Instant, soft: &CancellationToken) -> bool {
        let mut backoff = Backoff::new();
        while Instant::now() < until && !soft.is_cancelled() {
            if self.teller.probe().await.is_ok() {
                return true;
            }
            tokio::select! {
                () = sleep(backoff.next_delay()) => {}
                () = soft.cancelled() => {}
            }
        }
        false
    }

    /// Does what follows for those of a lead who could not be told.
    async fn settle(&self, lead: &Submission, telling: &Telling) {
        let attempt = telling.attempt().unwrap_or(1);
        match telling.what_follows(&self.schedule, attempt, Duration::ZERO) {
            None => {}
            // Without a claim the ledger would not hear that it is parked, and it would be parked again.
            Some(Failed::Parked(_)) if telling.attempt().is_none() => {}
            Some(Failed::Parked(reason)) => self.park(lead, attempt, reason, telling).await,
            Some(what_follows @ (Failed::Waiting(..) | Failed::Released | Failed::Declined(_))) => {
                self.teller.report_failed(telling, &what_follows).await;
            }
        }
    }

    /// Puts the lead where an operator finds it, then says so to the ledger: nothing is parked there alone.
    async fn park(&self, lead: &Submission, attempt: u32, reason: &Reason, telling: &Telling) {
        let what_follows = match self.publish_parked(lead, attempt, reason).await {
            Ok(()) => Failed::Parked(reason),
            Err(error) => {
                warn!(%error, "a lead cannot be parked, it will be tried again");
                Failed::Waiting(self.schedule.longest(), reason)
            }
        };
        self.teller.report_failed(telling, &what_follows).await;
    }

    async fn publish_parked(
        &self,
        lead: &Submission,
        attempt: u32,
        reason: &Reason,
    ) -> Result<(), PublishError> {
        let event = lead.event();
        self.publisher.park(&topology::NOTIFIER, &event, attempt, reason, self.clock.now()).await?;
        error!(lead_id = event.lead_id(), attempt, class = reason.class, detail = reason.detail, "parked");
        Ok(())
    }
}

/// Half to one and a half of it, so that replicas do not ask in step.
fn around(interval: Duration, ids: &SharedIds) -> Duration {
    let percent = u32::try_from(ids.next().as_u128() % 101).unwrap_or_default();
    interval / 2 + interval * percent / 100
}
