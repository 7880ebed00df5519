//! The fallback path: the CRM stores the lead by a call.

use std::time::Duration;

use contracts::{crm::v1::RecordLeadRequest, leads::v1::LeadSubmitted};
use crm_client::{Crm, CrmClient};
use runtime::crash;
use tonic::Code;

/// Keeps a request below five seconds, of which the broker may take two.
const DEADLINE: Duration = Duration::from_millis(1500);

pub(super) async fn submit(crm: &CrmClient, lead: &LeadSubmitted) -> Result<(), Code> {
    let record = |mut crm: Crm| {
        let request = RecordLeadRequest { lead: Some(lead.clone()) };
        async move { crm.record_lead(request).await }
    };
    // Created now or stored before: the lead is stored either way.
    crm.call(DEADLINE, record).await.map_err(|status| status.code())?;
    crash::point("lead-intake-recorded");
    Ok(())
}

/// Whether a retry cannot help before an operator acts, for example when the CRM refuses the lead or does not know the
/// token.
pub(super) fn is_permanent(code: Code) -> bool {
    match code {
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
