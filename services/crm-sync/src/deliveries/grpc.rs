//! Handles the delivery calls of `crm.v1`.

use contracts::crm::v1::{
    ClaimDeliveriesRequest, ClaimDeliveriesResponse, DiscardDeadRequest, DiscardDeadResponse,
    LeasePendingRequest, LeasePendingResponse, ListDeadRequest, ListDeadResponse, ReplayDeadRequest,
    ReplayDeadResponse, ReportDeliveriesRequest, ReportDeliveriesResponse,
};
use runtime::crash;
use tonic::Status;
use tracing::info;

use super::{Deliveries, claim::Answer, contract, dead::Decision};
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

pub(crate) async fn list_dead(
    deliveries: &Deliveries,
    caller: &Caller,
    request: ListDeadRequest,
) -> Result<ListDeadResponse, Status> {
    let dead = deliveries.store().list_dead(&contract::dead_filter(request.filter)?).await?;
    info!(client = %caller, total = dead.total, "ListDead");
    Ok(dead)
}

pub(crate) async fn replay_dead(
    deliveries: &Deliveries,
    caller: &Caller,
    request: ReplayDeadRequest,
) -> Result<ReplayDeadResponse, Status> {
    let filter = contract::dead_filter(request.filter)?;
    let replayed = deliveries.store().decide_dead(&filter, &Decision::Replay, &caller.to_string()).await?;
    info!(client = %caller, deliveries = replayed, "ReplayDead");
    Ok(ReplayDeadResponse { deliveries: replayed })
}

pub(crate) async fn discard_dead(
    deliveries: &Deliveries,
    caller: &Caller,
    request: DiscardDeadRequest,
) -> Result<DiscardDeadResponse, Status> {
    let decision = contract::discard(&request)?;
    let filter = contract::dead_filter(request.filter)?;
    let discarded = deliveries.store().decide_dead(&filter, &decision, &caller.to_string()).await?;
    info!(client = %caller, deliveries = discarded, "DiscardDead");
    Ok(DiscardDeadResponse { deliveries: discarded })
}
