//! Delivers one lead to its pending recipients: claim, send, report.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::join_all};
use lead::{
    Lead,
    recipient::{BROCHURE, VISITOR},
};
use lettre::Address;
use messaging::{Publisher, Reason, TraceParent};
use runtime::{
    backoff::Backoff, clock::SharedClock, crash, random::SharedIds, reload::Reloaded, service::Context,
};
use tokio::{
    sync::{OwnedMutexGuard, Semaphore, SemaphorePermit},
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::{
    breaker::CircuitBreaker,
    context::{DeliveryContext, Source, Step},
    error::DeliveryError,
    sent::{Sent, SentMails},
};
use crate::{
    crm::{
        ledger::Ledger,
        outcome::{Delivered, Outcome},
    },
    mail::{self, Backlog, Mail, MailContext},
    metrics::{Metrics, ReportPath},
    recipients::{Audience, Recipient},
    retry_delays::RetryDelays,
    routes::Routes,
    smtp::{Accepted, Mailer, Scope, SendError},
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

/// For a turn among mails to visitors or requests to webhooks, neither of which may hold up the sales team's mails.
const TURN: Duration = Duration::from_secs(1);

/// The result of trying to deliver a lead.
pub(crate) enum End {
    /// The database holds the remaining work, or will once it reads the report that the broker holds.
    Done,
    /// The time limit or shutdown came before the database or the broker held the remaining work.
    Unfinished,
    /// The mail server is unavailable.
    Unavailable,
}

enum Pass {
    End(End),
    /// Repeat after this wait.
    Retry(Duration),
}

/// Neither the CRM nor the broker accepted a report.
pub(super) struct Unreported;

/// When to stop trying to deliver a lead.
pub(crate) struct Limits<'a> {
    pub(crate) until: Instant,
    /// Cancelled when the process shuts down.
    pub(crate) stop: &'a CancellationToken,
}

pub(crate) struct Deliverer {
    pub(super) settings: Settings,
    mailer: Mailer,
    webhook_client: WebhookClient,
    publisher: Publisher,
    ledger: Arc<Ledger>,
    pub(super) clock: SharedClock,
    ids: SharedIds,
    pub(super) metrics: Metrics,
    sent: SentMails,
    breaker: CircuitBreaker,
    leads: Semaphore,
    sales_mails: Semaphore,
    visitor_mails: Semaphore,
    webhooks: Semaphore,
}

pub(crate) struct Settings {
    /// Its desk has nobody: people are those of the routes.
    pub(crate) mail_context: MailContext,
    pub(crate) routes: Arc<Reloaded<Routes>>,
    /// Whether visitors are thanked.
    pub(crate) acknowledges: bool,
    pub(crate) retry_delays: RetryDelays,
}

impl Deliverer {
    pub(crate) fn new(
        settings: Settings,
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
            ids: context.ids.clone(),
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
    ) -> End {
        if audience.names().is_empty() {
            return End::Done;
        }
        let sent = match self.take(&lead, source, limits).await {
            Ok(sent) => sent,
            Err(end) => return end,
        };
        let mut context = DeliveryContext::new(lead, audience, trace.cloned(), sent);
        let mut backoff = Backoff::new();
        loop {
            let wait = match self.pass(&mut context, &mut backoff).await {
                Pass::End(end) => return end,
                Pass::Retry(wait) => wait,
            };
            if Instant::now() + wait >= limits.until {
                return End::Unfinished;
            }
            tokio::select! {
                () = sleep(wait) => {}
                () = limits.stop.cancelled() => return End::Unfinished,
            }
        }
    }

    /// Locks the record of mails sent for a lead. If another task of this process holds it, a pending lead is skipped,
    /// as the database offers it again once that task reports. A queued one may have other contents under the same key,
    /// so the CRM records it, or it waits for the lock.
    async fn take(
        &self,
        lead: &Lead,
        source: Source,
        limits: &Limits<'_>,
    ) -> Result<OwnedMutexGuard<Sent>, End> {
        let sent = self.sent.of(lead.id);
        if let Ok(sent) = Arc::clone(&sent).try_lock_owned() {
            return Ok(sent);
        }
        if source == Source::Pending || self.ledger.record(lead).await.is_ok() {
            return Err(End::Done);
        }
        tokio::select! {
            sent = sent.lock_owned() => Ok(sent),
            () = sleep_until(limits.until) => Err(End::Unfinished),
            () = limits.stop.cancelled() => Err(End::Unfinished),
        }
    }

    pub(crate) fn routes(&self) -> Arc<Routes> {
        self.settings.routes.current()
    }

    /// With the people of the routes as they are now.
    fn mail_context(&self) -> MailContext {
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
    async fn pass(&self, context: &mut DeliveryContext, backoff: &mut Backoff) -> Pass {
        if !self.breaker.is_closed() && !context.is_sent() {
            return Pass::End(End::Unavailable);
        }
        let permit = self.leads.acquire().await;
        let claim = self.ledger.claim(&context.lead, &context.audience).await;
        self.metrics.claimed(&claim);
        context.claimed(claim.ok());
        if context.is_erased() {
            context.forget();
            return Pass::End(End::Done);
        }
        crash::point("notifier-claimed");
        let outcomes = self.deliver_to_people(context, permit.ok()).await;
        crash::point("notifier-mailed");
        context.add(outcomes.into_iter());
        if self.report(context).await.is_err() {
            return Pass::Retry(backoff.next_delay());
        }
        crash::point("notifier-reported");
        // Only now, as a receiver may take long: a mail that was sent and not reported is sent again after a crash.
        let posted = self.deliver_to_webhooks(context).await;
        context.add(posted.into_iter());
        if self.report(context).await.is_err() {
            return Pass::Retry(backoff.next_delay());
        }
        context.waits().map_or(Pass::End(End::Done), Pass::Retry)
    }

    /// Mails all people concurrently. Releases `permit` once the sales team's mails are finished.
    async fn deliver_to_people(
        &self,
        context: &DeliveryContext,
        permit: Option<SemaphorePermit<'_>>,
    ) -> Vec<(String, Outcome)> {
        let deliver = |recipient| self.deliver_to(context, recipient);
        let sales = async {
            let outcomes = join_all(context.audience.mailed_sales().map(&deliver)).await;
            drop(permit);
            outcomes
        };
        let (sales, visitor) = tokio::join!(sales, join_all(context.audience.mailed_visitor().map(&deliver)));
        let mut outcomes: Vec<_> = sales.into_iter().chain(visitor).flatten().collect();
        let thanked = outcomes.iter().find(|(name, _)| name == VISITOR).map(|(_, outcome)| outcome.clone());
        if let Some(delivered @ Outcome::Delivered(_)) = thanked.filter(|_| self.has_brochure()) {
            // The acknowledgement has the brochure's link: it is not to be mailed again.
            outcomes.push((BROCHURE.to_owned(), delivered));
        }
        outcomes
    }

    pub(crate) fn has_brochure(&self) -> bool {
        self.settings.mail_context.brochure.is_some()
    }

    /// Posts to all webhooks concurrently.
    async fn deliver_to_webhooks(&self, context: &DeliveryContext) -> Vec<(String, Outcome)> {
        let webhooks = context.audience.webhooks.iter().map(Recipient::Webhook);
        join_all(webhooks.map(|webhook| self.deliver_to(context, webhook)))
            .await
            .into_iter()
            .flatten()
            .collect()
    }

    /// `None`: nothing to do and nothing to report.
    async fn deliver_to(
        &self,
        context: &DeliveryContext,
        recipient: Recipient<'_>,
    ) -> Option<(String, Outcome)> {
        Some((recipient.name(), self.outcome(context, recipient).await?))
    }

    async fn outcome(&self, context: &DeliveryContext, recipient: Recipient<'_>) -> Option<Outcome> {
        let attempt = match context.step(recipient) {
            Step::Nothing => return None,
            Step::Report(delivered) => return Some(Outcome::Delivered(delivered)),
            Step::Mail { attempt } => attempt,
        };
        let mailing = AssertUnwindSafe(self.mail(context, recipient)).catch_unwind().await;
        Some(match mailing.unwrap_or(Err(DeliveryError::Panicked)) {
            Ok(delivered) => Outcome::Delivered(delivered),
            Err(error) => self.failed(context, recipient, attempt, &error),
        })
    }

    pub(super) fn failed(
        &self,
        context: &DeliveryContext,
        recipient: Recipient<'_>,
        attempt: u32,
        error: &DeliveryError,
    ) -> Outcome {
        let class = error.class();
        // The position identifies the recipient: addresses do not belong in a log.
        let index = context.audience.recipients().position(|it| it == recipient).unwrap_or_default() + 1;
        warn!(lead_id = %context.lead.id, recipient = index, attempt, class, %error, "delivery attempt failed");
        error.outcome(recipient, attempt, &self.settings.retry_delays, &self.ids)
    }

    async fn mail(
        &self,
        context: &DeliveryContext,
        recipient: Recipient<'_>,
    ) -> Result<Delivered, DeliveryError> {
        let (lead, mail_context, now) = (&context.lead, &self.mail_context(), self.clock.now());
        let (mail, accepted) = match recipient {
            Recipient::Sales(address) => {
                let mail = mail::sales(lead, &context.related(), address, None, mail_context, now)?;
                let claimed_at = context.is_claimed().then_some(context.claimed_at);
                let accepted = self.send(&mail, claimed_at).await?;
                self.note_sales(context, &mail);
                (mail, accepted)
            }
            Recipient::Requested(requested) => {
                let address = requested.address.as_ref().ok_or(DeliveryError::NotInRoutes)?;
                let name = recipient.name();
                let mail = mail::sales(lead, &context.related(), address, Some(&name), mail_context, now)?;
                let accepted = self.send(&mail, Some(context.claimed_at)).await?;
                info!(lead_id = %lead.id, reference = %lead.reference, mail = %mail.message_id, "requested email sent");
                (mail, accepted)
            }
            Recipient::Webhook(webhook) => {
                let _turn = turn(&self.webhooks).await?;
                if self.is_late(context.claimed_at) {
                    return Err(DeliveryError::Late);
                }
                let posted =
                    self.webhook_client.post(webhook, lead, context.related().do_not_contact_at, now).await;
                self.metrics.posted(&posted);
                let posted = posted?;
                info!(lead_id = %lead.id, reference = %lead.reference, webhook = webhook.name, "lead posted to webhook");
                return Ok(Delivered::posted(posted, self.clock.now()));
            }
            Recipient::Visitor => {
                let mail = mail::acknowledgement(lead, mail_context, now)?;
                let mail = mail.ok_or(DeliveryError::Unaddressable)?;
                let accepted = self.send_to_visitor(&mail).await?;
                info!(lead_id = %lead.id, reference = %lead.reference, mail = %mail.message_id, "visitor confirmation sent");
                (mail, accepted)
            }
            Recipient::Brochure => {
                let brochure = mail_context.brochure.as_ref().ok_or(DeliveryError::NoBrochure)?;
                let mail = mail::brochure_mail(lead, brochure, mail_context, now)?;
                let mail = mail.ok_or(DeliveryError::Unaddressable)?;
                let accepted = self.send_to_visitor(&mail).await?;
                info!(lead_id = %lead.id, reference = %lead.reference, mail = %mail.message_id, "brochure sent");
                (mail, accepted)
            }
        };
        Ok(Delivered::new(recipient, &mail, &accepted, self.clock.now()))
    }

    /// Logs a sent mail, and warns when it may be a duplicate, so that the log explains duplicates.
    fn note_sales(&self, context: &DeliveryContext, mail: &Mail) {
        let (lead_id, reference, mail) = (context.lead.id, &context.lead.reference, &mail.message_id);
        if !context.is_claimed() {
            self.metrics.mailed_unclaimed();
            warn!(%lead_id, %reference, %mail, "sales email sent without a claim: CRM unavailable");
        } else if context.claimed_at.elapsed() > self.ledger.lease() {
            warn!(%lead_id, %reference, %mail, "sales email sent after the claim expired");
        } else {
            info!(%lead_id, %reference, %mail, "sales email sent");
        }
        self.metrics.mailed(self.clock.now() - context.lead.submitted_at);
    }

    /// Whether more than a sixth of a claim's lease has passed: the longest mail might outlast the rest.
    fn is_late(&self, claimed_at: Instant) -> bool {
        claimed_at.elapsed() > self.ledger.lease() / 6
    }

    /// Sends to the sales team. Fails without sending when the breaker is open, or when the claim is late.
    pub(super) async fn send(
        &self,
        mail: &Mail,
        claimed_at: Option<Instant>,
    ) -> Result<Accepted, DeliveryError> {
        let _permit = self.sales_mails.acquire().await;
        if claimed_at.is_some_and(|at| self.is_late(at)) {
            return Err(DeliveryError::Late);
        }
        if !self.breaker.is_closed() {
            return Err(DeliveryError::Unavailable);
        }
        let started = Instant::now();
        let result = self.mailer.send(mail).await;
        self.metrics.sent(&result, started.elapsed().as_secs_f64());
        match &result {
            Ok(_) => self.breaker.succeeded(),
            Err(error) => match error.scope() {
                Scope::Server | Scope::Us => self.breaker.open(error),
                Scope::Mail | Scope::ForGood => {}
            },
        }
        Ok(result?)
    }

    /// Does not open the breaker: an error for a visitor's address is no evidence of a server fault.
    async fn send_to_visitor(&self, mail: &Mail) -> Result<Accepted, DeliveryError> {
        let _turn = turn(&self.visitor_mails).await?;
        if !self.breaker.is_closed() {
            return Err(DeliveryError::Unavailable);
        }
        let result = self.mailer.send(mail).await;
        self.metrics.acknowledged(&result);
        Ok(result?)
    }

    /// Reports a lead's outcomes to the CRM or, if it does not answer, through the broker together with the lead.
    pub(super) async fn report(&self, context: &mut DeliveryContext) -> Result<(), Unreported> {
        let outcomes = context.unreported();
        if outcomes.is_empty() {
            return Ok(());
        }
        if context.is_claimed() && self.ledger.report(context.lead.id, &outcomes).await.is_ok() {
            context.reported(outcomes);
            self.metrics.reported(Some(ReportPath::Grpc));
            return Ok(());
        }
        let event = self.ledger.event(&context.lead, &context.audience, &outcomes);
        if let Err(error) = self.publisher.publish(&event, context.trace.as_ref()).await {
            self.metrics.reported(None);
            let lead_id = context.lead.id;
            warn!(%lead_id, class = "report", %error, "delivery report not stored: CRM and broker unavailable");
            return Err(Unreported);
        }
        context.reported(outcomes);
        self.metrics.reported(Some(ReportPath::Broker));
        Ok(())
    }

    /// Mails what waits to one member of the sales team.
    pub(crate) async fn mail_backlog(
        &self,
        backlog: &Backlog,
        recipient: &Address,
    ) -> Result<(), DeliveryError> {
        let mail = mail::morning(backlog, recipient, &self.mail_context(), self.clock.now())?;
        self.send(&mail, None).await?;
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
        let probed: Result<(), SendError> = self.mailer.probe(&self.settings.mail_context.sender.email).await;
        probed.map_err(|error| Reason::new("smtp", error.to_string()))?;
        self.breaker.close();
        Ok(())
    }
}

async fn turn(semaphore: &Semaphore) -> Result<SemaphorePermit<'_>, DeliveryError> {
    match timeout(TURN, semaphore.acquire()).await {
        Ok(Ok(permit)) => Ok(permit),
        // A semaphore of ours is never closed.
        Ok(Err(_)) | Err(_) => Err(DeliveryError::Busy),
    }
}
