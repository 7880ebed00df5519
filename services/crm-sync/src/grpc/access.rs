//! Implements `AccessService`.

use contracts::crm::v1::{
    CheckTokenRequest, CheckTokenResponse, ClaimTaskRequest, ClaimTaskResponse, FinishTaskRequest,
    FinishTaskResponse, access_service_server::AccessService,
};
use lead::FieldError;
use tonic::{Request, Response, Status, async_trait};
use tracing::info;

use super::call::{Crm, Reply, authorize};
use crate::{
    access::{Claim, Task},
    auth::Role::{Desk, Notifier},
    deliveries::parse_holder,
    error::Invalid,
};

#[async_trait]
impl AccessService for Crm {
    /// Succeeds for every role, because `authenticate` has already validated the token.
    async fn check_token(&self, _: Request<CheckTokenRequest>) -> Reply<CheckTokenResponse> {
        Ok(Response::new(CheckTokenResponse {}))
    }

    async fn claim_task(&self, request: Request<ClaimTaskRequest>) -> Reply<ClaimTaskResponse> {
        let (caller, request) = authorize(request, &[Notifier, Desk])?;
        let name = request.task.clone();
        let claim = Claim::parse(request)?;
        if caller.role == Desk && !claim.is_for_desk() {
            return Err(Status::permission_denied(
                "role desk may only claim magic links and sessions, for up to 30 days",
            ));
        }
        let granted = match &claim {
            Claim::Link(link) => self.store.use_link(link).await?,
            Claim::Session { id, lease } => self.store.claim_session(*id, *lease).await?,
            Claim::Summary(summary) => self.store.claim_summary(summary).await?,
        };
        info!(client = %caller.name, task = name, granted, "ClaimTask");
        Ok(Response::new(ClaimTaskResponse { granted }))
    }

    async fn finish_task(&self, request: Request<FinishTaskRequest>) -> Reply<FinishTaskResponse> {
        let (caller, request) = authorize(request, &[Notifier, Desk])?;
        let holder = parse_holder(&request.holder).map_err(Invalid::from)?;
        let task = Task::parse(&request.task).map_err(Invalid::from)?;
        if caller.role == Desk && !task.is_for_desk() {
            return Err(Status::permission_denied(
                "role desk may only finish sessions",
            ));
        }
        match task {
            Task::Session(session) => self.store.end_session(session).await?,
            Task::AllSessions(person) => self.store.end_all_sessions(person).await?,
            Task::Summary(name) => self.store.finish_summary(&name, &holder).await?,
            // A used link has no end.
            Task::Link(_) => return Err(Invalid::from(FieldError::NotUuid("task")).into()),
        }
        info!(client = %caller.name, task = request.task, holder, "FinishTask");
        Ok(Response::new(FinishTaskResponse {}))
    }
}
