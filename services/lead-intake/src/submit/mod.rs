//! Submits a lead by the primary path, the broker, or by the fallback path, the CRM, when the broker fails.

mod fallback;
mod primary;

use contracts::leads::v1::LeadSubmitted;
use crm_client::CrmClient;
use messaging::{PublishError, Publisher, TraceParent};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use runtime::crash;
use tonic::Code;
use tracing::{error, info, warn};

/// The path that stored a lead durably.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Path {
    /// A quorum of the broker confirmed the lead, routed to its queues.
    Primary,
    /// The CRM's database committed it.
    Fallback,
}

/// Both paths failed. One of them may have stored the lead and lost its answer; sent again with the same key it is
/// still one lead.
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
}

impl Submitter {
    #[must_use]
    pub fn new(publisher: Publisher, crm: CrmClient, meter: &Meter) -> Self {
        let accepted = meter
            .u64_counter("leads_accepted")
            .with_description("Leads stored durably, by path (primary or fallback).")
            .build();
        Self { publisher, crm, accepted }
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
        let submitted = self.by_either_path(lead, trace).await;
        let (lead_id, reference) = (&lead.lead_id, &lead.reference);
        let trace_id = trace.map(TraceParent::trace_id).unwrap_or_default();
        match &submitted {
            Ok(path) => {
                let path: &str = path.into();
                self.accepted.add(1, &[KeyValue::new("path", path)]);
                info!(lead_id, reference, trace_id, path, "lead accepted");
            }
            Err(error) if fallback::is_permanent(error.crm) => {
                error!(lead_id, reference, trace_id, %error, "lead rejected: broker failed and CRM refused the call");
            }
            Err(error) => {
                warn!(lead_id, reference, trace_id, %error, "lead rejected: broker and CRM unavailable");
            }
        }
        submitted
    }

    async fn by_either_path(
        &self,
        lead: &LeadSubmitted,
        trace: Option<&TraceParent>,
    ) -> Result<Path, Unavailable> {
        let Err(broker) = primary::submit(&self.publisher, lead, trace).await else {
            return Ok(Path::Primary);
        };
        // Boxed to keep the futures of other leads small.
        Box::pin(fallback::submit(&self.crm, lead)).await.map_err(|crm| Unavailable { broker, crm })?;
        Ok(Path::Fallback)
    }
}
