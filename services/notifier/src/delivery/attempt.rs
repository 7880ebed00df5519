//! One attempt to deliver a lead to one recipient.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, timeout},
};
use tracing::{info, warn};

use super::{
    deliverer::Deliverer,
    error::DeliveryError,
    state::{LeadDelivery, NextAction},
};
use crate::{
    crm::outcome::{Delivered, Outcome},
    mail::{self, Mail},
    recipients::Recipient,
    smtp::{Accepted, ReplyClass},
    webhook::Webhook,
};

/// Time limit for a permit to mail a visitor or to post to a webhook, neither of which may delay emails to sales.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

impl Deliverer {
    /// `None`: nothing to do and nothing to report.
    pub(super) async fn attempt(
        &self,
        delivery: &LeadDelivery,
        recipient: Recipient<'_>,
    ) -> Option<(String, Outcome)> {
        let outcome = match delivery.next_action(recipient) {
            NextAction::Nothing => return None,
            NextAction::Report(delivered) => Outcome::Delivered(delivered),
            NextAction::Send { attempt } => {
                let sending = AssertUnwindSafe(self.send_to(delivery, recipient)).catch_unwind().await;
                match sending.unwrap_or(Err(DeliveryError::Panicked)) {
                    Ok(delivered) => Outcome::Delivered(delivered),
                    Err(error) => self.failed(delivery, recipient, attempt, &error),
                }
            }
        };
        Some((recipient.name(), outcome))
    }

    fn failed(
        &self,
        delivery: &LeadDelivery,
        recipient: Recipient<'_>,
        attempt: u32,
        error: &DeliveryError,
    ) -> Outcome {
        let class = error.class();
        // The position identifies the recipient: addresses do not belong in a log.
        let index = delivery.audience.recipients().position(|it| it == recipient).unwrap_or_default() + 1;
        warn!(lead_id = %delivery.lead.id, recipient = index, attempt, class, %error, "delivery attempt failed");
        error.outcome(recipient, attempt, &self.settings.retry_delays, delivery.lead.id)
    }

    async fn send_to(
        &self,
        delivery: &LeadDelivery,
        recipient: Recipient<'_>,
    ) -> Result<Delivered, DeliveryError> {
        let (lead, related) = (&delivery.lead, &delivery.related());
        let (mail_context, now) = (&self.mail_context(), self.clock.now());
        let mail = match recipient {
            Recipient::Webhook(webhook) => return self.post(delivery, webhook).await,
            Recipient::Sales(address) => mail::sales(lead, related, address, None, mail_context, now)?,
            Recipient::Requested(requested) => {
                let address = requested.address.as_ref().ok_or(DeliveryError::NotInRoutes)?;
                mail::sales(lead, related, address, Some(&recipient.name()), mail_context, now)?
            }
            Recipient::Visitor => {
                mail::acknowledgement(lead, mail_context, now)?.ok_or(DeliveryError::Unaddressable)?
            }
            Recipient::Brochure => {
                let brochure = mail_context.brochure.as_ref().ok_or(DeliveryError::NoBrochure)?;
                let mail = mail::brochure_mail(lead, brochure, mail_context, now)?;
                mail.ok_or(DeliveryError::Unaddressable)?
            }
        };
        let accepted = match recipient {
            Recipient::Visitor | Recipient::Brochure => self.send_to_visitor(&mail).await?,
            Recipient::Sales(_) | Recipient::Requested(_) | Recipient::Webhook(_) => {
                let claimed_at = delivery.is_claimed().then_some(delivery.claimed_at);
                self.send_to_sales(&mail, claimed_at).await?
            }
        };
        self.log_sent(delivery, recipient, &mail);
        Ok(Delivered::new(recipient, &mail, &accepted, self.clock.now()))
    }

    async fn post(&self, delivery: &LeadDelivery, webhook: &Webhook) -> Result<Delivered, DeliveryError> {
        let _permit = acquire_soon(&self.webhooks).await?;
        if self.is_late(delivery.claimed_at) {
            return Err(DeliveryError::Late);
        }
        let (lead, do_not_contact_at) = (&delivery.lead, delivery.related().do_not_contact_at);
        let posted = self.webhook_client.post(webhook, lead, do_not_contact_at, self.clock.now()).await;
        self.metrics.posted(&posted);
        let posted = posted?;
        info!(lead_id = %lead.id, reference = %lead.reference, webhook = webhook.name, "lead posted to webhook");
        Ok(Delivered::posted(posted, self.clock.now()))
    }

    /// Warns when a sales email may be a duplicate, so that the log explains duplicates.
    fn log_sent(&self, delivery: &LeadDelivery, recipient: Recipient<'_>, mail: &Mail) {
        let (lead_id, reference, mail) = (delivery.lead.id, &delivery.lead.reference, &mail.message_id);
        match recipient {
            Recipient::Sales(_) if !delivery.is_claimed() => {
                self.metrics.mailed_unclaimed();
                warn!(%lead_id, %reference, %mail, "sales email sent without a claim: CRM unavailable");
            }
            Recipient::Sales(_) if delivery.claimed_at.elapsed() > self.ledger.lease() => {
                warn!(%lead_id, %reference, %mail, "sales email sent after the claim expired");
            }
            Recipient::Sales(_) => info!(%lead_id, %reference, %mail, "sales email sent"),
            Recipient::Requested(_) => info!(%lead_id, %reference, %mail, "requested email sent"),
            Recipient::Visitor => info!(%lead_id, %reference, %mail, "visitor confirmation sent"),
            Recipient::Brochure => info!(%lead_id, %reference, %mail, "brochure sent"),
            Recipient::Webhook(_) => {}
        }
        if matches!(recipient, Recipient::Sales(_)) {
            self.metrics.mailed(self.clock.now() - delivery.lead.submitted_at);
        }
    }

    /// Whether more than a sixth of a claim's lease has passed: the longest mail might outlast the rest.
    fn is_late(&self, claimed_at: Instant) -> bool {
        claimed_at.elapsed() > self.ledger.lease() / 6
    }

    /// Fails without sending when the breaker is open, or when the claim is late.
    pub(super) async fn send_to_sales(
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
            Err(error) if matches!(error.class, ReplyClass::ServerDown | ReplyClass::OverQuota) => {
                self.breaker.open(error);
            }
            Err(_) => {}
        }
        Ok(result?)
    }

    /// Does not open the breaker: an error for a visitor's address is no evidence of a server fault.
    async fn send_to_visitor(&self, mail: &Mail) -> Result<Accepted, DeliveryError> {
        let _permit = acquire_soon(&self.visitor_mails).await?;
        if !self.breaker.is_closed() {
            return Err(DeliveryError::Unavailable);
        }
        let result = self.mailer.send(mail).await;
        self.metrics.acknowledged(&result);
        Ok(result?)
    }
}

async fn acquire_soon(semaphore: &Semaphore) -> Result<SemaphorePermit<'_>, DeliveryError> {
    match timeout(PERMIT_TIMEOUT, semaphore.acquire()).await {
        Ok(Ok(permit)) => Ok(permit),
        // A semaphore of ours is never closed.
        Ok(Err(_)) | Err(_) => Err(DeliveryError::Busy),
    }
}
