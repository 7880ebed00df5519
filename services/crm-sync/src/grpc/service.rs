//! Dispatches the calls of `crm.v1` to their modules.

use contracts::crm::v1::{
    ClaimDeliveriesRequest, ClaimDeliveriesResponse, ClaimTaskRequest, ClaimTaskResponse, CountLeadsRequest,
    CountLeadsResponse, DiscardDeliveriesRequest, DiscardDeliveriesResponse, ErasePersonRequest,
    ErasePersonResponse, ExportLeadsRequest, ExportLeadsResponse, ExportPersonRequest, ExportPersonResponse,
    FinishTaskRequest, FinishTaskResponse, GetLeadRequest, GetLeadResponse, LeasePendingRequest,
    LeasePendingResponse, ListDeliveriesRequest, ListDeliveriesResponse, ListLeadsRequest, ListLeadsResponse,
    MailLeadRequest, MailLeadResponse, MergePeopleRequest, MergePeopleResponse, RecordLeadRequest,
    RecordLeadResponse, ReportDeliveriesRequest, ReportDeliveriesResponse, RetryDeliveriesRequest,
    RetryDeliveriesResponse, SendBrochureRequest, SendBrochureResponse, SplitPersonRequest,
    SplitPersonResponse, UpdateLeadRequest, UpdateLeadResponse, WithdrawLeadRequest, WithdrawLeadResponse,
    crm_service_server::CrmService,
};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, async_trait};

use crate::{
    auth::Caller,
    deliveries::{self, Deliveries},
    leads::{
        recorder::{Recorder, record_lead},
        withdrawal::withdraw_lead,
    },
    people::{self, People},
    search, statistics, tasks,
    update_lead::update_lead,
};

pub(crate) struct Crm {
    deliveries: Deliveries,
    recorder: Recorder,
    people: People,
    stop: CancellationToken,
}

impl Crm {
    /// `stop` ends exports.
    pub(crate) fn new(
        deliveries: Deliveries,
        recorder: Recorder,
        people: People,
        stop: CancellationToken,
    ) -> Self {
        Self { deliveries, recorder, people, stop }
    }
}

fn open<T>(request: Request<T>) -> Result<(Caller, T), Status> {
    let caller = request.extensions().get::<Caller>().cloned();
    // The guard refuses calls without a token.
    let caller = caller.ok_or_else(|| Status::unauthenticated("missing token"))?;
    Ok((caller, request.into_inner()))
}

#[async_trait]
impl CrmService for Crm {
    async fn record_lead(
        &self,
        request: Request<RecordLeadRequest>,
    ) -> Result<Response<RecordLeadResponse>, Status> {
        let (caller, request) = open(request)?;
        record_lead(&self.recorder, &caller, request).await.map(Response::new)
    }

    async fn withdraw_lead(
        &self,
        request: Request<WithdrawLeadRequest>,
    ) -> Result<Response<WithdrawLeadResponse>, Status> {
        let (caller, request) = open(request)?;
        withdraw_lead(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn get_lead(&self, request: Request<GetLeadRequest>) -> Result<Response<GetLeadResponse>, Status> {
        let (caller, request) = open(request)?;
        search::grpc::get(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn list_leads(
        &self,
        request: Request<ListLeadsRequest>,
    ) -> Result<Response<ListLeadsResponse>, Status> {
        let (caller, request) = open(request)?;
        search::grpc::list(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn claim_deliveries(
        &self,
        request: Request<ClaimDeliveriesRequest>,
    ) -> Result<Response<ClaimDeliveriesResponse>, Status> {
        let (caller, request) = open(request)?;
        deliveries::grpc::claim(&self.deliveries, &caller, request).await.map(Response::new)
    }

    async fn report_deliveries(
        &self,
        request: Request<ReportDeliveriesRequest>,
    ) -> Result<Response<ReportDeliveriesResponse>, Status> {
        let (caller, request) = open(request)?;
        deliveries::grpc::report(&self.deliveries, &caller, request).await.map(Response::new)
    }

    async fn lease_pending(
        &self,
        request: Request<LeasePendingRequest>,
    ) -> Result<Response<LeasePendingResponse>, Status> {
        let (caller, request) = open(request)?;
        deliveries::grpc::lease(&self.deliveries, &caller, request).await.map(Response::new)
    }

    async fn list_deliveries(
        &self,
        request: Request<ListDeliveriesRequest>,
    ) -> Result<Response<ListDeliveriesResponse>, Status> {
        let (caller, request) = open(request)?;
        deliveries::grpc::list_deliveries(&self.deliveries, &caller, request).await.map(Response::new)
    }

    async fn retry_deliveries(
        &self,
        request: Request<RetryDeliveriesRequest>,
    ) -> Result<Response<RetryDeliveriesResponse>, Status> {
        let (caller, request) = open(request)?;
        deliveries::grpc::retry_deliveries(&self.deliveries, &caller, request).await.map(Response::new)
    }

    async fn discard_deliveries(
        &self,
        request: Request<DiscardDeliveriesRequest>,
    ) -> Result<Response<DiscardDeliveriesResponse>, Status> {
        let (caller, request) = open(request)?;
        deliveries::grpc::discard_deliveries(&self.deliveries, &caller, request).await.map(Response::new)
    }

    async fn update_lead(
        &self,
        request: Request<UpdateLeadRequest>,
    ) -> Result<Response<UpdateLeadResponse>, Status> {
        let (caller, request) = open(request)?;
        update_lead(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn mail_lead(
        &self,
        request: Request<MailLeadRequest>,
    ) -> Result<Response<MailLeadResponse>, Status> {
        let (caller, request) = open(request)?;
        deliveries::request::mail_lead(self.recorder.store(), &caller, &request).await.map(Response::new)
    }

    async fn send_brochure(
        &self,
        request: Request<SendBrochureRequest>,
    ) -> Result<Response<SendBrochureResponse>, Status> {
        let (caller, request) = open(request)?;
        deliveries::brochure::send(self.recorder.store(), &caller, &request).await.map(Response::new)
    }

    async fn count_leads(
        &self,
        request: Request<CountLeadsRequest>,
    ) -> Result<Response<CountLeadsResponse>, Status> {
        let (caller, request) = open(request)?;
        statistics::grpc::count(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn erase_person(
        &self,
        request: Request<ErasePersonRequest>,
    ) -> Result<Response<ErasePersonResponse>, Status> {
        let (caller, request) = open(request)?;
        people::grpc::erase(&self.people, &caller, request).await.map(Response::new)
    }

    async fn merge_people(
        &self,
        request: Request<MergePeopleRequest>,
    ) -> Result<Response<MergePeopleResponse>, Status> {
        let (caller, request) = open(request)?;
        people::assign::merge_people(self.people.store(), &caller, &request).await.map(Response::new)
    }

    async fn split_person(
        &self,
        request: Request<SplitPersonRequest>,
    ) -> Result<Response<SplitPersonResponse>, Status> {
        let (caller, request) = open(request)?;
        people::assign::split_person(self.people.store(), &caller, &request).await.map(Response::new)
    }

    async fn claim_task(
        &self,
        request: Request<ClaimTaskRequest>,
    ) -> Result<Response<ClaimTaskResponse>, Status> {
        let (caller, request) = open(request)?;
        tasks::claim_task(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    async fn finish_task(
        &self,
        request: Request<FinishTaskRequest>,
    ) -> Result<Response<FinishTaskResponse>, Status> {
        let (caller, request) = open(request)?;
        tasks::finish_task(self.recorder.store(), &caller, request).await.map(Response::new)
    }

    type ExportPersonStream = search::export::Pages<ExportPersonResponse>;

    async fn export_person(
        &self,
        request: Request<ExportPersonRequest>,
    ) -> Result<Response<Self::ExportPersonStream>, Status> {
        let (caller, request) = open(request)?;
        people::grpc::export(&self.people, &caller, &request, &self.stop).await.map(Response::new)
    }

    type ExportLeadsStream = search::export::Pages<ExportLeadsResponse>;

    async fn export_leads(
        &self,
        request: Request<ExportLeadsRequest>,
    ) -> Result<Response<Self::ExportLeadsStream>, Status> {
        let (caller, request) = open(request)?;
        search::export::exported(self.recorder.store(), &caller, request, &self.stop).await.map(Response::new)
    }
}
