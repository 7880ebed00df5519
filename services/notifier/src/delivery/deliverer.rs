//! Delivers one lead to its pending recipients: claim, send, report.

use std::sync::Arc;

use futures_util::future::{join, join_all};
use lead::{
    Lead,
    recipient::{BROCHURE, VISITOR},
};
use messaging::{Publisher, Reason};
use runtime::{backoff::Backoff, clock::SharedClock, crash, reload::Reloaded};
use tokio::{
    sync::{OwnedMutexGuard, Semaphore},
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::{
    breaker::CircuitBreaker,
    retry::RetryDelays,
    state::{LeadDelivery, Sent, SentMails},
};
use crate::{
    crm::{ledger::Ledger, outcome::Outcome},
    mail::MailContext,
    metrics::{Metrics, count},
    recipients::Recipient,
    routes::Routes,
    smtp::{self, Mailer},
    webhook::WebhookClient,
};

/// The result of trying to deliver a lead.
pub(crate) enum DeliveryResult {
    /// The database holds the remaining work, or will once it reads the report that the broker holds.
    Done,
    /// The time limit or shutdown came before the database or the broker held the remaining work.
    Unfinished,
    /// The mail server is unavailable.
    Unavailable,
}

/// Neither the CRM nor the broker accepted a report.
struct Unreported;

/// When to stop trying to deliver a lead.
pub(crate) struct Limits<'a> {
    pub(crate) until: Instant,
    /// Cancelled when the process shuts down.
    pub(crate) stop: &'a CancellationToken,
}

pub(crate) struct Deliverer {
    /// Without people: those of the routes are added for each email.
    pub(crate) mail_context: MailContext,
    pub(crate) routes: Arc<Reloaded<Routes>>,
    /// Whether visitors get a confirmation.
    pub(crate) confirms: bool,
    pub(crate) retry_delays: RetryDelays,
    pub(crate) mailer: Mailer,
    pub(crate) webhook_client: WebhookClient,
    pub(crate) publisher: Publisher,
    pub(crate) ledger: Ledger,
    pub(crate) clock: SharedClock,
    pub(crate) metrics: Metrics,
    pub(crate) sent: SentMails,
    pub(crate) breaker: CircuitBreaker,
    pub(crate) permits: Permits,
}

/// Limits of what is done concurrently.
pub(crate) struct Permits {
    /// Leads claimed at the same time. Few, so that no claim expires while its emails wait for those of others.
    leads: Semaphore,
    /// Emails to the sales team.
    pub(super) sales: Semaphore,
    /// Emails to visitors. Separate, so that slow ones do not delay emails to the sales team.
    pub(super) visitors: Semaphore,
    /// Requests to systems of the sales team's.
    pub(super) webhooks: Semaphore,
}

impl Default for Permits {
    fn default() -> Self {
        let [leads, sales, visitors, webhooks] = [8, smtp::MOST_IDLE, 8, 8].map(Semaphore::new);
        Self { leads, sales, visitors, webhooks }
    }
}

impl Deliverer {
    /// Delivers a lead to its audience and reports the outcomes.
    pub(crate) async fn deliver(
        &self,
        lead: Lead,
        audience: Vec<Recipient>,
        limits: &Limits<'_>,
    ) -> DeliveryResult {
        if audience.is_empty() {
            return DeliveryResult::Done;
        }
        let sent = match self.lock_sent(&lead, limits).await {
            Ok(sent) => sent,
            Err(result) => return result,
        };
        let mut delivery = LeadDelivery::new(lead, audience, sent);
        let mut backoff = Backoff::default();
        loop {
            if !self.breaker.is_closed() && !delivery.is_sent() {
                return DeliveryResult::Unavailable;
            }
            let wait = match self.pass(&mut delivery).await {
                Ok(()) => delivery.wait,
                Err(Unreported) => Some(backoff.next_delay()),
            };
            let Some(wait) = wait else { return DeliveryResult::Done };
            if Instant::now() + wait >= limits.until {
                return DeliveryResult::Unfinished;
            }
            tokio::select! {
                () = sleep(wait) => {}
                () = limits.stop.cancelled() => return DeliveryResult::Unfinished,
            }
        }
    }

    /// Locks the record of emails sent for a lead. If another task of this process holds it, the CRM records the lead,
    /// which may have other contents under the same key, and schedules what that task leaves. While the CRM does not
    /// answer, the lead waits for the lock.
    async fn lock_sent(
        &self,
        lead: &Lead,
        limits: &Limits<'_>,
    ) -> Result<OwnedMutexGuard<Sent>, DeliveryResult> {
        let sent = self.sent.record(lead.id);
        if let Ok(sent) = Arc::clone(&sent).try_lock_owned() {
            return Ok(sent);
        }
        if self.ledger.record(lead).await.is_ok() {
            return Err(DeliveryResult::Done);
        }
        tokio::select! {
            sent = sent.lock_owned() => Ok(sent),
            () = sleep_until(limits.until) => Err(DeliveryResult::Unfinished),
            () = limits.stop.cancelled() => Err(DeliveryResult::Unfinished),
        }
    }

    /// With the people of the routes as they are now.
    pub(crate) fn mail_context(&self) -> MailContext {
        MailContext { people: self.routes.current().people.clone(), ..self.mail_context.clone() }
    }

    /// The recipients of a lead by the routes.
    pub(crate) fn audience(&self, lead: &Lead) -> Vec<Recipient> {
        let mut audience = self.routes.current().recipients(lead);
        if self.confirms && !lead.is_canary() {
            audience.push(Recipient::Visitor);
        }
        audience
    }

    /// Claims, emails and reports what is left of a lead, once.
    async fn pass(&self, delivery: &mut LeadDelivery) -> Result<(), Unreported> {
        let permit = self.permits.leads.acquire().await;
        let claim = self.ledger.claim(&delivery.lead, &delivery.audience).await.ok();
        if claim.is_none() {
            count(&self.metrics.claims, "answer", "none");
        }
        delivery.start_pass(claim);
        if delivery.claim().is_some_and(|claim| claim.is_erased) {
            return Ok(());
        }
        crash::point("notifier-claimed");
        let sales = async {
            let outcomes = self.attempt_all(delivery, Recipient::is_sales).await;
            drop(permit);
            outcomes
        };
        let (sales, visitor) = join(sales, self.attempt_all(delivery, Recipient::is_visitor)).await;
        crash::point("notifier-mailed");
        delivery.add(sales);
        let confirmed = visitor.iter().find(|(name, _)| name == VISITOR).map(|(_, outcome)| outcome.clone());
        delivery.add(visitor);
        if let Some(delivered @ Outcome::Delivered(_)) = confirmed
            && self.mail_context.has_brochure()
        {
            // The confirmation has the brochure's link: it is not to be emailed again.
            delivery.add([(BROCHURE.to_owned(), delivered)]);
        }
        self.report(delivery).await?;
        crash::point("notifier-reported");
        // Only now, as a receiver may take long: an email that was sent and not reported is sent again after a crash.
        let is_webhook = |recipient: &Recipient| matches!(recipient, Recipient::Webhook(_));
        let posted = self.attempt_all(delivery, is_webhook).await;
        delivery.add(posted);
        self.report(delivery).await
    }

    /// Attempts the deliveries to these recipients concurrently.
    async fn attempt_all(
        &self,
        delivery: &LeadDelivery,
        is_meant: impl Fn(&Recipient) -> bool,
    ) -> Vec<(String, Outcome)> {
        let recipients = delivery.audience.iter().enumerate().filter(|(_, recipient)| is_meant(recipient));
        let outcomes = join_all(recipients.map(|recipient| self.attempt(delivery, recipient))).await;
        outcomes.into_iter().flatten().collect()
    }

    /// Reports a lead's outcomes to the CRM or, if it does not answer, through the broker together with the lead.
    async fn report(&self, delivery: &mut LeadDelivery) -> Result<(), Unreported> {
        let outcomes = delivery.unreported();
        if outcomes.is_empty() {
            return Ok(());
        }
        let lead_id = delivery.lead.id;
        let path = if delivery.claim().is_some() && self.ledger.report(lead_id, outcomes).await.is_ok() {
            "grpc"
        } else {
            let event = self.ledger.event(&delivery.lead, &delivery.audience, outcomes);
            if let Err(error) = self.publisher.publish(&event).await {
                count(&self.metrics.reports, "path", "none");
                warn!(%lead_id, class = "report", %error, "delivery report not stored: CRM and broker unavailable");
                return Err(Unreported);
            }
            "broker"
        };
        count(&self.metrics.reports, "path", path);
        delivery.mark_reported();
        Ok(())
    }

    /// Whether the mail server is available, as far as is known.
    pub(crate) fn is_available(&self) -> bool {
        self.breaker.is_closed()
    }

    pub(crate) async fn probe(&self) -> Result<(), Reason> {
        if self.breaker.is_closed() {
            return Ok(());
        }
        let Some(_probing) = self.breaker.may_probe() else {
            return Err(Reason::new("smtp", "mail server unavailable, next probe not due yet"));
        };
        self.mailer.probe().await.map_err(|error| Reason::new("smtp", error.to_string()))?;
        self.breaker.close();
        Ok(())
    }
}
