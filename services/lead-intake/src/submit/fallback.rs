//! The fallback path: the CRM stores the lead by a call.

use std::time::Duration;

use contracts::{crm::v1::RecordLeadRequest, leads::v1::LeadSubmitted};
use crm_client::{Crm, CrmClient};
use runtime::crash;
use tonic::Code;

/// With the broker's two seconds a request stays below five.
const DEADLINE: Duration = Duration::from_millis(1500);

pub(super) async fn submit(crm: &CrmClient, lead: &LeadSubmitted) -> Result<(), Code> {
    let record = |mut crm: Crm| {
        let request = RecordLeadRequest { lead: Some(lead.clone()) };
        async move { crm.record_lead(request).await }
    };
    // Created now or stored before: both mean that it is stored.
    crm.call(DEADLINE, record).await.map_err(|status| status.code())?;
    crash::point("lead-intake-recorded");
    Ok(())
}

/// Whether a retry cannot help before an operator has acted, such as a lead that the CRM refuses, or a token it does
/// not know.
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
