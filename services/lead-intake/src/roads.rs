//! The two roads on which a lead gets to where it is kept for good: the broker, and the CRM when the broker cannot.

use std::time::Duration;

use contracts::{crm::v1::RecordLeadRequest, leads::v1::LeadSubmitted};
use crm_client::{Crm, CrmClient};
use messaging::{Event, PublishError, Publisher, TraceParent};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use runtime::crash;
use tonic::{Code, Status};
use tracing::{error, info, warn};

/// How long the CRM may take. With the broker's two seconds a request stays below five.
const CRM_DEADLINE: Duration = Duration::from_millis(1500);

/// The way a lead took. Either has it for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Road {
    /// A quorum of the broker confirmed it, routed.
    Broker,
    /// The CRM's database committed it.
    Crm,
}

/// Neither road is open. Nothing was promised, though a road may have taken the lead and its answer been lost: the
/// same lead sent again is still one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{broker}, and the CRM said {crm:?}")]
pub struct Closed {
    /// Why not the broker.
    pub broker: PublishError,
    /// Why not the CRM.
    pub crm: Code,
}

/// Takes leads down whichever road is open. Clones share it.
#[derive(Clone)]
pub struct Roads {
    publisher: Publisher,
    crm: CrmClient,
    accepted: Counter<u64>,
}

impl Roads {
    /// The broker's road first, then the CRM's.
    #[must_use]
    pub fn new(publisher: Publisher, crm: CrmClient, meter: &Meter) -> Self {
        let accepted = meter
            .u64_counter("leads_accepted")
            .with_description("Leads that are kept for good, by road.")
            .build();
        Self { publisher, crm, accepted }
    }

    /// Returns when the lead is kept for good, or can be nowhere within 3.5 seconds.
    ///
    /// # Errors
    /// [`Closed`]
    pub async fn submit(&self, lead: &LeadSubmitted, trace: Option<&TraceParent>) -> Result<Road, Closed> {
        crash::point("lead-intake-validated");
        let taken = self.take(lead, trace).await;
        let (lead_id, reference) = (&lead.lead_id, &lead.reference);
        let trace_id = trace.map(TraceParent::trace_id).unwrap_or_default();
        match &taken {
            Ok(road) => {
                self.accepted.add(1, &[KeyValue::new("road", road.name())]);
                info!(lead_id, reference, trace_id, road = road.name(), "lead accepted");
            }
            Err(closed) if closed.is_a_fault_of_ours() => {
                error!(lead_id, reference, trace_id, error = %closed, "a lead was refused, its visitor was told");
            }
            Err(closed) => {
                warn!(lead_id, reference, trace_id, error = %closed, "a lead could not be taken, its visitor was told");
            }
        }
        taken
    }

    async fn take(&self, lead: &LeadSubmitted, trace: Option<&TraceParent>) -> Result<Road, Closed> {
        let Err(broker) = self.publisher.publish(&Event::LeadSubmitted(lead.clone()), trace).await else {
            crash::point("lead-intake-confirmed");
            return Ok(Road::Broker);
        };
        let record = |mut crm: Crm| {
            let request = RecordLeadRequest { lead: Some(lead.clone()) };
            async move { crm.record_lead(request).await }
        };
        // Created or there already: it is kept. Boxed, so that every lead does not carry the room for this.
        Box::pin(self.crm.call(CRM_DEADLINE, record))
            .await
            .map_err(|status: Status| Closed { broker, crm: status.code() })?;
        crash::point("lead-intake-recorded");
        Ok(Road::Crm)
    }
}

impl Road {
    /// Its name in logs and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Broker => "broker",
            Self::Crm => "crm",
        }
    }
}

impl Closed {
    /// Whether trying again will not help before somebody has mended something, such as a lead that we accept and the
    /// CRM does not, or a token it does not know.
    fn is_a_fault_of_ours(&self) -> bool {
        match self.crm {
            Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Cancelled
            | Code::Unknown
            | Code::Aborted
            | Code::ResourceExhausted => false,
            Code::Ok
            | Code::InvalidArgument
            | Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::FailedPrecondition
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::Internal
            | Code::DataLoss
            | Code::Unauthenticated => true,
        }
    }
}
