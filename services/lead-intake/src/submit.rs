//! Stores leads and withdrawals by the primary path, the broker, or by the fallback path, the CRM, when the broker fails.

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::{
    crm::v1::{RecordLeadRequest, WithdrawLeadRequest},
    leads::v1::{LeadSubmitted, LeadWithdrawn},
};
use crm_client::{Crm, CrmClient};
use lead::{Lead, field::timestamp};
use messaging::{Event, PublishError, Publisher, TraceParent};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use runtime::crash;
use tonic::{Code, Response, Status};
use tracing::{error, info};
use uuid::Uuid;

/// Limit of a CRM call. Keeps a request below five seconds, of which the broker may take two.
const CRM_TIMEOUT: Duration = Duration::from_millis(1500);

/// The event was stored durably by a quorum of the broker, which routed it to its queues.
const PRIMARY: &str = "primary";
/// The event was stored durably by the CRM's database.
const FALLBACK: &str = "fallback";

/// Both paths failed. One of them may have stored the event and lost its answer; a retry with the same id stores nothing
/// twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{broker}, CRM call failed: {crm:?}")]
pub struct Unavailable {
    pub broker: PublishError,
    pub crm: Code,
}

/// Clones share one connection of each kind.
#[derive(Clone)]
pub struct Submitter {
    publisher: Publisher,
    crm: CrmClient,
    accepted: Counter<u64>,
    withdrawn: Counter<u64>,
}

impl Submitter {
    pub fn new(publisher: Publisher, crm: CrmClient, meter: &Meter) -> Self {
        let counter = |name, description| meter.u64_counter(name).with_description(description).build();
        Self {
            publisher,
            crm,
            accepted: counter("leads_accepted", "Leads stored durably, by path (primary or fallback)."),
            withdrawn: counter(
                "withdrawals_accepted",
                "Withdrawals of consent stored durably, by path (primary or fallback).",
            ),
        }
    }

    /// Returns within 3.5 seconds; `Ok` only when the lead is stored durably.
    pub async fn submit(&self, lead: Lead, trace: Option<&TraceParent>) -> Result<(), Unavailable> {
        crash::point("lead-intake-validated");
        let lead = LeadSubmitted::from(lead);
        let record = |mut crm: Crm| {
            let request = RecordLeadRequest { lead: Some(lead.clone()) };
            async move { crm.record_lead(request).await }
        };
        let stored = self.store(Event::LeadSubmitted(lead.clone()), trace, record).await;
        let (lead_id, reference) = (&lead.lead_id, &lead.reference);
        let trace_id = trace.map(TraceParent::trace_id).unwrap_or_default();
        match &stored {
            Ok(path) => {
                self.accepted.add(1, &[KeyValue::new("path", *path)]);
                info!(lead_id, reference, trace_id, path, "lead accepted");
            }
            Err(error) => {
                error!(lead_id, reference, trace_id, %error, "lead rejected: broker and CRM unavailable");
            }
        }
        stored.map(drop)
    }

    /// Stores the withdrawal of a visitor's consent to be contacted. Returns within 3.5 seconds; `Ok` only when it is
    /// stored durably.
    pub async fn withdraw(
        &self,
        lead: Uuid,
        withdrawn_at: DateTime<Utc>,
        erasure_requested: bool,
    ) -> Result<(), Unavailable> {
        let (lead_id, withdrawn_at) = (lead.to_string(), Some(timestamp(withdrawn_at)));
        let event = LeadWithdrawn { lead_id, withdrawn_at, erasure_requested };
        let record = |mut crm: Crm| {
            let request = WithdrawLeadRequest { withdrawal: Some(event.clone()) };
            async move { crm.withdraw_lead(request).await }
        };
        let trace = TraceParent::current();
        let stored = self.store(Event::LeadWithdrawn(event.clone()), trace.as_ref(), record).await;
        let lead_id = &event.lead_id;
        match &stored {
            Ok(path) => {
                self.withdrawn.add(1, &[KeyValue::new("path", *path)]);
                info!(lead_id, path, "withdrawal accepted");
            }
            Err(error) => error!(lead_id, %error, "withdrawal rejected: broker and CRM unavailable"),
        }
        stored.map(drop)
    }

    /// Publishes an event, or makes the CRM call that stores the same. Returns the path.
    async fn store<T, Answer>(
        &self,
        event: Event,
        trace: Option<&TraceParent>,
        record: impl Fn(Crm) -> Answer,
    ) -> Result<&'static str, Unavailable>
    where
        Answer: Future<Output = Result<Response<T>, Status>>,
    {
        let Err(broker) = self.publisher.publish(&event, trace).await else {
            crash::point("lead-intake-confirmed");
            return Ok(PRIMARY);
        };
        // Boxed to keep the futures of other events small.
        let recorded = Box::pin(self.crm.call(CRM_TIMEOUT, record)).await;
        recorded.map_err(|status| Unavailable { broker, crm: status.code() })?;
        crash::point("lead-intake-recorded");
        Ok(FALLBACK)
    }
}
