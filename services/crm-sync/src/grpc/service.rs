//! The calls of `crm.v1`: each goes to those who know its subject.

use contracts::crm::v1::{
    ClaimRecipientRequest, ClaimRecipientResponse, GetLeadRequest, GetLeadResponse, LeaseUntoldRequest,
    LeaseUntoldResponse, ListLeadsRequest, ListLeadsResponse, NoteLeadRequest, NoteLeadResponse,
    RecordLeadRequest, RecordLeadResponse, ReportRecipientRequest, ReportRecipientResponse,
    WatchLeadsRequest, crm_service_server::CrmService,
};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, async_trait};

use super::{auth::Caller, leads, ledger};
use crate::{ledger::Ledger, recorder::Recorder};

/// The service, over one recorder and its ledger.
pub(super) struct Crm {
    recorder: Recorder,
    ledger: Ledger,
    stop: CancellationToken,
}

impl Crm {
    /// Watches end when `stop` says so.
    pub(super) fn new(recorder: Recorder, ledger: Ledger, stop: CancellationToken) -> Self {
        Self { recorder, ledger, stop }
    }
}

/// Who is calling, and what is asked.
fn open<T>(request: Request<T>) -> Result<(Caller, T), Status> {
    let caller = request.extensions().get::<Caller>().cloned();
    // The guard lets nobody pass without.
    let caller = caller.ok_or_else(|| Status::unauthenticated("a token is needed"))?;
    Ok((caller, request.into_inner()))
}

#[async_trait]
impl CrmService for Crm {
    async fn record_lead(
        &self,
        request: Request<RecordLeadRequest>,
    ) -> Result<Response<RecordLeadResponse>, Status> {
        let (caller, request) = open(request)?;
        leads::record(&self.recorder, &caller, request).await.map(Response::new)
    }

    async fn get_lead(&self, request: Request<GetLeadRequest>) -> Result<Response<GetLeadResponse>, Status> {
        let (caller, request) = open(request)?;
        leads::get(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn list_leads(
        &self,
        request: Request<ListLeadsRequest>,
    ) -> Result<Response<ListLeadsResponse>, Status> {
        let (caller, request) = open(request)?;
        leads::list(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    type WatchLeadsStream = leads::Watched;

    async fn watch_leads(
        &self,
        request: Request<WatchLeadsRequest>,
    ) -> Result<Response<Self::WatchLeadsStream>, Status> {
        let (caller, request) = open(request)?;
        leads::watched(&self.recorder, &caller, request, &self.stop).await.map(Response::new)
    }

    async fn claim_recipient(
        &self,
        request: Request<ClaimRecipientRequest>,
    ) -> Result<Response<ClaimRecipientResponse>, Status> {
        let (caller, request) = open(request)?;
        ledger::claim(&self.ledger, &caller, request).await.map(Response::new)
    }

    async fn lease_untold(
        &self,
        request: Request<LeaseUntoldRequest>,
    ) -> Result<Response<LeaseUntoldResponse>, Status> {
        let (caller, request) = open(request)?;
        ledger::lease(&self.ledger, &caller, request).await.map(Response::new)
    }

    async fn report_recipient(
        &self,
        request: Request<ReportRecipientRequest>,
    ) -> Result<Response<ReportRecipientResponse>, Status> {
        let (caller, request) = open(request)?;
        ledger::report(&self.ledger, &caller, request).await.map(Response::new)
    }

    async fn note_lead(
        &self,
        request: Request<NoteLeadRequest>,
    ) -> Result<Response<NoteLeadResponse>, Status> {
        let (caller, request) = open(request)?;
        ledger::note(&self.ledger, &caller, request).await.map(Response::new)
    }
}
