//! One attempt to deliver a lead to one recipient.

use std::{collections::BTreeMap, future::Future, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use lead::recipient::{BROCHURE_TEST, notified_webhook};
use messaging::Reason;
use opentelemetry::KeyValue;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, timeout},
};
use tracing::{info, warn};
use uuid::Uuid;

use super::{
    deliverer::{Deliverer, LeadDelivery},
    retry::DeliveryError,
};
use crate::{
    crm::{Delivered, News, Outcome, WebhookNotice},
    mail::{self, ComposeError, Mail},
    metrics::count,
    routes::Recipient,
    smtp::{ReplyClass, SendError},
    webhook::{Webhook, WebhookError, WebhookEvent},
};

/// Time limit for a permit. Emails to visitors and webhooks must not delay emails to sales.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

impl Deliverer {
    /// `position` is the index in the audience. Returns `None` if there is nothing to do and nothing to report.
    pub(super) async fn attempt_delivery(
        &self,
        delivery: &LeadDelivery,
        (position, recipient): (usize, &Recipient),
    ) -> Option<(String, Outcome)> {
        let (attempt, name) = (delivery.attempt_number(recipient)?, recipient.name());
        if let Some(sent) = delivery.sent.get(&name) {
            return Some((name, Outcome::Delivered(sent.clone())));
        }
        // Logs must contain no addresses.
        let is_webhook = matches!(recipient, Recipient::Webhook(_));
        let logged = if is_webhook {
            name.clone()
        } else {
            (position + 1).to_string()
        };
        let sending = self.send_to(delivery, recipient);
        let outcome = self
            .run_attempt(delivery.lead.id, (&logged, recipient), attempt, sending)
            .await;
        Some((name, outcome))
    }

    /// Runs one attempt, and returns the outcome. Logs a failure with `logged` as the recipient. `sending` returns the
    /// message's id and the receiver's reply.
    async fn run_attempt(
        &self,
        lead_id: Uuid,
        (logged, recipient): (&str, &Recipient),
        attempt: u32,
        sending: impl Future<Output = Result<(String, String), DeliveryError>>,
    ) -> Outcome {
        let result = AssertUnwindSafe(sending).catch_unwind().await;
        match result.unwrap_or(Err(DeliveryError::Panicked)) {
            Ok((id, reply)) => {
                Outcome::Delivered(Delivered::new(recipient, id, &reply, self.clock.now()))
            }
            Err(error) => {
                let class = error.class();
                warn!(%lead_id, recipient = logged, attempt, class, %error, "delivery attempt failed");
                error.to_outcome(recipient, attempt, &self.options.retry_delays, lead_id)
            }
        }
    }

    /// Returns the message's id and the receiver's reply.
    async fn send_to(
        &self,
        delivery: &LeadDelivery,
        recipient: &Recipient,
    ) -> Result<(String, String), DeliveryError> {
        let lead = &delivery.lead;
        let related = &delivery
            .claim
            .as_ref()
            .map(|claim| claim.related.clone())
            .unwrap_or_default();
        let mailbox_hash = delivery
            .claim
            .as_ref()
            .and_then(|claim| claim.mailbox_hash.as_deref());
        let (context, now) = (&self.mail_context(), self.clock.now());
        let mail = match recipient {
            Recipient::Webhook(webhook) => {
                let event = WebhookEvent::lead_submitted(lead, related.do_not_contact_at);
                let posted = self.post(webhook, event, delivery.claimed_at).await?;
                let webhook = &webhook.name;
                info!(lead_id = %lead.id, reference = %lead.reference, webhook, "lead posted to webhook");
                return Ok(posted);
            }
            Recipient::Sales(address) => mail::sales(lead, related, address, None, context, now)?,
            Recipient::Requested { name, address } => {
                let address = address.as_ref().ok_or(ComposeError::NotInRoutes)?;
                if name.starts_with(BROCHURE_TEST) {
                    mail::brochure_test(lead, name, address, context, now)?
                } else {
                    mail::sales(lead, related, address, Some(name), context, now)?
                }
            }
            Recipient::Visitor => mail::confirmation(lead, mailbox_hash, context, now)?,
            Recipient::Brochure => mail::brochure(lead, mailbox_hash, context, now)?,
        };
        let reply = if recipient.is_visitor() {
            self.send_to_visitor(&mail).await?
        } else {
            let claimed_at = delivery.claim.as_ref().map(|_| delivery.claimed_at);
            self.send_to_sales(&mail, claimed_at).await?
        };
        self.log_sent(delivery, recipient, &mail);
        Ok((mail.message_id.to_string(), reply))
    }

    /// Posts a notice to a webhook, and reports the outcome. If the report fails, the notice is posted again later.
    pub(crate) async fn deliver_notice(&self, notice: WebhookNotice) {
        let WebhookNotice {
            lead_id,
            reference,
            recipient,
            attempt,
            news,
        } = notice;
        let name = notified_webhook(&recipient).unwrap_or_default();
        let outcome = match self.routes().webhook(name) {
            // An operator must inform the owner of the webhook.
            None => Outcome::Failed(Reason::new("routes", "webhook no longer in the routes")),
            Some(webhook) => {
                let posting = async {
                    let (event, kind) = match news {
                        News::Updated(update) => (
                            WebhookEvent::lead_updated(lead_id, &reference, &update),
                            "update",
                        ),
                        News::ErasedAt(at) => (
                            WebhookEvent::lead_erased(lead_id, &reference, at),
                            "erasure",
                        ),
                    };
                    let posted = self.post(webhook, event, Instant::now()).await?;
                    info!(%lead_id, %reference, kind, webhook = name, "notice posted to webhook");
                    Ok(posted)
                };
                let receiver = Recipient::Webhook(webhook.clone());
                self.run_attempt(lead_id, (&recipient, &receiver), attempt, posting)
                    .await
            }
        };
        if let Err(error) = self
            .ledger
            .report(lead_id, &BTreeMap::from([(recipient, outcome)]))
            .await
        {
            warn!(%lead_id, %error, "delivery report not stored, webhook will be called again");
        }
    }

    async fn post(
        &self,
        webhook: &Webhook,
        event: WebhookEvent,
        claimed_at: Instant,
    ) -> Result<(String, String), DeliveryError> {
        let _permit = acquire_in_time(&self.permits.webhooks).await?;
        if self.is_claim_old(claimed_at) {
            return Err(DeliveryError::OldClaim);
        }
        let posted = self
            .webhook_client
            .post(webhook, event, self.clock.now())
            .await;
        let result = match posted {
            Ok(_) => "accepted",
            Err(WebhookError::Gone) => "refused",
            Err(_) => "failed",
        };
        count(&self.metrics.webhooks, "result", result);
        let (id, status) = posted?;
        Ok((id, status.as_str().to_owned()))
    }

    /// Warns if a sales email may be a duplicate, so the log explains duplicates.
    fn log_sent(&self, delivery: &LeadDelivery, recipient: &Recipient, mail: &Mail) {
        let (lead_id, reference, mail) =
            (delivery.lead.id, &delivery.lead.reference, &mail.message_id);
        info!(%lead_id, %reference, %mail, kind = <&'static str>::from(recipient), "email sent");
        if !matches!(recipient, Recipient::Sales(_)) {
            return;
        }
        let age = self.clock.now() - delivery.lead.submitted_at;
        self.metrics.lead_age.record(
            age.as_seconds_f64().max(0.0),
            &[KeyValue::new("stage", "mailed")],
        );
        if delivery.claim.is_none() {
            self.metrics.unclaimed_emails.add(1, &[]);
            warn!(%lead_id, %reference, %mail, "sales email sent without a claim: CRM unavailable");
        } else if delivery.claimed_at.elapsed() > self.ledger.lease {
            warn!(%lead_id, %reference, %mail, "sales email sent after the claim expired");
        }
    }

    /// Whether more than a sixth of the claim's lifetime has passed. The longest email could then outlast the claim.
    fn is_claim_old(&self, claimed_at: Instant) -> bool {
        claimed_at.elapsed() > self.ledger.lease / 6
    }

    /// Fails without sending if the breaker is open or the claim is too old.
    pub(crate) async fn send_to_sales(
        &self,
        mail: &Mail,
        claimed_at: Option<Instant>,
    ) -> Result<String, DeliveryError> {
        let _permit = self.permits.sales.acquire().await;
        if claimed_at.is_some_and(|at| self.is_claim_old(at)) {
            return Err(DeliveryError::OldClaim);
        }
        if !self.breaker.is_closed() {
            return Err(DeliveryError::Unavailable);
        }
        let started = Instant::now();
        let result = self.mailer.send(mail).await;
        count(&self.metrics.sales_emails, "result", result_label(&result));
        self.metrics
            .sales_email_duration
            .record(started.elapsed().as_secs_f64(), &[]);
        self.breaker.record(&result);
        Ok(result?)
    }

    /// Never opens the breaker, because an error for a visitor's address is no evidence of a server fault.
    async fn send_to_visitor(&self, mail: &Mail) -> Result<String, DeliveryError> {
        let _permit = acquire_in_time(&self.permits.visitors).await?;
        if !self.breaker.is_closed() {
            return Err(DeliveryError::Unavailable);
        }
        let result = self.mailer.send(mail).await;
        count(
            &self.metrics.visitor_emails,
            "result",
            result_label(&result),
        );
        Ok(result?)
    }
}

fn result_label(result: &Result<String, SendError>) -> &'static str {
    match result {
        Ok(_) => "accepted",
        Err(error) if error.class == ReplyClass::Rejected => "refused",
        Err(_) => "failed",
    }
}

async fn acquire_in_time(semaphore: &Semaphore) -> Result<SemaphorePermit<'_>, DeliveryError> {
    match timeout(PERMIT_TIMEOUT, semaphore.acquire()).await {
        Ok(Ok(permit)) => Ok(permit),
        // No code closes these semaphores.
        Ok(Err(_)) | Err(_) => Err(DeliveryError::Busy),
    }
}
