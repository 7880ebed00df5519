//! Handles the delivery calls of `crm.v1`.

use contracts::crm::v1::{
    ClaimDeliveriesRequest, ClaimDeliveriesResponse, DiscardDeliveriesRequest, DiscardDeliveriesResponse,
    LeasePendingRequest, LeasePendingResponse, ListDeliveriesRequest, ListDeliveriesResponse,
    ReportDeliveriesRequest, ReportDeliveriesResponse, RetryDeliveriesRequest, RetryDeliveriesResponse,
};
use runtime::crash;
use tonic::Status;
use tracing::info;

use super::{Deliveries, claim::Answer, contract, failed::Decision};
use crate::auth::Caller;

pub(crate) async fn claim(
    deliveries: &Deliveries,
    caller: &Caller,
    request: ClaimDeliveriesRequest,
) -> Result<ClaimDeliveriesResponse, Status> {
    let claim = contract::claim(request)?;
    let claimed = deliveries.claim(&claim).await?;
    crash::point("crm-sync-claimed");
    let granted = claimed.answers.iter().filter(|it| matches!(it, Answer::Granted { .. })).count();
    info!(client = %caller, lead_id = %claim.submission.id, holder = claim.holder, granted, "ClaimDeliveries");
    Ok(contract::claimed(claim, claimed))
}

pub(crate) async fn report(
    deliveries: &Deliveries,
    caller: &Caller,
    request: ReportDeliveriesRequest,
) -> Result<ReportDeliveriesResponse, Status> {
    let reports = contract::reports(request)?;
    deliveries.report(&reports).await?;
    info!(client = %caller, lead_id = %reports.lead_id, reports = reports.reports.len(), "ReportDeliveries");
    Ok(ReportDeliveriesResponse {})
}

pub(crate) async fn lease(
    deliveries: &Deliveries,
    caller: &Caller,
    request: LeasePendingRequest,
) -> Result<LeasePendingResponse, Status> {
    let lease = contract::lease(request)?;
    let leads = deliveries.lease(&lease).await?;
    if !leads.is_empty() {
        info!(client = %caller, holder = lease.holder, leads = leads.len(), "LeasePending");
    }
    Ok(contract::leased(leads))
}

pub(crate) async fn list_deliveries(
    deliveries: &Deliveries,
    caller: &Caller,
    request: ListDeliveriesRequest,
) -> Result<ListDeliveriesResponse, Status> {
    let filter = contract::delivery_filter(request.filter)?;
    let listed = deliveries.store().list_deliveries(&filter, request.failed).await?;
    info!(client = %caller, total = listed.total, "ListDeliveries");
    Ok(listed)
}

pub(crate) async fn retry_deliveries(
    deliveries: &Deliveries,
    caller: &Caller,
    request: RetryDeliveriesRequest,
) -> Result<RetryDeliveriesResponse, Status> {
    let filter = contract::delivery_filter(request.filter)?;
    let retried = deliveries.store().decide(&filter, &Decision::Retry, &caller.to_string()).await?;
    info!(client = %caller, deliveries = retried, "RetryDeliveries");
    Ok(RetryDeliveriesResponse { deliveries: retried })
}

pub(crate) async fn discard_deliveries(
    deliveries: &Deliveries,
    caller: &Caller,
    request: DiscardDeliveriesRequest,
) -> Result<DiscardDeliveriesResponse, Status> {
    let decision = contract::discard(&request)?;
    let filter = contract::delivery_filter(request.filter)?;
    let discarded = deliveries.store().decide(&filter, &decision, &caller.to_string()).await?;
    info!(client = %caller, deliveries = discarded, "DiscardDeliveries");
    Ok(DiscardDeliveriesResponse { deliveries: discarded })
}
