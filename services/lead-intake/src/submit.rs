//! Stores leads and withdrawals by the primary path, the broker, or by the fallback path, the CRM, when the broker fails.

use std::time::Duration;

use chrono::{DateTime, Utc};
use contracts::{
    crm::v1::{RecordLeadRequest, WithdrawLeadRequest},
    leads::v1::{LeadSubmitted, LeadWithdrawn},
};
use crm_client::{Crm, CrmClient};
use lead::field::timestamp;
use messaging::{Event, PublishError, Publisher, TraceParent};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use runtime::crash;
use tonic::{Code, Response, Status};
use tracing::{error, info, warn};
use uuid::Uuid;

/// Limit of a CRM call. Keeps a request below five seconds, of which the broker may take two.
const CRM_TIMEOUT: Duration = Duration::from_millis(1500);

/// The path that stored an event durably.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Path {
    /// A quorum of the broker confirmed the event, routed to its queues.
    Primary,
    /// The CRM's database committed it.
    Fallback,
}

/// Both paths failed. One of them may have stored the event and lost its answer; a retry with the same id stores nothing
/// twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{broker}, CRM call failed: {crm:?}")]
pub struct Unavailable {
    pub broker: PublishError,
    pub crm: Code,
}

/// The withdrawal of a visitor's consent to be contacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    pub lead: Uuid,
    pub withdrawn_at: DateTime<Utc>,
    pub erasure_requested: bool,
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
    #[must_use]
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
    ///
    /// # Errors
    /// [`Unavailable`]
    pub async fn submit(
        &self,
        lead: &LeadSubmitted,
        trace: Option<&TraceParent>,
    ) -> Result<Path, Unavailable> {
        crash::point("lead-intake-validated");
        let record = |mut crm: Crm| {
            let request = RecordLeadRequest { lead: Some(lead.clone()) };
            async move { crm.record_lead(request).await }
        };
        let stored = self.store(Event::LeadSubmitted(lead.clone()), trace, record).await;
        let (lead_id, reference) = (&lead.lead_id, &lead.reference);
        let trace_id = trace.map(TraceParent::trace_id).unwrap_or_default();
        match &stored {
            Ok(path) => {
                let path: &str = path.into();
                self.accepted.add(1, &[KeyValue::new("path", path)]);
                info!(lead_id, reference, trace_id, path, "lead accepted");
            }
            Err(error) if is_permanent(error.crm) => {
                error!(lead_id, reference, trace_id, %error, "lead rejected: broker failed and CRM refused the call");
            }
            Err(error) => {
                warn!(lead_id, reference, trace_id, %error, "lead rejected: broker and CRM unavailable");
            }
        }
        stored
    }

    /// Returns within 3.5 seconds; `Ok` only when the withdrawal is stored durably.
    ///
    /// # Errors
    /// [`Unavailable`]
    pub async fn withdraw(
        &self,
        withdrawal: Withdrawal,
        trace: Option<&TraceParent>,
    ) -> Result<Path, Unavailable> {
        let Withdrawal { lead, withdrawn_at, erasure_requested } = withdrawal;
        let (lead_id, withdrawn_at) = (lead.to_string(), Some(timestamp(withdrawn_at)));
        let event = LeadWithdrawn { lead_id, withdrawn_at, erasure_requested };
        let record = |mut crm: Crm| {
            let request = WithdrawLeadRequest { withdrawal: Some(event.clone()) };
            async move { crm.withdraw_lead(request).await }
        };
        let stored = self.store(Event::LeadWithdrawn(event.clone()), trace, record).await;
        let lead_id = &event.lead_id;
        match &stored {
            Ok(path) => {
                let path: &str = path.into();
                self.withdrawn.add(1, &[KeyValue::new("path", path)]);
                info!(lead_id, path, "withdrawal accepted");
            }
            Err(error) => error!(lead_id, %error, "withdrawal rejected: neither broker nor CRM stored it"),
        }
        stored
    }

    /// Publishes an event, or makes the CRM call that stores the same.
    async fn store<T, Answer>(
        &self,
        event: Event,
        trace: Option<&TraceParent>,
        record: impl Fn(Crm) -> Answer,
    ) -> Result<Path, Unavailable>
    where
        Answer: Future<Output = Result<Response<T>, Status>>,
    {
        let Err(broker) = self.publisher.publish(&event, trace).await else {
            crash::point("lead-intake-confirmed");
            return Ok(Path::Primary);
        };
        // Boxed to keep the futures of other events small.
        let recorded = Box::pin(self.crm.call(CRM_TIMEOUT, record)).await;
        recorded.map_err(|status| Unavailable { broker, crm: status.code() })?;
        crash::point("lead-intake-recorded");
        Ok(Path::Fallback)
    }
}

/// Whether a retry cannot help before an operator acts, for example when the CRM refuses the lead or does not know the
/// token.
fn is_permanent(code: Code) -> bool {
    !matches!(
        code,
        Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Cancelled
            | Code::Unknown
            | Code::Aborted
            | Code::ResourceExhausted
    )
}
