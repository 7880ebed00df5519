//! Fetches leads with due deliveries from the CRM over gRPC, without the broker.

use std::sync::Arc;

use runtime::{backoff::Backoff, lifecycle::Lifecycle, random::SharedIds, service::Context};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{
    crm::PendingDelivery,
    delivery::{
        delays::jitter,
        deliverer::{Deliverer, DeliveryResult, Limits},
        sender::Sender,
    },
    routes::Destination,
};

/// Maximum number of leads that one call leases.
const BATCH: u32 = 128;

/// Maximum number of leased leads in progress. Some may wait for a slow server without blocking the rest.
const MAX_IN_PROGRESS: usize = 256;

/// While the mail server is unavailable, every such poll leases leads and notices, because webhooks do not need the mail
/// server: every ten minutes. Rarely, because each lease adds to the timelines of the leads whose emails wait.
const POLLS_PER_LEASE_IN_OUTAGE: u32 = 300;

pub(crate) fn start(deliverer: Arc<Deliverer>, context: &Context) {
    let polling = poll(deliverer, context.lifecycle.clone(), context.ids.clone());
    context
        .lifecycle
        .spawn_until("pending-leads", context.lifecycle.soft_stop(), polling);
}

async fn poll(deliverer: Arc<Deliverer>, lifecycle: Lifecycle, ids: SharedIds) {
    let ledger = &deliverer.ledger;
    let Sender {
        metrics,
        config,
        breaker,
        ..
    } = &deliverer.sender;
    let slots = Arc::new(Semaphore::new(MAX_IN_PROGRESS));
    let mut ledger_answers = true;
    let mut polls_in_outage: u32 = 0;
    loop {
        // Random, so replicas do not poll at the same time.
        sleep(config.poll_interval / 2 + jitter(config.poll_interval, ids.next_id())).await;
        // The breaker stores the result.
        let _ = deliverer.sender.probe().await;
        if breaker.is_closed() {
            polls_in_outage = 0;
        } else {
            polls_in_outage = polls_in_outage.wrapping_add(1);
        }
        if !polls_in_outage.is_multiple_of(POLLS_PER_LEASE_IN_OUTAGE) {
            continue;
        }
        loop {
            let Ok(mut permits) = Arc::clone(&slots).acquire_many_owned(BATCH).await else {
                return;
            };
            let grace = config.pending_grace_seconds;
            let brochures = breaker.is_closed() && config.mail_context.has_brochure();
            let leased = ledger.lease_pending(grace, BATCH, brochures).await;
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
                let deliverer = Arc::clone(&deliverer);
                let permit = permits.split(1);
                let slots = Arc::clone(&slots);
                let soft = lifecycle.soft_stop();
                lifecycle.spawn_until("pending-delivery", lifecycle.hard_stop(), async move {
                    let Some(_permit) = take_slot(permit, slots).await else {
                        return;
                    };
                    deliver(&deliverer, due, &soft).await;
                });
            }
            if count < BATCH || !breaker.is_closed() {
                break;
            }
        }
    }
}

/// Waits for a slot without a permit: a lead with requested emails is leased twice, so there may be more leases than permits.
/// Returns `None` once the semaphore is closed.
async fn take_slot(
    permit: Option<OwnedSemaphorePermit>,
    slots: Arc<Semaphore>,
) -> Option<OwnedSemaphorePermit> {
    match permit {
        Some(permit) => Some(permit),
        None => slots.acquire_owned().await.ok(),
    }
}

/// Delivers a lead or a notice to a webhook. While the mail server is unavailable, reports emails as due again. If the CRM
/// is unavailable too, waits for the mail server.
async fn deliver(deliverer: &Deliverer, due: PendingDelivery, stop: &CancellationToken) {
    // Another process may soon lease the lead.
    let until = Instant::now() + deliverer.ledger.lease * 5 / 6;
    let limits = &Limits {
        until,
        stop,
        is_leased: true,
    };
    let (lead, requested) = match due {
        PendingDelivery::Lead { lead, requested } => (*lead, requested),
        PendingDelivery::Notice(notice) => return deliverer.deliver_notice(notice).await,
    };
    let audience: Vec<_> = if requested.is_empty() {
        deliverer.audience(&lead)
    } else {
        let routes = deliverer.sender.routes();
        requested
            .into_iter()
            .map(|recipient| Destination::from_request(recipient, &routes))
            .collect()
    };
    loop {
        match deliverer
            .deliver(lead.clone(), audience.clone(), limits)
            .await
        {
            // Without a claim, no report ended the lease.
            DeliveryResult::Unavailable => {}
            DeliveryResult::Done | DeliveryResult::Unfinished => return,
        }
        tokio::select! {
            () = wait_for_mail_server(&deliverer.sender) => {}
            () = limits.wait_until_reached() => return,
        }
    }
}

async fn wait_for_mail_server(sender: &Sender) {
    let mut backoff = Backoff::default();
    loop {
        sleep(backoff.next_delay()).await;
        if sender.probe().await.is_ok() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn lease_without_a_permit_waits_for_a_slot() {
        let slots = Arc::new(Semaphore::new(1));
        let mut permits = Arc::clone(&slots).acquire_many_owned(1).await.unwrap();
        let first = take_slot(permits.split(1), Arc::clone(&slots)).await;
        assert!(first.is_some());
        let second = take_slot(permits.split(1), Arc::clone(&slots));
        tokio::pin!(second);
        assert!(timeout(Duration::ZERO, &mut second).await.is_err());
        drop(first);
        assert!(second.await.is_some());
    }
}
