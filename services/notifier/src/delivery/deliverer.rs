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
use lead::{
    Lead,
    recipient::{BROCHURE, VISITOR},
};
use lru::LruCache;
use messaging::{Publisher, Reason};
use parking_lot::Mutex;
use runtime::{backoff::Backoff, clock::SharedClock, crash};
use tokio::{
    sync::{OwnedMutexGuard, Semaphore},
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::warn;
use uuid::Uuid;

use super::breaker::CircuitBreaker;
use crate::{
    config::Options,
    crm::{Claim, Delivered, Ledger, Outcome},
    mail::MailContext,
    metrics::{Metrics, count},
    routes::{Recipient, Routes},
    smtp::{self, Mailer},
    webhook::WebhookClient,
};

/// Number of leads whose sent emails are stored, in a few megabytes.
pub(crate) const MAX_SENT_LEADS: NonZeroUsize = NonZeroUsize::new(8192).expect("8192 is not zero");

pub(crate) enum DeliveryResult {
    /// The database schedules the rest, or will after crm-sync has read the report from the broker.
    Done,
    /// A limit was reached before the database or the broker stored a report.
    Unfinished,
    /// The mail server is unavailable.
    Unavailable,
}

/// Neither the CRM nor the broker accepted a report.
struct Unreported;

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
    pub(crate) options: Options,
    pub(crate) mailer: Mailer,
    pub(crate) webhook_client: WebhookClient,
    pub(crate) publisher: Publisher,
    pub(crate) ledger: Ledger,
    pub(crate) clock: SharedClock,
    pub(crate) metrics: Metrics,
    pub(crate) sent: SentEmails,
    pub(crate) breaker: CircuitBreaker,
    pub(crate) permits: Permits,
}

/// Limits of concurrent work.
pub(crate) struct Permits {
    /// Leads with a claim. Few, so no claim expires while its emails wait for the emails of other leads.
    leads: Semaphore,
    pub(super) sales: Semaphore,
    /// Separate, so slow emails to visitors do not delay emails to the sales team.
    pub(super) visitors: Semaphore,
    pub(super) webhooks: Semaphore,
}

impl Default for Permits {
    fn default() -> Self {
        let [leads, sales, visitors, webhooks] =
            [8, smtp::MAX_IDLE_CONNECTIONS, 8, 8].map(Semaphore::new);
        Self {
            leads,
            sales,
            visitors,
            webhooks,
        }
    }
}

/// Emails that this process sent about one lead, by the recipient's name.
type Sent = BTreeMap<String, Delivered>;

/// Emails that this process sent recently, for times when the CRM does not answer or has no report yet. One task at a time
/// locks the emails about a lead.
type SentEmails = Mutex<LruCache<Uuid, Arc<tokio::sync::Mutex<Sent>>>>;

/// The state of one lead's delivery. Maps are keyed by the recipient's name in the CRM.
pub(super) struct LeadDelivery {
    pub(super) lead: Lead,
    audience: Vec<Recipient>,
    /// Time of the last call for a claim, answered or not.
    pub(super) claimed_at: Instant,
    /// `None` if the CRM did not answer.
    pub(super) claim: Option<Claim>,
    /// Number of passes without a claim.
    unclaimed: u32,
    pub(super) sent: OwnedMutexGuard<Sent>,
    /// Outcomes that neither the CRM nor the broker has accepted.
    unreported: BTreeMap<String, Outcome>,
    reported: BTreeSet<String>,
    /// Shortest wait of the deferred emails in a pass without a claim, after which this process retries them itself.
    wait: Option<Duration>,
}

impl LeadDelivery {
    fn start_pass(&mut self, claim: Option<Claim>) {
        self.unclaimed += u32::from(claim.is_none());
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
            .all(|it| !it.is_sales() || self.sent.contains_key(&it.name()))
    }

    /// The number of the next attempt for a recipient, from 1. `None` if there is nothing to do now.
    pub(super) fn attempt_number(&self, recipient: &Recipient) -> Option<u32> {
        let name = recipient.name();
        match &self.claim {
            Some(claim) => claim.granted.get(&name).copied(),
            None if self.unreported.contains_key(&name) || self.reported.contains(&name) => None,
            // Only the CRM limits emails to visitors and requested emails, and webhooks can wait. They are delivered after a
            // claim.
            None if !matches!(recipient, Recipient::Sales(_)) && !self.sent.contains_key(&name) => {
                None
            }
            None => Some(self.unclaimed),
        }
    }

    fn add_outcomes(&mut self, outcomes: impl IntoIterator<Item = (String, Outcome)>) {
        for (name, outcome) in outcomes {
            match &outcome {
                Outcome::Delivered(delivered) => {
                    self.sent.insert(name.clone(), delivered.clone());
                }
                Outcome::Retry { after, .. } if self.claim.is_none() => {
                    self.wait = Some(self.wait.map_or(*after, |wait| wait.min(*after)));
                    continue;
                }
                Outcome::Retry { .. } | Outcome::Failed(_) | Outcome::Cancelled(_) => {}
            }
            self.unreported.insert(name, outcome);
        }
    }
}

impl Deliverer {
    pub(crate) async fn deliver(
        &self,
        lead: Lead,
        audience: Vec<Recipient>,
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
            unclaimed: 0,
            sent,
            unreported: BTreeMap::new(),
            reported: BTreeSet::new(),
            wait: None,
        };
        let mut backoff = Backoff::default();
        loop {
            if !self.breaker.is_closed() && !delivery.has_emailed_sales() {
                return DeliveryResult::Unavailable;
            }
            let wait = match self.run_pass(&mut delivery).await {
                Ok(()) => delivery.wait,
                Err(Unreported) => Some(backoff.next_delay()),
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

    pub(crate) fn routes(&self) -> Arc<Routes> {
        self.options.routes_file.current()
    }

    /// The context with the people of the current routes.
    pub(crate) fn mail_context(&self) -> MailContext {
        MailContext {
            people: self.routes().people.clone(),
            ..self.options.mail_context.clone()
        }
    }

    pub(crate) fn audience(&self, lead: &Lead) -> Vec<Recipient> {
        let mut audience = self.routes().recipients(lead);
        if self.options.visitor_confirmation && !lead.is_canary() {
            audience.push(Recipient::Visitor);
        }
        audience
    }

    /// Claims, sends and reports the open deliveries of a lead once.
    async fn run_pass(&self, delivery: &mut LeadDelivery) -> Result<(), Unreported> {
        let permit = self.permits.leads.acquire().await;
        let claim = self
            .ledger
            .claim(&delivery.lead, &delivery.audience)
            .await
            .ok();
        if claim.is_none() {
            count(&self.metrics.claims, "answer", "none");
        }
        delivery.start_pass(claim);
        crash::point("notifier-claimed");
        let sales = async {
            let outcomes = self.attempt_all(delivery, Recipient::is_sales).await;
            drop(permit);
            outcomes
        };
        let (sales, visitor) = join(sales, self.attempt_all(delivery, Recipient::is_visitor)).await;
        crash::point("notifier-mailed");
        delivery.add_outcomes(sales.into_iter().chain(visitor));
        if let Some(confirmed @ Outcome::Delivered(_)) = delivery.unreported.get(VISITOR).cloned()
            && self.options.mail_context.has_brochure()
        {
            // The confirmation contains the brochure's link, so no brochure email follows.
            delivery.add_outcomes([(BROCHURE.to_owned(), confirmed)]);
        }
        self.report(delivery).await?;
        crash::point("notifier-reported");
        // Only after the report, because a receiver may be slow, and a crash repeats emails that are not reported.
        let is_webhook = |recipient: &Recipient| matches!(recipient, Recipient::Webhook(_));
        let posted = self.attempt_all(delivery, is_webhook).await;
        delivery.add_outcomes(posted);
        self.report(delivery).await
    }

    /// Attempts the selected deliveries concurrently.
    async fn attempt_all(
        &self,
        delivery: &LeadDelivery,
        is_meant: impl Fn(&Recipient) -> bool,
    ) -> Vec<(String, Outcome)> {
        let recipients = delivery
            .audience
            .iter()
            .enumerate()
            .filter(|(_, recipient)| is_meant(recipient));
        let outcomes =
            join_all(recipients.map(|recipient| self.attempt_delivery(delivery, recipient))).await;
        outcomes.into_iter().flatten().collect()
    }

    /// Reports a lead's outcomes to the CRM. If the CRM does not answer, publishes the report with the lead.
    async fn report(&self, delivery: &mut LeadDelivery) -> Result<(), Unreported> {
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
        let path = if claim.is_some() && self.ledger.report(lead.id, unreported).await.is_ok() {
            "grpc"
        } else {
            let event = self.ledger.report_event(lead, audience, unreported);
            if let Err(error) = self.publisher.publish(&event).await {
                count(&self.metrics.reports, "path", "none");
                warn!(lead_id = %lead.id, class = "report", %error, "delivery report not stored: CRM and broker unavailable");
                return Err(Unreported);
            }
            "broker"
        };
        count(&self.metrics.reports, "path", path);
        reported.extend(mem::take(unreported).into_keys());
        Ok(())
    }

    /// Probes the mail server if the breaker is open.
    pub(crate) async fn probe(&self) -> Result<(), Reason> {
        if self.breaker.is_closed() {
            return Ok(());
        }
        let Some(_probing) = self.breaker.acquire_probe() else {
            return Err(Reason::new(
                "smtp",
                "mail server unavailable, next probe not due yet",
            ));
        };
        self.mailer
            .probe()
            .await
            .map_err(|error| Reason::new("smtp", error.to_string()))?;
        self.breaker.close();
        Ok(())
    }
}
