//! Fetches leads with due deliveries from the CRM over gRPC, without the broker.

use parking_lot::Mutex;
use std::{convert::Infallible, sync::Arc, time::Duration};

use futures_util::{StreamExt, stream};
use runtime::{backoff::Backoff, random::SharedIds, service::Context};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{
    config,
    crm::ledger::{Ledger, PendingLead},
    delivery::{
        DigestItem, Source,
        deliverer::{Deliverer, End, Limits},
    },
    metrics::Metrics,
};

/// Leads fetched at once, and so the maximum in one digest.
const LIMIT: u32 = 256;

/// Leads delivered concurrently.
const CONCURRENCY: usize = 8;

/// Polls the CRM for pending leads and delivers them.
pub(crate) struct PendingLeads {
    pub(crate) deliverer: Arc<Deliverer>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) pending: config::Pending,
    pub(crate) metrics: Metrics,
}

impl PendingLeads {
    pub(crate) fn start(self, context: &Context) {
        let (soft, hard) = (context.lifecycle.soft_stop(), context.lifecycle.hard_stop());
        let ids = context.ids.clone();
        context.lifecycle.spawn("pending-leads", async move {
            tokio::select! {
                () = self.run(&soft, &ids) => {}
                () = hard.cancelled() => {}
            }
            Ok::<_, Infallible>(())
        });
    }

    /// Returns once the process is asked to stop and the current deliveries are finished.
    async fn run(&self, soft: &CancellationToken, ids: &SharedIds) {
        let mut ledger_answers = true;
        loop {
            tokio::select! {
                () = sleep(around(self.pending.interval, ids)) => {}
                () = soft.cancelled() => return,
            }
            tokio::select! {
                // The result shows in `is_available` below.
                _ = self.deliverer.probe() => {}
                () = soft.cancelled() => return,
            }
            while self.deliverer.is_available() && !soft.is_cancelled() {
                let leased =
                    self.ledger.lease_pending(self.pending.after, LIMIT, self.deliverer.has_brochure()).await;
                if leased.is_ok() != ledger_answers {
                    ledger_answers = leased.is_ok();
                    match &leased {
                        Ok(_) => info!("CRM available again"),
                        Err(error) => warn!(%error, "CRM unavailable, retrying"),
                    }
                }
                let leads = leased.unwrap_or_default();
                let is_full = u32::try_from(leads.len()).is_ok_and(|count| count >= LIMIT);
                self.deliver_all(leads, soft).await;
                if !is_full {
                    break;
                }
            }
        }
    }

    async fn deliver_all(&self, leads: Vec<PendingLead>, soft: &CancellationToken) {
        self.metrics.leased(leads.len());
        // Leads not begun by then may soon be leased by another process.
        let limits = Limits { until: Instant::now() + self.ledger.lease() * 5 / 6, stop: soft };
        let items = Mutex::new(Vec::new());
        stream::iter(leads)
            .for_each_concurrent(CONCURRENCY, async |lead| {
                let of_this = self.deliver(lead, &limits).await;
                items.lock().extend(of_this);
            })
            .await;
        let items = items.into_inner();
        self.deliverer.deliver_digests(items, &limits).await;
    }

    async fn deliver(&self, pending: PendingLead, limits: &Limits<'_>) -> Option<DigestItem> {
        let PendingLead { lead, requested } = pending;
        let audience = match requested.is_empty() {
            true => self.deliverer.audience(&lead),
            false => self.deliverer.requested(requested),
        };
        while self.mail_server_is_there(limits).await {
            let (lead, audience) = (lead.clone(), audience.clone());
            let delivering = self.deliverer.deliver(lead, audience, None, Source::Pending, limits);
            match delivering.await {
                (End::Unavailable, _) => {}
                (End::Done | End::Unfinished, items) => return items,
            }
        }
        None
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

/// A random wait from 0.5 to 1.5 of `interval`, so that replicas do not poll in step.
fn around(interval: Duration, ids: &SharedIds) -> Duration {
    let percent = u32::try_from(ids.next().as_u128() % 101).unwrap_or_default();
    interval / 2 + interval * percent / 100
}
