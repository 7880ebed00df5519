//! Delivers one lead to its pending recipients: claim, send, report.

use std::sync::Arc;

use futures_util::future::join_all;
use lead::{
    Lead,
    recipient::{BROCHURE, VISITOR},
};
use lettre::Address;
use messaging::{Publisher, Reason, TraceParent};
use runtime::{backoff::Backoff, clock::SharedClock, crash, reload::Reloaded, service::Context};
use tokio::{
    sync::{OwnedMutexGuard, Semaphore, SemaphorePermit},
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::{
    breaker::CircuitBreaker,
    error::DeliveryError,
    state::{LeadDelivery, Sent, SentMails},
};
use crate::{
    crm::{ledger::Ledger, outcome::Outcome},
    mail::{self, Backlog, MailContext},
    metrics::{Metrics, ReportPath},
    recipients::{Audience, Recipient},
    retry_delays::RetryDelays,
    routes::Routes,
    smtp::Mailer,
    webhook::WebhookClient,
};

/// Concurrent mails to the sales team, and connections kept open between mails.
pub(crate) const SALES_MAILS: usize = 8;

/// Leads claimed at once. Few, so that no claim expires while its mails wait for those of others.
const LEADS: usize = 8;

/// Concurrent mails to visitors. Separate, so that slow ones do not delay mails to the sales team.
const VISITOR_MAILS: usize = 8;

/// Concurrent requests to systems of the sales team's.
const WEBHOOKS: usize = 8;

/// Where a lead came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Queue,
    Pending,
}

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
    pub(super) settings: DelivererSettings,
    pub(super) mailer: Mailer,
    pub(super) webhook_client: WebhookClient,
    publisher: Publisher,
    pub(super) ledger: Arc<Ledger>,
    pub(super) clock: SharedClock,
    pub(super) metrics: Metrics,
    sent: SentMails,
    pub(super) breaker: CircuitBreaker,
    leads: Semaphore,
    pub(super) sales_mails: Semaphore,
    pub(super) visitor_mails: Semaphore,
    pub(super) webhooks: Semaphore,
}

pub(crate) struct DelivererSettings {
    /// Its desk has nobody: people are those of the routes.
    pub(crate) mail_context: MailContext,
    pub(crate) routes: Arc<Reloaded<Routes>>,
    /// Whether visitors are thanked.
    pub(crate) acknowledges: bool,
    pub(crate) retry_delays: RetryDelays,
}

impl Deliverer {
    pub(crate) fn new(
        settings: DelivererSettings,
        mailer: Mailer,
        publisher: Publisher,
        ledger: Arc<Ledger>,
        metrics: Metrics,
        context: &Context,
    ) -> Self {
        let clock = context.clock.clone();
        Self {
            breaker: CircuitBreaker::new(metrics.paused()),
            sent: SentMails::new(),
            leads: Semaphore::new(LEADS),
            sales_mails: Semaphore::new(SALES_MAILS),
            visitor_mails: Semaphore::new(VISITOR_MAILS),
            webhooks: Semaphore::new(WEBHOOKS),
            settings,
            mailer,
            webhook_client: WebhookClient::default(),
            publisher,
            ledger,
            clock,
            metrics,
        }
    }

    /// Delivers a lead to its audience and reports the outcomes.
    pub(crate) async fn deliver(
        &self,
        lead: Lead,
        audience: Audience,
        trace: Option<&TraceParent>,
        source: Source,
        limits: &Limits<'_>,
    ) -> DeliveryResult {
        if audience.names().is_empty() {
            return DeliveryResult::Done;
        }
        let sent = match self.lock_sent(&lead, source, limits).await {
            Ok(sent) => sent,
            Err(result) => return result,
        };
        let mut delivery = LeadDelivery::new(lead, audience, trace.cloned(), sent);
        let mut backoff = Backoff::new();
        loop {
            if !self.breaker.is_closed() && !delivery.is_sent() {
                return DeliveryResult::Unavailable;
            }
            let wait = match self.pass(&mut delivery).await {
                Ok(()) => delivery.shortest_wait(),
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

    /// Locks the record of mails sent for a lead. If another task of this process holds it, a pending lead is skipped,
    /// as the database offers it again once that task reports. A queued one may have other contents under the same key,
    /// so the CRM records it, or it waits for the lock.
    async fn lock_sent(
        &self,
        lead: &Lead,
        source: Source,
        limits: &Limits<'_>,
    ) -> Result<OwnedMutexGuard<Sent>, DeliveryResult> {
        let sent = self.sent.of_lead(lead.id);
        if let Ok(sent) = Arc::clone(&sent).try_lock_owned() {
            return Ok(sent);
        }
        if source == Source::Pending || self.ledger.record(lead).await.is_ok() {
            return Err(DeliveryResult::Done);
        }
        tokio::select! {
            sent = sent.lock_owned() => Ok(sent),
            () = sleep_until(limits.until) => Err(DeliveryResult::Unfinished),
            () = limits.stop.cancelled() => Err(DeliveryResult::Unfinished),
        }
    }

    pub(crate) fn routes(&self) -> Arc<Routes> {
        self.settings.routes.current()
    }

    /// With the people of the routes as they are now.
    pub(super) fn mail_context(&self) -> MailContext {
        let mut mail_context = self.settings.mail_context.clone();
        if let Some(desk) = &mut mail_context.desk {
            desk.people = self.routes().people().clone();
        }
        mail_context
    }

    /// Those whom the CRM says somebody asked to have mailed.
    pub(crate) fn requested(&self, recipients: Vec<String>) -> Audience {
        Audience::requested(recipients, &self.routes())
    }

    /// Those whom the routes name.
    pub(crate) fn audience(&self, lead: &Lead) -> Audience {
        let routes = self.routes();
        if lead.is_canary() {
            let sales = routes.canary_recipients().to_vec();
            return Audience { sales, ..Audience::default() };
        }
        Audience {
            sales: routes.recipients(&lead.interests, lead.language),
            webhooks: routes.webhooks(&lead.interests, lead.language),
            visitor: self.settings.acknowledges,
            ..Audience::default()
        }
    }

    /// Claims, mails and reports what is left of a lead, once.
    async fn pass(&self, delivery: &mut LeadDelivery) -> Result<(), Unreported> {
        let permit = self.leads.acquire().await;
        let claim = self.ledger.claim(&delivery.lead, &delivery.audience).await;
        self.metrics.claimed(&claim);
        delivery.start_pass(claim.ok());
        if delivery.is_erased() {
            delivery.clear_sent();
            return Ok(());
        }
        crash::point("notifier-claimed");
        let outcomes = self.deliver_to_people(delivery, permit.ok()).await;
        crash::point("notifier-mailed");
        delivery.add(outcomes);
        self.report(delivery).await?;
        crash::point("notifier-reported");
        // Only now, as a receiver may take long: a mail that was sent and not reported is sent again after a crash.
        let webhooks = delivery.audience.webhooks.iter().map(Recipient::Webhook);
        let posted = join_all(webhooks.map(|webhook| self.attempt(delivery, webhook))).await;
        delivery.add(posted.into_iter().flatten());
        self.report(delivery).await
    }

    /// Mails all people concurrently. Releases `permit` once the sales team's mails are finished.
    async fn deliver_to_people(
        &self,
        delivery: &LeadDelivery,
        permit: Option<SemaphorePermit<'_>>,
    ) -> Vec<(String, Outcome)> {
        let attempt = |recipient| self.attempt(delivery, recipient);
        let sales = async {
            let outcomes = join_all(delivery.audience.mailed_sales().map(&attempt)).await;
            drop(permit);
            outcomes
        };
        let (sales, visitor) =
            tokio::join!(sales, join_all(delivery.audience.mailed_visitor().map(&attempt)));
        let mut outcomes: Vec<_> = sales.into_iter().chain(visitor).flatten().collect();
        let confirmed = outcomes.iter().find(|(name, _)| name == VISITOR).map(|(_, outcome)| outcome.clone());
        if let Some(delivered @ Outcome::Delivered(_)) = confirmed.filter(|_| self.has_brochure()) {
            // The confirmation has the brochure's link: it is not to be mailed again.
            outcomes.push((BROCHURE.to_owned(), delivered));
        }
        outcomes
    }

    pub(crate) fn has_brochure(&self) -> bool {
        self.settings.mail_context.brochure.is_some()
    }

    /// Reports a lead's outcomes to the CRM or, if it does not answer, through the broker together with the lead.
    async fn report(&self, delivery: &mut LeadDelivery) -> Result<(), Unreported> {
        let outcomes = delivery.unreported();
        if outcomes.is_empty() {
            return Ok(());
        }
        let lead_id = delivery.lead.id;
        if delivery.is_claimed() && self.ledger.report(lead_id, &outcomes).await.is_ok() {
            self.metrics.reported(Some(ReportPath::Grpc));
        } else {
            let event = self.ledger.event(&delivery.lead, &delivery.audience, &outcomes);
            if let Err(error) = self.publisher.publish(&event, delivery.trace.as_ref()).await {
                self.metrics.reported(None);
                warn!(%lead_id, class = "report", %error, "delivery report not stored: CRM and broker unavailable");
                return Err(Unreported);
            }
            self.metrics.reported(Some(ReportPath::Broker));
        }
        delivery.mark_reported(outcomes);
        Ok(())
    }

    /// Mails what waits to one member of the sales team.
    pub(crate) async fn mail_backlog(
        &self,
        backlog: &Backlog,
        recipient: &Address,
    ) -> Result<(), DeliveryError> {
        let mail = mail::morning(backlog, recipient, &self.mail_context(), self.clock.now())?;
        self.send_to_sales(&mail, None).await?;
        let (due, leads) = (backlog.due.total(), backlog.new.total());
        info!(due, leads, mail = %mail.message_id, "daily summary sent");
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
        let probed = self.mailer.probe(&self.settings.mail_context.sender.email).await;
        probed.map_err(|error| Reason::new("smtp", error.to_string()))?;
        self.breaker.close();
        Ok(())
    }
}
