//! Stores leads, withdrawals and later consents in the broker (primary path), or in the CRM if the broker fails (fallback path).

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::{
    crm::v1::{RecordConsentRequest, RecordLeadRequest, WithdrawLeadRequest},
    leads::v1::{LeadConsented, LeadWithdrawn},
};
use crm_client::{Crm, CrmClient};
use lead::{Channel, Lead, field::timestamp, privacy_policy};
use messaging::{Event, PublishError, Publisher};
use opentelemetry::{Context, KeyValue, metrics::Counter};
use runtime::{crash, service, trace};
use tokens::{ConsentToken, WithdrawalToken};
use tonic::{Code, Response, Status};
use tracing::{error, field::display, info};

/// Limit of a CRM call. The broker's limit is two seconds, so a request stays below five seconds.
const CRM_TIMEOUT: Duration = Duration::from_millis(1500);

/// A quorum of the broker stored the event durably and routed it to all its queues.
const PRIMARY: &str = "primary";
/// The CRM's database stored the event durably.
const FALLBACK: &str = "fallback";

/// Both paths failed. One of them may still have stored the event, but a retry with the same id does not store it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{broker}, CRM call failed: {crm:?}")]
pub struct Unavailable {
    pub broker: PublishError,
    pub crm: Code,
}

pub struct Submitter {
    publisher: Publisher,
    crm: CrmClient,
    accepted: Counter<u64>,
    withdrawn: Counter<u64>,
    agreed: Counter<u64>,
}

impl Submitter {
    /// Starts connecting to the broker in the background.
    pub fn start(
        broker: messaging::Settings,
        crm: &crm_client::Settings,
        context: &service::Context,
    ) -> Self {
        let metrics = &context.metrics;
        let crm = CrmClient::new(crm);
        crm.watch_token(context);
        Self {
            publisher: Publisher::start(broker, context),
            crm,
            accepted: metrics.counter_from_zero(
                "leads_accepted",
                "Leads stored durably, by path (primary or fallback).",
                "path",
                &[PRIMARY, FALLBACK],
            ),
            withdrawn: metrics.counter(
                "withdrawals_accepted",
                "Withdrawals of consent stored durably, by path (primary or fallback).",
            ),
            agreed: metrics.counter(
                "late_consents_accepted",
                "Consents to calls or messages after the form stored durably, by path (primary or fallback).",
            ),
        }
    }

    /// Stores a lead. Returns within 3.5 seconds, and `Ok` only if the lead is stored durably.
    pub async fn submit(&self, lead: Lead) -> Result<(), Unavailable> {
        crash::point("lead-intake-validated");
        let lead_id = lead.id;
        let reference = lead.reference.clone();
        let trace_id = trace::trace_id(&Context::current()).map(display);
        let stored = self
            .publish_or_record(Event::LeadSubmitted(lead.into()))
            .await;
        let path = stored.inspect_err(|error| {
            error!(%lead_id, %reference, trace_id, %error, "lead rejected: broker and CRM unavailable");
        })?;
        self.accepted.add(1, &[KeyValue::new("path", path)]);
        info!(%lead_id, %reference, trace_id, path, "lead accepted");
        Ok(())
    }

    /// Stores the withdrawal of a visitor's consent to be contacted. Returns within 3.5 seconds, and `Ok` only if the
    /// withdrawal is stored durably.
    pub async fn withdraw(
        &self,
        token: WithdrawalToken,
        withdrawn_at: DateTime<Utc>,
        erasure_requested: bool,
    ) -> Result<(), Unavailable> {
        let lead_id = token.lead;
        let withdrawn_at = Some(timestamp(withdrawn_at));
        let event = LeadWithdrawn {
            lead_id: lead_id.to_string(),
            withdrawn_at,
            erasure_requested,
            mailbox_hash: token.mailbox_hash.unwrap_or_default(),
        };
        let path = self
            .publish_or_record(Event::LeadWithdrawn(event))
            .await
            .inspect_err(|error| {
                error!(%lead_id, %error, "withdrawal rejected: broker and CRM unavailable");
            })?;
        self.withdrawn.add(1, &[KeyValue::new("path", path)]);
        info!(%lead_id, path, "withdrawal accepted");
        Ok(())
    }

    /// Stores that a visitor agrees to a channel in these words. Returns within 3.5 seconds, and `Ok` only if the consent is
    /// stored durably.
    pub async fn agree(
        &self,
        token: ConsentToken,
        channel: Channel,
        wording: &str,
        consented_at: DateTime<Utc>,
    ) -> Result<(), Unavailable> {
        let lead_id = token.lead;
        let event = LeadConsented {
            lead_id: lead_id.to_string(),
            consented_at: Some(timestamp(consented_at)),
            channels: vec![Channel::number(channel)],
            privacy_policy_version: privacy_policy::current().to_owned(),
            wording: wording.to_owned(),
            mailbox_hash: token.mailbox_hash.unwrap_or_default(),
        };
        let path = self
            .publish_or_record(Event::LeadConsented(event))
            .await
            .inspect_err(|error| {
                error!(%lead_id, %error, "consent rejected: broker and CRM unavailable");
            })?;
        self.agreed.add(1, &[KeyValue::new("path", path)]);
        info!(%lead_id, path, "consent accepted");
        Ok(())
    }

    /// Publishes an event, or stores it with a CRM call if publishing fails. Returns the path.
    async fn publish_or_record(&self, event: Event) -> Result<&'static str, Unavailable> {
        let Err(broker) = self.publisher.publish(&event).await else {
            crash::point("lead-intake-confirmed");
            return Ok(PRIMARY);
        };
        // Boxed to keep the futures of other events small.
        let recorded = Box::pin(self.crm.call(CRM_TIMEOUT, |crm| record(crm, event.clone()))).await;
        recorded.map_err(|status| Unavailable {
            broker,
            crm: status.code(),
        })?;
        crash::point("lead-intake-recorded");
        Ok(FALLBACK)
    }
}

async fn record(mut crm: Crm, event: Event) -> Result<Response<()>, Status> {
    Ok(match event {
        Event::LeadSubmitted(lead) => crm
            .leads
            .record_lead(RecordLeadRequest {
                lead: Some(lead),
                ..RecordLeadRequest::default()
            })
            .await?
            .map(drop),
        Event::LeadWithdrawn(withdrawal) => crm
            .leads
            .withdraw_lead(WithdrawLeadRequest {
                withdrawal: Some(withdrawal),
            })
            .await?
            .map(drop),
        Event::LeadConsented(consent) => crm
            .leads
            .record_consent(RecordConsentRequest {
                consent: Some(consent),
            })
            .await?
            .map(drop),
        Event::LeadDelivered(_) => return Err(Status::internal("notifier reports deliveries")),
    })
}
