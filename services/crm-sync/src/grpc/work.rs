//! The work on leads, and tasks of which each is done once.

use contracts::crm::v1::{
    ClaimTaskRequest, ClaimTaskResponse, FinishTaskRequest, FinishTaskResponse, SetLeadStateRequest,
    SetLeadStateResponse,
};
use tonic::Status;
use tracing::info;

use super::auth::Caller;
use crate::{store::Store, wire};

pub(super) async fn set_state(
    store: &Store,
    caller: &Caller,
    request: SetLeadStateRequest,
) -> Result<SetLeadStateResponse, Status> {
    let change = wire::change(request, caller.to_string())?;
    let id = change.lead_id;
    let progress = store.progress(&change).await?;
    let progress = progress.ok_or_else(|| Status::not_found(format!("there is no lead {id}")))?;
    info!(client = %caller, lead_id = %id, state = progress.state.tag(), "SetLeadState");
    Ok(SetLeadStateResponse { progress: Some(wire::progress(progress)) })
}

pub(super) async fn claim_task(
    store: &Store,
    caller: &Caller,
    request: ClaimTaskRequest,
) -> Result<ClaimTaskResponse, Status> {
    let claim = wire::claim_task(request)?;
    let granted = store.claim_task(&claim).await?;
    info!(client = %caller, task = claim.name, holder = claim.holder, granted, "ClaimTask");
    Ok(ClaimTaskResponse { granted })
}

pub(super) async fn finish_task(
    store: &Store,
    caller: &Caller,
    request: FinishTaskRequest,
) -> Result<FinishTaskResponse, Status> {
    let (task, holder) = wire::finish_task(request)?;
    store.finish_task(&task, &holder).await?;
    info!(client = %caller, task, holder, "FinishTask");
    Ok(FinishTaskResponse {})
}
