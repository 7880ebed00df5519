//! Names the function that answers each call of `crm.v1`.

use contracts::crm::v1::{self as crm, crm_service_server::CrmService};
use runtime::clock::SharedClock;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, async_trait};

use super::{
    deliveries, leads, people,
    search::{self, Pages},
    tasks,
};
use crate::{auth::Caller, db::Store, metrics::Metrics};

pub(crate) struct Crm {
    pub(crate) store: Store,
    pub(crate) metrics: Metrics,
    pub(crate) clock: SharedClock,
    /// Ends exports.
    pub(crate) stop: CancellationToken,
}

/// The guard adds the caller, and refuses calls without a token.
fn split<T>(request: Request<T>) -> Result<(Caller, T), Status> {
    let caller = request.extensions().get::<Caller>().cloned();
    Ok((caller.ok_or_else(|| Status::unauthenticated("missing token"))?, request.into_inner()))
}

macro_rules! impl_crm_service {
    (
        calls { $($module:ident::$call:ident: $request:ident => $response:ident;)+ }
        streams { $($stream_module:ident::$stream_call:ident: $stream_request:ident => $stream:ident of $item:ident;)+ }
    ) => {
        #[async_trait]
        impl CrmService for Crm {
            $(async fn $call(
                &self,
                request: Request<crm::$request>,
            ) -> Result<Response<crm::$response>, Status> {
                let (caller, request) = split(request)?;
                $module::$call(self, &caller, request).await.map(Response::new)
            })+

            $(type $stream = Pages<crm::$item>;

            async fn $stream_call(
                &self,
                request: Request<crm::$stream_request>,
            ) -> Result<Response<Self::$stream>, Status> {
                let (caller, request) = split(request)?;
                $stream_module::$stream_call(self, &caller, request).await.map(Response::new)
            })+
        }
    };
}

impl_crm_service! {
    calls {
        leads::record_lead: RecordLeadRequest => RecordLeadResponse;
        leads::withdraw_lead: WithdrawLeadRequest => WithdrawLeadResponse;
        leads::update_lead: UpdateLeadRequest => UpdateLeadResponse;
        leads::mail_lead: MailLeadRequest => MailLeadResponse;
        search::get_lead: GetLeadRequest => GetLeadResponse;
        search::list_leads: ListLeadsRequest => ListLeadsResponse;
        search::count_leads: CountLeadsRequest => CountLeadsResponse;
        deliveries::claim_deliveries: ClaimDeliveriesRequest => ClaimDeliveriesResponse;
        deliveries::report_deliveries: ReportDeliveriesRequest => ReportDeliveriesResponse;
        deliveries::lease_pending: LeasePendingRequest => LeasePendingResponse;
        deliveries::list_deliveries: ListDeliveriesRequest => ListDeliveriesResponse;
        deliveries::retry_deliveries: RetryDeliveriesRequest => RetryDeliveriesResponse;
        deliveries::discard_deliveries: DiscardDeliveriesRequest => DiscardDeliveriesResponse;
        deliveries::send_brochure: SendBrochureRequest => SendBrochureResponse;
        people::erase_person: ErasePersonRequest => ErasePersonResponse;
        people::merge_people: MergePeopleRequest => MergePeopleResponse;
        people::split_person: SplitPersonRequest => SplitPersonResponse;
        tasks::claim_task: ClaimTaskRequest => ClaimTaskResponse;
        tasks::finish_task: FinishTaskRequest => FinishTaskResponse;
    }
    streams {
        people::export_person: ExportPersonRequest => ExportPersonStream of ExportPersonResponse;
        search::export_leads: ExportLeadsRequest => ExportLeadsStream of ExportLeadsResponse;
    }
}
