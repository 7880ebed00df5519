//! Handles ClaimTask and FinishTask.

use std::time::Duration;

use contracts::crm::v1 as crm;
use lead::field::filled;
use tonic::Status;
use tracing::info;

use super::{
    deliveries::{holder, positive_duration},
    service::Crm,
};
use crate::{
    auth::{Caller, Role},
    error::Invalid,
    tasks::TaskClaim,
};

const TASK_LENGTH: usize = 200;

/// What the desk claims: the first use of an email's link, and sessions, which are finished by logging out.
const DESK_TASKS: [&str; 2] = ["desk-link/", "desk-session/"];

/// Longer than a link is valid.
const LONGEST_DESK_LEASE: Duration = Duration::from_hours(15 * 24);

pub(super) async fn claim_task(
    crm: &Crm,
    caller: &Caller,
    request: crm::ClaimTaskRequest,
) -> Result<crm::ClaimTaskResponse, Status> {
    let repeatable_for = request.repeatable_for.map(|it| positive_duration("repeatable_for", Some(it)));
    let claim = TaskClaim {
        name: task_name(&request.task)?,
        holder: holder(&request.holder)?,
        lease: positive_duration("lease", request.lease)?,
        repeatable_for: repeatable_for.transpose()?,
    };
    if caller.role() == Role::Desk && !(is_of_desk(&claim.name) && claim.lease <= LONGEST_DESK_LEASE) {
        return Err(Status::permission_denied(
            "role desk may only claim tasks of magic links and sessions, for up to 15 days",
        ));
    }
    let granted = crm.store.claim_task(&claim).await?;
    info!(client = %caller, task = claim.name, holder = claim.holder, granted, "ClaimTask");
    Ok(crm::ClaimTaskResponse { granted })
}

pub(super) async fn finish_task(
    crm: &Crm,
    caller: &Caller,
    request: crm::FinishTaskRequest,
) -> Result<crm::FinishTaskResponse, Status> {
    let (task, holder) = (task_name(&request.task)?, holder(&request.holder)?);
    if caller.role() == Role::Desk && !is_of_desk(&task) {
        return Err(Status::permission_denied("role desk may only finish tasks of magic links and sessions"));
    }
    crm.store.finish_task(&task, &holder).await?;
    info!(client = %caller, task, holder, "FinishTask");
    Ok(crm::FinishTaskResponse {})
}

fn task_name(text: &str) -> Result<String, Invalid> {
    Ok(filled("task", text, TASK_LENGTH)?)
}

fn is_of_desk(task: &str) -> bool {
    DESK_TASKS.iter().any(|prefix| task.starts_with(prefix))
}
