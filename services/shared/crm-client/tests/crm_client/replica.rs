//! A scripted replica of the CRM.

use std::{
    future,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use contracts::crm::v1::{
    crm_service_server::{CrmService, CrmServiceServer},
    *,
};
use runtime::lifecycle::Lifecycle;
use tokio::{net::TcpListener, sync::watch};
use tonic::{
    Code, Request, Response, Status, async_trait,
    codegen::tokio_stream::Stream,
    transport::{Server, server::TcpIncoming},
};

use crate::failover::TOKEN;

/// The behaviour of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Answers,
    Fails(Code),
    StandsStill,
    Panics,
}

/// A running replica.
pub(crate) struct Replica {
    pub(crate) address: SocketAddr,
    manner: watch::Sender<Manner>,
    calls: Arc<AtomicUsize>,
}

impl Replica {
    pub(crate) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (manner, told) = watch::channel(manner);
        let calls = Arc::<AtomicUsize>::default();
        let crm = Crm { manner: told, calls: calls.clone() };
        let server = Server::builder().add_service(CrmServiceServer::new(crm));
        Lifecycle::new().spawn("replica", server.serve_with_incoming(TcpIncoming::from(listener)));
        Self { address, manner, calls }
    }

    pub(crate) fn set_manner(&self, manner: Manner) {
        self.manner.send_replace(manner);
    }

    /// Number of received calls.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

struct Crm {
    manner: watch::Receiver<Manner>,
    calls: Arc<AtomicUsize>,
}

impl Crm {
    async fn answer<Q, A>(&self, request: Request<Q>, answer: A) -> Result<Response<A>, Status> {
        assert_eq!(request.metadata().get("authorization").unwrap(), &format!("Bearer {TOKEN}"));
        self.calls.fetch_add(1, Ordering::Relaxed);
        let manner = *self.manner.borrow();
        match manner {
            Manner::Answers => Ok(Response::new(answer)),
            Manner::Fails(code) => Err(Status::new(code, "as told")),
            Manner::StandsStill => future::pending().await,
            Manner::Panics => unreachable!("on purpose"),
        }
    }
}

/// For calls that no test makes.
fn unused<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("not in this test"))
}

#[async_trait]
impl CrmService for Crm {
    async fn record_lead(
        &self,
        request: Request<RecordLeadRequest>,
    ) -> Result<Response<RecordLeadResponse>, Status> {
        self.answer(request, RecordLeadResponse { created: true }).await
    }

    async fn check_token(
        &self,
        request: Request<CheckTokenRequest>,
    ) -> Result<Response<CheckTokenResponse>, Status> {
        self.answer(request, CheckTokenResponse {}).await
    }

    async fn withdraw_lead(
        &self,
        _: Request<WithdrawLeadRequest>,
    ) -> Result<Response<WithdrawLeadResponse>, Status> {
        unused()
    }

    async fn get_lead(&self, _: Request<GetLeadRequest>) -> Result<Response<GetLeadResponse>, Status> {
        unused()
    }

    async fn list_leads(&self, _: Request<ListLeadsRequest>) -> Result<Response<ListLeadsResponse>, Status> {
        unused()
    }

    type ExportLeadsStream = Pin<Box<dyn Stream<Item = Result<ExportLeadsResponse, Status>> + Send>>;

    async fn export_leads(
        &self,
        _: Request<ExportLeadsRequest>,
    ) -> Result<Response<Self::ExportLeadsStream>, Status> {
        unused()
    }

    async fn claim_deliveries(
        &self,
        _: Request<ClaimDeliveriesRequest>,
    ) -> Result<Response<ClaimDeliveriesResponse>, Status> {
        unused()
    }

    async fn report_deliveries(
        &self,
        _: Request<ReportDeliveriesRequest>,
    ) -> Result<Response<ReportDeliveriesResponse>, Status> {
        unused()
    }

    async fn lease_pending(
        &self,
        _: Request<LeasePendingRequest>,
    ) -> Result<Response<LeasePendingResponse>, Status> {
        unused()
    }

    async fn list_deliveries(
        &self,
        _: Request<ListDeliveriesRequest>,
    ) -> Result<Response<ListDeliveriesResponse>, Status> {
        unused()
    }

    async fn retry_deliveries(
        &self,
        _: Request<RetryDeliveriesRequest>,
    ) -> Result<Response<RetryDeliveriesResponse>, Status> {
        unused()
    }

    async fn discard_deliveries(
        &self,
        _: Request<DiscardDeliveriesRequest>,
    ) -> Result<Response<DiscardDeliveriesResponse>, Status> {
        unused()
    }

    async fn update_lead(
        &self,
        _: Request<UpdateLeadRequest>,
    ) -> Result<Response<UpdateLeadResponse>, Status> {
        unused()
    }

    async fn count_leads(
        &self,
        _: Request<CountLeadsRequest>,
    ) -> Result<Response<CountLeadsResponse>, Status> {
        unused()
    }

    type ExportPersonStream = Pin<Box<dyn Stream<Item = Result<ExportPersonResponse, Status>> + Send>>;

    async fn export_person(
        &self,
        _: Request<ExportPersonRequest>,
    ) -> Result<Response<Self::ExportPersonStream>, Status> {
        unused()
    }

    async fn erase_person(
        &self,
        _: Request<ErasePersonRequest>,
    ) -> Result<Response<ErasePersonResponse>, Status> {
        unused()
    }

    async fn merge_people(
        &self,
        _: Request<MergePeopleRequest>,
    ) -> Result<Response<MergePeopleResponse>, Status> {
        unused()
    }

    async fn split_person(
        &self,
        _: Request<SplitPersonRequest>,
    ) -> Result<Response<SplitPersonResponse>, Status> {
        unused()
    }

    async fn mail_lead(&self, _: Request<MailLeadRequest>) -> Result<Response<MailLeadResponse>, Status> {
        unused()
    }

    async fn send_brochure(
        &self,
        _: Request<SendBrochureRequest>,
    ) -> Result<Response<SendBrochureResponse>, Status> {
        unused()
    }

    async fn claim_task(&self, _: Request<ClaimTaskRequest>) -> Result<Response<ClaimTaskResponse>, Status> {
        unused()
    }

    async fn finish_task(
        &self,
        _: Request<FinishTaskRequest>,
    ) -> Result<Response<FinishTaskResponse>, Status> {
        unused()
    }
}
