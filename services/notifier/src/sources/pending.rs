//! Fetches leads with due deliveries from the CRM over gRPC, without the broker.

use std::{sync::Arc, time::Duration};

use runtime::{backoff::Backoff, lifecycle::Lifecycle, random::SharedIds, service::Context};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{
    crm::ledger::Pending,
    delivery::{
        deliverer::{Deliverer, DeliveryResult, Limits},
        retry::part_of,
    },
    recipients::Recipient,
};

/// Leads fetched at once.
const BATCH: u32 = 128;

/// Leads fetched and not finished: enough that some may wait for a slow server without blocking the rest.
const IN_PROGRESS: usize = 256;

/// Polls the CRM for pending leads and delivers them.
pub(crate) struct PendingLeads {
    pub(crate) deliverer: Arc<Deliverer>,
    /// A lead pending for longer than this is fetched from the CRM.
    pub(crate) grace: Duration,
    /// Mean time between polls; each wait is randomised by half of it.
    pub(crate) interval: Duration,
}

impl PendingLeads {
    pub(crate) fn start(self, context: &Context) {
        let (lifecycle, ids) = (context.lifecycle.clone(), context.ids.clone());
        context.lifecycle.spawn_until("pending-leads", lifecycle.soft_stop(), async move {
            Arc::new(self).run(&lifecycle, &ids).await;
        });
    }

    async fn run(self: Arc<Self>, lifecycle: &Lifecycle, ids: &SharedIds) {
        let Deliverer { ledger, metrics, mail_context, .. } = &*self.deliverer;
        let free = Arc::new(Semaphore::new(IN_PROGRESS));
        let mut ledger_answers = true;
        loop {
            // At random, so that replicas do not poll in step.
            sleep(self.interval / 2 + part_of(self.interval, ids.next())).await;
            // The result shows in `is_available` below.
            let _ = self.deliverer.probe().await;
            while self.deliverer.is_available() {
                let Ok(mut permits) = Arc::clone(&free).acquire_many_owned(BATCH).await else { return };
                let leased = ledger.lease_pending(self.grace, BATCH, mail_context.has_brochure()).await;
                if leased.is_ok() != ledger_answers {
                    ledger_answers = leased.is_ok();
                    match &leased {
                        Ok(_) => info!("CRM available again"),
                        Err(error) => warn!(%error, "CRM unavailable, retrying"),
                    }
                }
                let due = leased.unwrap_or_default();
                let count = u32::try_from(due.len()).unwrap_or(u32::MAX);
                metrics.leased_leads.add(count.into(), &[]);
                for due in due {
                    let (pending, permit) = (Arc::clone(&self), permits.split(1));
                    let soft = lifecycle.soft_stop();
                    lifecycle.spawn_until("pending-delivery", lifecycle.hard_stop(), async move {
                        let _permit = permit;
                        pending.deliver(due, &soft).await;
                    });
                }
                if count < BATCH {
                    break;
                }
            }
        }
    }

    /// Delivers a lead, or a notice of an erasure. Waits for the mail server while it is unavailable.
    async fn deliver(&self, due: Pending, stop: &CancellationToken) {
        // The lead may soon be leased by another process.
        let limits = &Limits { until: Instant::now() + self.deliverer.ledger.lease * 5 / 6, stop };
        let (lead, requested) = match due {
            Pending::Lead { lead, requested } => (*lead, requested),
            Pending::Erasure(notice) => return self.deliverer.deliver_notice(notice).await,
        };
        let audience: Vec<_> = if requested.is_empty() {
            self.deliverer.audience(&lead)
        } else {
            let routes = self.deliverer.routes.current();
            requested.into_iter().map(|name| Recipient::requested(name, &routes)).collect()
        };
        let mut backoff = Backoff::default();
        while Instant::now() < limits.until && !stop.is_cancelled() {
            if self.deliverer.probe().await.is_ok() {
                let (lead, audience) = (lead.clone(), audience.clone());
                let delivering = self.deliverer.deliver(lead, audience, limits);
                match delivering.await {
                    DeliveryResult::Unavailable => {}
                    DeliveryResult::Done | DeliveryResult::Unfinished => return,
                }
            }
            tokio::select! {
                () = sleep(backoff.next_delay()) => {}
                () = stop.cancelled() => {}
            }
        }
    }
}
