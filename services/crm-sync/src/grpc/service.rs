//! The calls of `crm.v1`.

use std::pin::Pin;

use contracts::crm::v1::{
    GetLeadRequest, GetLeadResponse, ListLeadsRequest, ListLeadsResponse, RecordLeadRequest,
    RecordLeadResponse, WatchLeadsRequest, WatchLeadsResponse, crm_service_server::CrmService,
    get_lead_request::Key,
};
use futures_util::{Stream, StreamExt, stream};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, async_trait};
use tracing::info;
use uuid::Uuid;

use super::auth::Caller;
use crate::{
    domain::{
        lead::Lead,
        page::{Cursor, InvalidCursor, PageSize},
        reference::{InvalidReference, Reference},
    },
    recorder::{Recorder, Road},
    watch::watch,
    wire,
};

/// More leads of one reference than anybody would want listed in an error.
const AMBIGUOUS_LISTED: u64 = 10;

/// The service, over one recorder.
pub(super) struct Crm {
    recorder: Recorder,
    stop: CancellationToken,
}

impl Crm {
    /// Watches end when `stop` says so.
    pub(super) fn new(recorder: Recorder, stop: CancellationToken) -> Self {
        Self { recorder, stop }
    }

    async fn by_id(&self, id: &str) -> Result<Lead, Status> {
        let id = Uuid::try_parse(id).map_err(|_| Status::invalid_argument("lead_id is not a UUID"))?;
        let lead = self.recorder.store().lead(id).await?;
        lead.ok_or_else(|| Status::not_found(format!("there is no lead {id}")))
    }

    async fn by_reference(&self, reference: &str) -> Result<Lead, Status> {
        let invalid = |invalid: InvalidReference| Status::invalid_argument(invalid.to_string());
        let reference: Reference = reference.parse().map_err(invalid)?;
        let mut leads = self.recorder.store().leads_called(&reference, AMBIGUOUS_LISTED).await?;
        match (leads.pop(), leads.is_empty()) {
            (None, _) => Err(Status::not_found(format!("there is no lead {reference}"))),
            (Some(lead), true) => Ok(lead),
            (Some(last), false) => {
                leads.push(last);
                let ids: Vec<_> = leads.iter().map(|lead| lead.submission.id.to_string()).collect();
                let ids = ids.join(", ");
                Err(Status::failed_precondition(format!(
                    "{reference} names several leads, ask for one by id: {ids}"
                )))
            }
        }
    }
}

/// Who is calling; the guard has put it there.
fn caller<T>(request: &Request<T>) -> String {
    request.extensions().get::<Caller>().map(ToString::to_string).unwrap_or_default()
}

#[async_trait]
impl CrmService for Crm {
    async fn record_lead(
        &self,
        request: Request<RecordLeadRequest>,
    ) -> Result<Response<RecordLeadResponse>, Status> {
        let client = caller(&request);
        let lead = request.into_inner().lead.ok_or(wire::Invalid::Missing("lead"))?;
        let submission = wire::submission(lead)?;
        let created = self.recorder.record_leads(Road::Grpc, std::slice::from_ref(&submission)).await? > 0;
        info!(client, lead_id = %submission.id, reference = %submission.reference, created, "RecordLead");
        Ok(Response::new(RecordLeadResponse { created }))
    }

    async fn get_lead(&self, request: Request<GetLeadRequest>) -> Result<Response<GetLeadResponse>, Status> {
        let client = caller(&request);
        let lead = match request.into_inner().key {
            Some(Key::LeadId(id)) => self.by_id(&id).await?,
            Some(Key::Reference(reference)) => self.by_reference(&reference).await?,
            None => return Err(wire::Invalid::Missing("key").into()),
        };
        info!(client, lead_id = %lead.submission.id, "GetLead");
        Ok(Response::new(GetLeadResponse { lead: Some(wire::lead(lead)) }))
    }

    async fn list_leads(
        &self,
        request: Request<ListLeadsRequest>,
    ) -> Result<Response<ListLeadsResponse>, Status> {
        let client = caller(&request);
        let ListLeadsRequest { page_size, page_token, filter } = request.into_inner();
        let after = match page_token.as_str() {
            "" => None,
            token => {
                let invalid = |invalid: InvalidCursor| Status::invalid_argument(invalid.to_string());
                Some(token.parse::<Cursor>().map_err(invalid)?)
            }
        };
        let filter = wire::filter(filter)?;
        let page = self.recorder.store().page(&filter, after, PageSize::asked(page_size)).await?;
        info!(client, leads = page.leads.len(), "ListLeads");
        Ok(Response::new(ListLeadsResponse {
            leads: page.leads.into_iter().map(wire::lead).collect(),
            next_page_token: page.next.map(|cursor| cursor.to_string()).unwrap_or_default(),
        }))
    }

    type WatchLeadsStream = Pin<Box<dyn Stream<Item = Result<WatchLeadsResponse, Status>> + Send>>;

    async fn watch_leads(
        &self,
        request: Request<WatchLeadsRequest>,
    ) -> Result<Response<Self::WatchLeadsStream>, Status> {
        let client = caller(&request);
        let filter = wire::filter(request.into_inner().filter)?;
        let leads = watch(&self.recorder, filter, self.stop.clone()).await?;
        info!(client, "WatchLeads");
        let answers = leads.map(|lead| Ok(WatchLeadsResponse { lead: Some(wire::lead(lead?)) }));
        let stop = self.stop.clone();
        // A watch has no end of its own: a client that sees one without an error would take it for complete.
        let end = stream::once(async move { stop.is_cancelled() }).filter_map(async |stopping| {
            stopping.then(|| Err(Status::unavailable("the service is stopping: watch again")))
        });
        Ok(Response::new(Box::pin(answers.chain(end))))
    }
}
