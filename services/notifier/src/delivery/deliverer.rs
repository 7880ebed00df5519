//! Delivers one lead to its recipients, from either source.
//!
//! ```text
//! deliver ── claim ─┬─ granted: compose and send to all recipients concurrently ──┬─ report ── post ── report
//!                   ├─ refused: nothing to do, the CRM schedules the delivery     │
//!                   └─ no answer: email the sales team without a claim ────────────┘
//!            report not accepted, or an unclaimed email deferred: repeat after a wait
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    num::NonZeroUsize,
    sync::Arc,
    time::Duration,
};

use futures_util::future::{join, join_all};
use lead::{Lead, Outcome, Receipt, Recipient};
use lru::LruCache;
use messaging::Publisher;
use parking_lot::Mutex;
use runtime::{backoff::Backoff, crash};
use tokio::{
    sync::{OwnedMutexGuard, Semaphore},
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::warn;
use uuid::Uuid;

use super::sender::{Attempt, Sender};
use crate::{
    crm::{Claim, LedgerClient, Stopped, WebhookNotice},
    metrics::count,
    routes::Destination,
};

/// Number of leads whose sent emails are stored, in a few megabytes.
const MAX_SENT_LEADS: NonZeroUsize = NonZeroUsize::new(8192).expect("8192 is not zero");

/// Maximum number of leads with a claim. Few, so no claim expires while its emails wait for the emails of other leads.
const MAX_CLAIMED_LEADS: usize = 8;

pub(crate) enum DeliveryResult {
    /// The database schedules the rest, or will after crm-sync has read the report from the broker.
    Done,
    /// A limit was reached before the database or the broker stored a report.
    Unfinished,
    /// The mail server is unavailable.
    Unavailable,
}

/// Why a pass ended early.
enum PassError {
    /// Neither the CRM nor the broker accepted a report.
    Unreported,
    /// The process stopped before the pass had a claim.
    Stopped,
}

impl From<Stopped> for PassError {
    fn from(Stopped: Stopped) -> Self {
        Self::Stopped
    }
}

pub(crate) struct Limits<'a> {
    pub(crate) until: Instant,
    pub(crate) stop: &'a CancellationToken,
    /// Whether the CRM has leased the lead to this process.
    pub(crate) is_leased: bool,
}

impl Limits<'_> {
    pub(crate) async fn wait_until_reached(&self) {
        self.stop.run_until_cancelled(sleep_until(self.until)).await;
    }
}

pub(crate) struct Deliverer {
    pub(crate) sender: Sender,
    pub(crate) ledger: LedgerClient,
    publisher: Publisher,
    sent: SentEmails,
    claimed_leads: Semaphore,
}

/// Emails that this process sent about one lead, by recipient.
type Sent = BTreeMap<Recipient, Receipt>;

/// Emails that this process sent recently, for times when the CRM does not answer or has no report yet. One task at a time
/// locks the emails about a lead.
type SentEmails = Mutex<LruCache<Uuid, Arc<tokio::sync::Mutex<Sent>>>>;

/// The state of one lead's delivery.
struct LeadDelivery {
    lead: Lead,
    audience: Vec<Destination>,
    /// Time of the last call for a claim, answered or not.
    claimed_at: Instant,
    /// `None` if the CRM did not answer.
    claim: Option<Claim>,
    passes_without_claim: u32,
    sent: OwnedMutexGuard<Sent>,
    /// Outcomes that neither the CRM nor the broker has accepted.
    unreported: BTreeMap<Recipient, Outcome>,
    reported: BTreeSet<Recipient>,
    /// Shortest wait of the deferred emails in a pass without a claim, after which this process retries them itself.
    wait: Option<Duration>,
}

impl LeadDelivery {
    fn start_pass(&mut self, claim: Option<Claim>) {
        self.passes_without_claim += u32::from(claim.is_none());
        // This pass attempts these again.
        self.unreported
            .retain(|_, outcome| !matches!(outcome, Outcome::Retry { .. }));
        self.wait = None;
        self.claim = claim;
        self.claimed_at = Instant::now();
    }

    /// Whether this process has emailed every sales recipient.
    fn has_emailed_sales(&self) -> bool {
        self.audience
            .iter()
            .all(|it| !it.is_sales() || self.sent.contains_key(&it.recipient()))
    }

    /// The number of the next attempt, from 1. `None` if there is nothing to do now.
    fn attempt_number(&self, destination: &Destination) -> Option<u32> {
        let recipient = destination.recipient();
        if let Some(claim) = &self.claim {
            return claim.granted.get(&recipient).copied();
        }
        if self.unreported.contains_key(&recipient) || self.reported.contains(&recipient) {
            return None;
        }
        // Only the CRM limits emails to visitors and requested emails, and webhooks can wait. They are delivered after a
        // claim.
        let needs_claim = !matches!(destination, Destination::Sales(_));
        if needs_claim && !self.sent.contains_key(&recipient) {
            return None;
        }
        Some(self.passes_without_claim)
    }

    fn add_outcomes(&mut self, outcomes: impl IntoIterator<Item = (Recipient, Outcome)>) {
        for (recipient, outcome) in outcomes {
            match &outcome {
                Outcome::Delivered(receipt) => {
                    self.sent.insert(recipient.clone(), receipt.clone());
                }
                Outcome::Retry { after, .. } if self.claim.is_none() => {
                    self.wait = Some(self.wait.map_or(*after, |wait| wait.min(*after)));
                    continue;
                }
                Outcome::Retry { .. } | Outcome::Failed(_) | Outcome::Cancelled(_) => {}
            }
            self.unreported.insert(recipient, outcome);
        }
    }
}

impl Deliverer {
    pub(crate) fn new(sender: Sender, ledger: LedgerClient, publisher: Publisher) -> Self {
        Self {
            sender,
            ledger,
            publisher,
            sent: Mutex::new(LruCache::new(MAX_SENT_LEADS)),
            claimed_leads: Semaphore::new(MAX_CLAIMED_LEADS),
        }
    }

    pub(crate) async fn deliver(
        &self,
        lead: Lead,
        audience: Vec<Destination>,
        limits: &Limits<'_>,
    ) -> DeliveryResult {
        if audience.is_empty() {
            return DeliveryResult::Done;
        }
        let sent = Arc::clone(self.sent.lock().get_or_insert(lead.id, Arc::default));
        let sent = match Arc::clone(&sent).try_lock_owned() {
            Ok(sent) => sent,
            // Another task delivers a lead with this id. The CRM stores this lead, which may have other contents under the
            // same key, and schedules what the other task leaves. A leased lead waits, because only a claim ends its lease.
            Err(_) if !limits.is_leased && self.ledger.record(&lead).await.is_ok() => {
                return DeliveryResult::Done;
            }
            Err(_) => tokio::select! {
                sent = sent.lock_owned() => sent,
                () = limits.wait_until_reached() => return DeliveryResult::Unfinished,
            },
        };
        let mut delivery = LeadDelivery {
            lead,
            audience,
            claimed_at: Instant::now(),
            claim: None,
            passes_without_claim: 0,
            sent,
            unreported: BTreeMap::new(),
            reported: BTreeSet::new(),
            wait: None,
        };
        let mut backoff = Backoff::default();
        // The first pass of a leased lead calls webhooks while the mail server is unavailable. Its report ends the lease.
        let mut needs_mail_server = !limits.is_leased;
        loop {
            if needs_mail_server
                && !self.sender.breaker.is_closed()
                && !delivery.has_emailed_sales()
            {
                return DeliveryResult::Unavailable;
            }
            needs_mail_server = true;
            let wait = match self.run_pass(&mut delivery, limits.stop).await {
                Ok(()) => delivery.wait,
                Err(PassError::Unreported) => Some(backoff.next_delay()),
                Err(PassError::Stopped) => {
                    // An earlier pass may have sent emails that are not reported. The result does not matter, because the
                    // message or the lease returns either way.
                    let _ = self.report(&mut delivery).await;
                    return DeliveryResult::Unfinished;
                }
            };
            let Some(wait) = wait else {
                return DeliveryResult::Done;
            };
            if Instant::now() + wait >= limits.until
                || limits.stop.run_until_cancelled(sleep(wait)).await.is_none()
            {
                return DeliveryResult::Unfinished;
            }
        }
    }

    /// Posts a notice to a webhook, and reports the outcome. If the report fails, the notice is posted again later.
    pub(crate) async fn deliver_notice(&self, notice: WebhookNotice) {
        let outcome = self.sender.post_notice(&notice).await;
        let lead_id = notice.lead_id;
        let outcomes = BTreeMap::from([(notice.recipient, outcome)]);
        if let Err(error) = self.ledger.report(lead_id, &outcomes).await {
            warn!(%lead_id, %error, "delivery report not stored, webhook will be called again");
        }
    }

    /// The recipients of a lead by the routes, and the visitor.
    pub(crate) fn audience(&self, lead: &Lead) -> Vec<Destination> {
        let mut audience = self.sender.routes().destinations(lead);
        if self.sender.config.visitor_confirmation && !lead.is_canary() {
            audience.push(Destination::Visitor);
        }
        audience
    }

    /// Claims, sends and reports the open deliveries of a lead once.
    async fn run_pass(
        &self,
        delivery: &mut LeadDelivery,
        stop: &CancellationToken,
    ) -> Result<(), PassError> {
        let permit = self.claimed_leads.acquire().await;
        let claim = self
            .ledger
            .claim(&delivery.lead, &delivery.audience, stop)
            .await?;
        if claim.is_none() {
            count(&self.sender.metrics.claims, "answer", "none");
        }
        delivery.start_pass(claim);
        crash::point("notifier-claimed");
        let sales = async {
            let outcomes = self.attempt_all(delivery, Destination::is_sales).await;
            drop(permit);
            outcomes
        };
        let visitor = self.attempt_all(delivery, Destination::is_visitor);
        let (sales, visitor) = join(sales, visitor).await;
        crash::point("notifier-mailed");
        delivery.add_outcomes(sales.into_iter().chain(visitor));
        if let Some(confirmed @ Outcome::Delivered(_)) =
            delivery.unreported.get(&Recipient::Visitor).cloned()
            && self.sender.config.mail_context.has_brochure()
        {
            // The confirmation contains the brochure's link, so no brochure email follows.
            delivery.add_outcomes([(Recipient::Brochure, confirmed)]);
        }
        self.report(delivery).await?;
        crash::point("notifier-reported");
        // Only after the report, because a receiver may be slow, and a crash repeats emails that are not reported.
        let is_webhook = |it: &Destination| matches!(it, Destination::Webhook(_));
        let posted = self.attempt_all(delivery, is_webhook).await;
        delivery.add_outcomes(posted);
        self.report(delivery).await
    }

    /// Attempts the selected deliveries concurrently.
    async fn attempt_all(
        &self,
        delivery: &LeadDelivery,
        is_selected: impl Fn(&Destination) -> bool,
    ) -> Vec<(Recipient, Outcome)> {
        let attempts = delivery
            .audience
            .iter()
            .enumerate()
            .filter(|(_, destination)| is_selected(destination))
            .map(|(position, destination)| self.attempt(delivery, position, destination));
        join_all(attempts).await.into_iter().flatten().collect()
    }

    /// `None` if there is nothing to do and nothing to report.
    async fn attempt(
        &self,
        delivery: &LeadDelivery,
        position: usize,
        destination: &Destination,
    ) -> Option<(Recipient, Outcome)> {
        let number = delivery.attempt_number(destination)?;
        let recipient = destination.recipient();
        if let Some(receipt) = delivery.sent.get(&recipient) {
            return Some((recipient, Outcome::Delivered(receipt.clone())));
        }
        let attempt = Attempt {
            lead: &delivery.lead,
            destination,
            position,
            number,
            claim: delivery.claim.as_ref(),
            claimed_at: delivery.claimed_at,
        };
        let outcome = self.sender.attempt(&attempt).await;
        Some((recipient, outcome))
    }

    /// Reports a lead's outcomes to the CRM. If the CRM does not answer, publishes the report with the lead.
    async fn report(&self, delivery: &mut LeadDelivery) -> Result<(), PassError> {
        let LeadDelivery {
            lead,
            audience,
            claim,
            unreported,
            reported,
            ..
        } = delivery;
        if unreported.is_empty() {
            return Ok(());
        }
        let reports = &self.sender.metrics.reports;
        let path = if claim.is_some() && self.ledger.report(lead.id, unreported).await.is_ok() {
            "grpc"
        } else {
            let event = self.ledger.report_event(lead, audience, unreported);
            if let Err(error) = self.publisher.publish(&event).await {
                count(reports, "path", "none");
                warn!(lead_id = %lead.id, class = "report", %error, "delivery report not stored: CRM and broker unavailable");
                return Err(PassError::Unreported);
            }
            "broker"
        };
        count(reports, "path", path);
        reported.extend(mem::take(unreported).into_keys());
        Ok(())
    }
}
