//! The calls of `crm.v1`: each goes to those who know its subject.

use contracts::crm::v1::{
    ClaimRecipientRequest, ClaimRecipientResponse, ClaimTaskRequest, ClaimTaskResponse, CountLeadsRequest,
    CountLeadsResponse, ErasePersonRequest, ErasePersonResponse, ExportLeadsRequest, ExportPersonRequest,
    ExportPersonResponse, FinishTaskRequest, FinishTaskResponse, GetLeadRequest, GetLeadResponse,
    LeaseUntoldRequest, LeaseUntoldResponse, ListLeadsRequest, ListLeadsResponse, NoteLeadRequest,
    NoteLeadResponse, RecordLeadRequest, RecordLeadResponse, ReportRecipientRequest, ReportRecipientResponse,
    SetLeadStateRequest, SetLeadStateResponse, WatchLeadsRequest, crm_service_server::CrmService,
};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, async_trait};

use super::{auth::Caller, export, leads, ledger, person, statistics, work};
use crate::{ledger::Ledger, people::People, recorder::Recorder};

/// The service, over one recorder, its ledger and its people.
pub(super) struct Crm {
    recorder: Recorder,
    ledger: Ledger,
    people: People,
    stop: CancellationToken,
}

impl Crm {
    /// Watches and exports end when `stop` says so.
    pub(super) fn new(recorder: Recorder, ledger: Ledger, people: People, stop: CancellationToken) -> Self {
        Self { recorder, ledger, people, stop }
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

    async fn set_lead_state(
        &self,
        request: Request<SetLeadStateRequest>,
    ) -> Result<Response<SetLeadStateResponse>, Status> {
        let (caller, request) = open(request)?;
        work::set_state(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn count_leads(
        &self,
        request: Request<CountLeadsRequest>,
    ) -> Result<Response<CountLeadsResponse>, Status> {
        let (caller, request) = open(request)?;
        statistics::count(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn export_person(
        &self,
        request: Request<ExportPersonRequest>,
    ) -> Result<Response<ExportPersonResponse>, Status> {
        let (caller, request) = open(request)?;
        person::export(&self.people, &caller, request).await.map(Response::new)
    }

    async fn erase_person(
        &self,
        request: Request<ErasePersonRequest>,
    ) -> Result<Response<ErasePersonResponse>, Status> {
        let (caller, request) = open(request)?;
        person::erase(&self.people, &caller, request).await.map(Response::new)
    }

    async fn claim_task(
        &self,
        request: Request<ClaimTaskRequest>,
    ) -> Result<Response<ClaimTaskResponse>, Status> {
        let (caller, request) = open(request)?;
        work::claim_task(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn finish_task(
        &self,
        request: Request<FinishTaskRequest>,
    ) -> Result<Response<FinishTaskResponse>, Status> {
        let (caller, request) = open(request)?;
        work::finish_task(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    type ExportLeadsStream = export::Exported;

    async fn export_leads(
        &self,
        request: Request<ExportLeadsRequest>,
    ) -> Result<Response<Self::ExportLeadsStream>, Status> {
        let (caller, request) = open(request)?;
        export::exported(self.recorder.store(), &caller, request, &self.stop).await.map(Response::new)
    }
}
