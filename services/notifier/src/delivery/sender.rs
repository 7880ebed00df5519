//! Attempts deliveries: composes an email or a webhook call, sends it and returns the outcome.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use lead::{Lead, Outcome, Receipt, Recipient, RequestKind};
use lettre::Address;
use messaging::Reason;
use opentelemetry::KeyValue;
use runtime::clock::SharedClock;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, timeout},
};
use tracing::{info, warn};
use uuid::Uuid;

use super::{
    breaker::CircuitBreaker,
    retry::{DeliveryError, to_reason},
};
use crate::{
    config::Config,
    crm::{Claim, News, WebhookNotice},
    mail::{self, ComposeError, Mail, MailContext},
    metrics::{Metrics, count},
    routes::{Destination, Routes},
    smtp::{MAX_IDLE_CONNECTIONS, Mailer, ReplyClass, SendError},
    webhook::{Webhook, WebhookClient, WebhookError, WebhookEvent},
};

/// Time limit for a permit. Emails to visitors and webhooks must not delay emails to sales.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Sends emails and calls webhooks, with a limit of each kind.
pub(crate) struct Sender {
    pub(crate) config: Config,
    pub(crate) mailer: Mailer,
    pub(crate) webhook_client: WebhookClient,
    pub(crate) breaker: CircuitBreaker,
    pub(crate) clock: SharedClock,
    pub(crate) metrics: Metrics,
    pub(crate) permits: Permits,
}

/// Limits of concurrent calls.
pub(crate) struct Permits {
    sales: Semaphore,
    /// Separate, so slow emails to visitors do not delay emails to the sales team.
    visitors: Semaphore,
    webhooks: Semaphore,
}

impl Default for Permits {
    fn default() -> Self {
        Self {
            sales: Semaphore::new(MAX_IDLE_CONNECTIONS),
            visitors: Semaphore::new(8),
            webhooks: Semaphore::new(8),
        }
    }
}

/// One attempt to deliver a lead.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) lead: &'a Lead,
    pub(crate) destination: &'a Destination,
    /// Names the recipient in logs, which must contain no addresses: its position in the audience.
    pub(crate) position: usize,
    /// Counts the attempts from 1.
    pub(crate) number: u32,
    /// `None` if the CRM did not answer.
    pub(crate) claim: Option<&'a Claim>,
    /// Time of the last call for a claim, answered or not.
    pub(crate) claimed_at: Instant,
}

/// How a receiver identified and acknowledged what it accepted.
struct Accepted {
    /// `Message-ID` header of the email, or the id of the request.
    id: String,
    reply: String,
}

/// Composes an email to a visitor. The text is the hash of a corrected mailbox.
type ComposeForVisitor =
    fn(&Lead, Option<&str>, &MailContext, DateTime<Utc>) -> Result<Mail, ComposeError>;

impl Sender {
    pub(crate) fn routes(&self) -> Arc<Routes> {
        self.config.routes_file.current()
    }

    /// The context with the people of the current routes.
    pub(crate) fn mail_context(&self) -> MailContext {
        MailContext {
            people: self.routes().people.clone(),
            ..self.config.mail_context.clone()
        }
    }

    /// Makes one attempt and returns its outcome.
    pub(super) async fn attempt(&self, attempt: &Attempt<'_>) -> Outcome {
        let logged = match attempt.destination {
            Destination::Webhook(_) => attempt.destination.recipient().to_string(),
            Destination::Sales(_)
            | Destination::Requested { .. }
            | Destination::Visitor
            | Destination::Brochure => (attempt.position + 1).to_string(),
        };
        self.run(
            attempt.lead.id,
            attempt.destination,
            &logged,
            attempt.number,
            self.send(attempt),
        )
        .await
    }

    /// Posts a notice to its webhook and returns the outcome.
    pub(super) async fn post_notice(&self, notice: &WebhookNotice) -> Outcome {
        let name = notice.recipient.notified_webhook().unwrap_or_default();
        let routes = self.routes();
        let Some(webhook) = routes.webhook(name) else {
            // An operator must inform the owner of the webhook.
            let reason = Reason::new("routes", "webhook no longer in the routes");
            return Outcome::Failed(to_reason(reason));
        };
        let posting = async {
            let (event, kind) = match &notice.news {
                News::Updated(update) => (
                    WebhookEvent::lead_updated(notice.lead_id, &notice.reference, update),
                    "update",
                ),
                News::ErasedAt(at) => (
                    WebhookEvent::lead_erased(notice.lead_id, &notice.reference, *at),
                    "erasure",
                ),
            };
            let accepted = self.post(webhook, event, Instant::now()).await?;
            info!(lead_id = %notice.lead_id, reference = %notice.reference, kind, webhook = name, "notice posted to webhook");
            Ok(accepted)
        };
        self.run(
            notice.lead_id,
            &Destination::Webhook(webhook.clone()),
            &notice.recipient.to_string(),
            notice.attempt,
            posting,
        )
        .await
    }

    /// Waits for `sending`, and converts its result. Logs a failure with `logged` as the recipient.
    async fn run(
        &self,
        lead_id: Uuid,
        destination: &Destination,
        logged: &str,
        attempt: u32,
        sending: impl Future<Output = Result<Accepted, DeliveryError>>,
    ) -> Outcome {
        let result = AssertUnwindSafe(sending).catch_unwind().await;
        match result.unwrap_or(Err(DeliveryError::Panicked)) {
            Ok(accepted) => Outcome::Delivered(self.to_receipt(destination, accepted)),
            Err(error) => {
                let class = error.class();
                warn!(%lead_id, recipient = logged, attempt, class, %error, "delivery attempt failed");
                error.to_outcome(destination, attempt, &self.config.retry_delays, lead_id)
            }
        }
    }

    fn to_receipt(&self, destination: &Destination, accepted: Accepted) -> Receipt {
        Receipt {
            mail_message_id: accepted.id,
            server_reply: if destination.is_visitor() {
                reply_codes(&accepted.reply)
            } else {
                accepted.reply
            },
            delivered_at: self.clock.now(),
        }
    }

    async fn send(&self, attempt: &Attempt<'_>) -> Result<Accepted, DeliveryError> {
        if attempt.destination.is_reminder() {
            self.check_hours()?;
        }
        let mail = match attempt.destination {
            Destination::Webhook(webhook) => return self.post_lead(attempt, webhook).await,
            Destination::Sales(address) => self.compose_sales(attempt, address, None),
            Destination::Requested { recipient, address } => {
                self.compose_requested(attempt, recipient, address.as_ref())
            }
            Destination::Visitor => self.compose_for_visitor(attempt, mail::confirmation),
            Destination::Brochure => self.compose_for_visitor(attempt, mail::brochure),
        }?;
        let reply = if attempt.destination.is_visitor() {
            self.send_to_visitor(&mail).await?
        } else {
            let claimed_at = attempt.claim.map(|_| attempt.claimed_at);
            self.send_to_sales(&mail, claimed_at).await?
        };
        self.record_sent(attempt, &mail);
        Ok(Accepted {
            id: mail.message_id.to_string(),
            reply,
        })
    }

    /// Delays a reminder that was requested within the hours of the sales team, and could not be sent then.
    fn check_hours(&self) -> Result<(), DeliveryError> {
        let zone = self.config.mail_context.time_zone;
        let opens_after = self.routes().hours.wait_until_open(self.clock.now(), zone);
        if opens_after.is_zero() {
            Ok(())
        } else {
            Err(DeliveryError::Closed { opens_after })
        }
    }

    fn compose_sales(
        &self,
        attempt: &Attempt<'_>,
        address: &Address,
        request: Option<&Recipient>,
    ) -> Result<Mail, ComposeError> {
        let related = attempt
            .claim
            .map(|claim| claim.related.clone())
            .unwrap_or_default();
        let context = &self.mail_context();
        let now = self.clock.now();
        mail::sales(attempt.lead, &related, address, request, context, now)
    }

    /// `address` is `None` if the person has left the routes.
    fn compose_requested(
        &self,
        attempt: &Attempt<'_>,
        recipient: &Recipient,
        address: Option<&Address>,
    ) -> Result<Mail, ComposeError> {
        let address = address.ok_or(ComposeError::NotInRoutes)?;
        if !is_brochure_test(recipient) {
            return self.compose_sales(attempt, address, Some(recipient));
        }
        let context = &self.mail_context();
        mail::brochure_test(attempt.lead, recipient, address, context, self.clock.now())
    }

    fn compose_for_visitor(
        &self,
        attempt: &Attempt<'_>,
        compose: ComposeForVisitor,
    ) -> Result<Mail, ComposeError> {
        let mailbox_hash = attempt.claim.and_then(|it| it.mailbox_hash.as_deref());
        let context = &self.mail_context();
        compose(attempt.lead, mailbox_hash, context, self.clock.now())
    }

    async fn post_lead(
        &self,
        attempt: &Attempt<'_>,
        webhook: &Webhook,
    ) -> Result<Accepted, DeliveryError> {
        let lead = attempt.lead;
        let do_not_contact_at = attempt.claim.and_then(|it| it.related.do_not_contact_at);
        let event = WebhookEvent::lead_submitted(lead, do_not_contact_at);
        let accepted = self.post(webhook, event, attempt.claimed_at).await?;
        let webhook = &webhook.name;
        info!(lead_id = %lead.id, reference = %lead.reference, webhook, "lead posted to webhook");
        Ok(accepted)
    }

    async fn post(
        &self,
        webhook: &Webhook,
        event: WebhookEvent,
        claimed_at: Instant,
    ) -> Result<Accepted, DeliveryError> {
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
        Ok(Accepted {
            id,
            reply: status.as_str().to_owned(),
        })
    }

    /// Logs and measures a sent email. Warns if a sales email may be a duplicate, so the log explains duplicates.
    fn record_sent(&self, attempt: &Attempt<'_>, mail: &Mail) {
        let lead_id = attempt.lead.id;
        let reference = &attempt.lead.reference;
        let mail = &mail.message_id;
        let kind: &'static str = attempt.destination.into();
        info!(%lead_id, %reference, %mail, kind, "email sent");
        if !matches!(attempt.destination, Destination::Sales(_)) {
            return;
        }
        let age = self.clock.now() - attempt.lead.submitted_at;
        self.metrics.lead_age.record(
            age.as_seconds_f64().max(0.0),
            &[KeyValue::new("stage", "mailed")],
        );
        if attempt.claim.is_none() {
            self.metrics.unclaimed_emails.add(1, &[]);
            warn!(%lead_id, %reference, %mail, "sales email sent without a claim: CRM unavailable");
        } else if attempt.claimed_at.elapsed() > self.config.smtp.claim_lifetime() {
            warn!(%lead_id, %reference, %mail, "sales email sent after the claim expired");
        }
    }

    /// Whether more than a sixth of the claim's lifetime has passed. The longest email could then outlast the claim.
    fn is_claim_old(&self, claimed_at: Instant) -> bool {
        claimed_at.elapsed() > self.config.smtp.claim_lifetime() / 6
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

fn is_brochure_test(recipient: &Recipient) -> bool {
    let is_kind = |kind: &RequestKind| *kind == RequestKind::BrochureTest;
    matches!(recipient, Recipient::Requested { kind, .. } if is_kind(kind))
}

fn result_label(result: &Result<String, SendError>) -> &'static str {
    match result {
        Ok(_) => "accepted",
        Err(error) if error.class == ReplyClass::BadAddress => "refused",
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

/// The leading status codes of a reply (`250 2.0.0`), without text that may contain an address.
fn reply_codes(reply: &str) -> String {
    let is_code = |word: &&str| {
        word.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    reply
        .split_whitespace()
        .take(2)
        .take_while(is_code)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_codes_of_a_reply() {
        assert_eq!(
            reply_codes("250 2.0.0 Ok: queued for mei@x.co"),
            "250 2.0.0"
        );
        assert_eq!(reply_codes("250 mei@x.co 2.0.0"), "250");
        assert_eq!(reply_codes(""), "");
    }
}
