//! Fetches leads with due deliveries from the CRM over gRPC, without the broker.

use std::{convert::Infallible, sync::Arc};

use runtime::{backoff::Backoff, lifecycle::Lifecycle, random::SharedIds, service::Context};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{
    config,
    crm::ledger::{Ledger, PendingLead},
    delivery::deliverer::{Deliverer, DeliveryResult, Limits, Source},
    metrics::Metrics,
    retry_delays::part_of,
};

/// Leads fetched at once.
const BATCH: u32 = 128;

/// Leads fetched and not finished: enough that some may wait for a slow server without blocking the rest.
const IN_PROGRESS: usize = 256;

/// Polls the CRM for pending leads and delivers them.
pub(crate) struct PendingLeads {
    pub(crate) deliverer: Arc<Deliverer>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) pending: config::Pending,
    pub(crate) metrics: Metrics,
}

impl PendingLeads {
    pub(crate) fn start(self, context: &Context) {
        let (lifecycle, ids) = (context.lifecycle.clone(), context.ids.clone());
        context.lifecycle.spawn("pending-leads", async move {
            let soft = lifecycle.soft_stop();
            tokio::select! {
                () = Arc::new(self).run(&lifecycle, &ids) => {}
                () = soft.cancelled() => {}
            }
            Ok::<_, Infallible>(())
        });
    }

    async fn run(self: Arc<Self>, lifecycle: &Lifecycle, ids: &SharedIds) {
        let free = Arc::new(Semaphore::new(IN_PROGRESS));
        let mut ledger_answers = true;
        loop {
            // At random, so that replicas do not poll in step.
            sleep(self.pending.interval / 2 + part_of(self.pending.interval, ids.next())).await;
            // The result shows in `is_available` below.
            let _ = self.deliverer.probe().await;
            while self.deliverer.is_available() {
                let Ok(mut permits) = Arc::clone(&free).acquire_many_owned(BATCH).await else { return };
                let leased =
                    self.ledger.lease_pending(self.pending.after, BATCH, self.deliverer.has_brochure()).await;
                if leased.is_ok() != ledger_answers {
                    ledger_answers = leased.is_ok();
                    match &leased {
                        Ok(_) => info!("CRM available again"),
                        Err(error) => warn!(%error, "CRM unavailable, retrying"),
                    }
                }
                let leads = leased.unwrap_or_default();
                self.metrics.leased(leads.len());
                let is_full = u32::try_from(leads.len()).is_ok_and(|count| count >= BATCH);
                for lead in leads {
                    let (pending, permit) = (Arc::clone(&self), permits.split(1));
                    let (soft, hard) = (lifecycle.soft_stop(), lifecycle.hard_stop());
                    lifecycle.spawn("pending-delivery", async move {
                        let _permit = permit;
                        tokio::select! {
                            () = pending.deliver(lead, &soft) => {}
                            () = hard.cancelled() => {}
                        }
                        Ok::<_, Infallible>(())
                    });
                }
                if !is_full {
                    break;
                }
            }
        }
    }

    async fn deliver(&self, pending: PendingLead, stop: &CancellationToken) {
        // The lead may soon be leased by another process.
        let limits = &Limits { until: Instant::now() + self.ledger.lease() * 5 / 6, stop };
        let PendingLead { lead, requested } = pending;
        let audience = match requested.is_empty() {
            true => self.deliverer.audience(&lead),
            false => self.deliverer.requested(requested),
        };
        while self.mail_server_is_there(limits).await {
            let (lead, audience) = (lead.clone(), audience.clone());
            let delivering = self.deliverer.deliver(lead, audience, None, Source::Pending, limits);
            match delivering.await {
                DeliveryResult::Unavailable => {}
                DeliveryResult::Done | DeliveryResult::Unfinished => return,
            }
        }
    }

    /// Waits for the mail server, until the limits end.
    async fn mail_server_is_there(&self, limits: &Limits<'_>) -> bool {
        let mut backoff = Backoff::new();
        while Instant::now() < limits.until && !limits.stop.is_cancelled() {
            if self.deliverer.probe().await.is_ok() {
                return true;
            }
            tokio::select! {
                () = sleep(backoff.next_delay()) => {}
                () = limits.stop.cancelled() => {}
            }
        }
        false
    }
}
