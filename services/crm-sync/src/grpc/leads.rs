//! Implements `LeadService`.

use std::slice;

use contracts::{
    crm::v1::{
        CountLeadsRequest, CountLeadsResponse, ExportLeadsRequest, ExportLeadsResponse,
        GetLeadRequest, GetLeadResponse, GetReportRequest, GetReportResponse, LeadOrder,
        ListLeadsRequest, ListLeadsResponse, RecordConsentRequest, RecordConsentResponse,
        RecordLeadRequest, RecordLeadResponse, UpdateLeadRequest, UpdateLeadResponse,
        WithdrawLeadRequest, WithdrawLeadResponse, get_lead_request::Key,
        lead_service_server::LeadService,
    },
    leads::v1::SpamSignal,
};
use futures_util::stream;
use lead::{ConsentMeans, FieldError, Reference};
use runtime::crash;
use tonic::{Request, Response, Status, async_trait};
use tracing::info;
use uuid::Uuid;

use super::call::{Crm, Pages, Reply, authorize, parse_id, to_strings};
use crate::{
    auth::Role::{Canary, Desk, Intake, Notifier, Operator, Sales},
    db::{audit::Call, error::StoreError},
    error::Invalid,
    leads::{Change, EnteredLead, LateConsent, Source, Withdrawal, parse_lead},
    report::Period,
    search::{
        filter::Filter,
        lookup::{Page, Part},
    },
    statistics::Spans,
};

/// Maximum number of lead ids in the error about an ambiguous reference.
const AMBIGUOUS_LISTED: u64 = 10;

/// Leads per message of an export. A page of the largest leads still fits into a client's message limit.
const EXPORT_PAGE: u32 = 250;

#[async_trait]
impl LeadService for Crm {
    async fn record_lead(&self, request: Request<RecordLeadRequest>) -> Reply<RecordLeadResponse> {
        let (caller, request) = authorize(request, &[Intake, Notifier, Desk])?;
        let lead = parse_lead(request.lead, self.clock.now())?;
        let leads = slice::from_ref(&lead);
        let (source, recorded) = if caller.role == Desk {
            let entered = EnteredLead {
                submission: lead.clone(),
                consent_means: ConsentMeans::from_contract(request.consent_means)
                    .map_err(Invalid::from)?,
                confirm: request.confirm,
                person: caller.author(),
            };
            (Source::Desk, self.store.enter_lead(&entered).await?)
        } else {
            (
                Source::Grpc,
                self.store.record_leads(Source::Grpc, leads).await?,
            )
        };
        self.metrics.add_recorded(source, recorded, leads);
        crash::point("crm-sync-recorded");
        let created = recorded.created > 0;
        info!(client = %caller.name, lead_id = %lead.id, reference = %lead.reference, created, "RecordLead");
        Ok(Response::new(RecordLeadResponse { created }))
    }

    async fn withdraw_lead(
        &self,
        request: Request<WithdrawLeadRequest>,
    ) -> Reply<WithdrawLeadResponse> {
        let (caller, request) = authorize(request, &[Intake])?;
        let withdrawal = Withdrawal::parse(request.withdrawal)?;
        let lead_id = withdrawal.lead_id;
        self.store.withdraw(&withdrawal).await?;
        info!(client = %caller.name, %lead_id, "WithdrawLead");
        Ok(Response::new(WithdrawLeadResponse {}))
    }

    async fn record_consent(
        &self,
        request: Request<RecordConsentRequest>,
    ) -> Reply<RecordConsentResponse> {
        let (caller, request) = authorize(request, &[Intake])?;
        let consent = LateConsent::parse(request.consent, self.clock.now())?;
        let lead_id = consent.lead_id;
        self.store.record_consent(&consent).await?;
        info!(client = %caller.name, %lead_id, "RecordConsent");
        Ok(Response::new(RecordConsentResponse {}))
    }

    async fn get_lead(&self, request: Request<GetLeadRequest>) -> Reply<GetLeadResponse> {
        let (caller, request) = authorize(request, &[Canary, Desk, Sales, Operator])?;
        let id = match request
            .key
            .ok_or(Invalid::from(FieldError::Missing("key")))?
        {
            Key::LeadId(id) => parse_id("lead_id", &id)?,
            Key::Reference(reference) => self.id_by_reference(&reference).await?,
        };
        let lead = self.store.lead(id).await?;
        let is_canary = lead
            .submission
            .as_ref()
            .is_some_and(|it| it.signals == [SpamSignal::Canary as i32]);
        if caller.role == Canary && !is_canary {
            return Err(StoreError::NoSuchLead(id).into());
        }
        self.audit_read(&caller, "read", &[id]).await?;
        info!(client = %caller.name, lead_id = %id, "GetLead");
        Ok(Response::new(GetLeadResponse { lead: Some(lead) }))
    }

    async fn list_leads(&self, request: Request<ListLeadsRequest>) -> Reply<ListLeadsResponse> {
        let (caller, request) = authorize(request, &[Notifier, Desk, Sales, Operator])?;
        let order = LeadOrder::try_from(request.order)
            .map_err(|_| Invalid::from(FieldError::UnknownValue("order")))?;
        let size = request.page_size;
        let filter = Filter::parse(request.filter.unwrap_or_default())?;
        let token = Some(request.page_token).filter(|token| !token.is_empty());
        let (ids, listed) = match order {
            LeadOrder::Unspecified => {
                let after = token.map(|id| parse_id("page_token", &id)).transpose()?;
                to_response(self.store.page(&filter, after, size, &[]).await?)
            }
            LeadOrder::NextStep => {
                let after = token.map(|place| place.parse()).transpose()?;
                to_response(self.store.page_by_next_step(&filter, after, size).await?)
            }
        };
        self.audit_read(&caller, "list", &ids).await?;
        info!(client = %caller.name, leads = listed.leads.len(), "ListLeads");
        Ok(Response::new(listed))
    }

    async fn update_lead(&self, request: Request<UpdateLeadRequest>) -> Reply<UpdateLeadResponse> {
        let (caller, request) = authorize(request, &[Desk, Sales, Operator])?;
        let change = Change::parse(request, caller.author(), self.clock.now())?;
        let id = change.lead_id;
        let progress = self.store.update_lead(&change).await?;
        info!(client = %caller.name, lead_id = %id, state = ?progress.state(), "UpdateLead");
        Ok(Response::new(UpdateLeadResponse {
            progress: Some(progress),
        }))
    }

    async fn count_leads(&self, request: Request<CountLeadsRequest>) -> Reply<CountLeadsResponse> {
        let (caller, request) = authorize(request, &[Notifier, Sales, Operator])?;
        let counted = self.store.count_leads(&Spans::parse(request)?).await?;
        self.audit_read(&caller, "count", &[]).await?;
        info!(client = %caller.name, leads = counted.total.as_ref().map(|total| total.leads), "CountLeads");
        Ok(Response::new(counted))
    }

    async fn get_report(&self, request: Request<GetReportRequest>) -> Reply<GetReportResponse> {
        let (caller, request) = authorize(request, &[Notifier, Desk, Sales, Operator])?;
        let period = Period::parse(&request, self.clock.now())?;
        let report = self.store.compute_report(&period).await?;
        self.audit_read(&caller, "report", &[]).await?;
        info!(client = %caller.name, days = request.days, "GetReport");
        Ok(Response::new(report))
    }

    type ExportLeadsStream = Pages<ExportLeadsResponse>;

    /// Reads each page when the client has room for it, so memory does not grow with the export.
    async fn export_leads(
        &self,
        request: Request<ExportLeadsRequest>,
    ) -> Reply<Self::ExportLeadsStream> {
        let (caller, request) = authorize(request, &[Sales, Operator])?;
        let filter = Filter::parse(request.filter.unwrap_or_default())?;
        let total = self.store.total(&filter).await?;
        info!(client = %caller.name, leads = total, "ExportLeads");
        let store = self.store.clone();
        let author = caller.author();
        // Only the first message contains the total.
        let pages = stream::try_unfold(Some((None, total)), move |position| {
            let store = store.clone();
            let filter = filter.clone();
            let author = author.clone();
            async move {
                let Some((after, total)) = position else {
                    return Ok(None);
                };
                let page = store
                    .page(&filter, after, EXPORT_PAGE, &[Part::SameNumber])
                    .await?;
                let call = Call {
                    author: &author,
                    action: "export",
                };
                store.audit_read(call, &page.ids).await?;
                let message = ExportLeadsResponse {
                    leads: page.leads,
                    total,
                };
                Ok(Some((message, page.last.map(|after| (Some(after), 0)))))
            }
        });
        Ok(Response::new(self.until_stop(pages)))
    }
}

/// Returns the ids of a page, and the response with its leads.
fn to_response<Place: ToString>(page: Page<Place>) -> (Vec<Uuid>, ListLeadsResponse) {
    let next_page_token = page.last.map(|place| place.to_string());
    let listed = ListLeadsResponse {
        leads: page.leads,
        next_page_token: next_page_token.unwrap_or_default(),
    };
    (page.ids, listed)
}

impl Crm {
    async fn id_by_reference(&self, typed: &str) -> Result<Uuid, Status> {
        let reference: Reference = typed
            .parse()
            .map_err(|error| Invalid::from(FieldError::from(error)))?;
        let leads = self
            .store
            .find_by_reference(&reference, AMBIGUOUS_LISTED)
            .await?;
        let kept: Vec<Uuid> = leads
            .iter()
            .filter(|(_, erased_at)| erased_at.is_none())
            .map(|(id, _)| *id)
            .collect();
        match kept[..] {
            [] => Err(match leads.first() {
                Some((erased, _)) => StoreError::Erased(*erased).into(),
                None => Status::not_found(format!("there is no lead {reference}")),
            }),
            [id] => Ok(id),
            _ => Err(Status::failed_precondition(format!(
                "{reference} matches several leads, use one of these ids: {}",
                to_strings(kept).join(", ")
            ))),
        }
    }
}
