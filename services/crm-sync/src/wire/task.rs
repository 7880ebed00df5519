//! What one process is to do, once.

use contracts::crm::v1::{ClaimTaskRequest, FinishTaskRequest};

use lead::field::filled;

use super::Invalid;
use crate::{
    deliveries::{holder, positive_duration},
    domain::task::TaskClaim,
};

/// Longest name of a task.
const TASK_LENGTH: usize = 200;

/// A claim of a task.
///
/// # Errors
/// [`Invalid`] when a field is empty or too long.
pub fn claim_task(request: ClaimTaskRequest) -> Result<TaskClaim, Invalid> {
    Ok(TaskClaim {
        name: name(&request.task)?,
        holder: holder(&request.holder)?,
        lease: positive_duration("lease", request.lease)?,
    })
}

/// Which task is done, and who did it.
///
/// # Errors
/// [`Invalid`] when a field is empty or too long.
pub fn finish_task(request: FinishTaskRequest) -> Result<(String, String), Invalid> {
    Ok((name(&request.task)?, holder(&request.holder)?))
}

fn name(text: &str) -> Result<String, Invalid> {
    Ok(filled("task", text, TASK_LENGTH)?)
}
