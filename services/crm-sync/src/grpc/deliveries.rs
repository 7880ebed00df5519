//! Implements `DeliveryService`.

use std::collections::BTreeSet;

use contracts::crm::v1::{
    ClaimDeliveriesRequest, ClaimDeliveriesResponse, DiscardDeliveriesRequest,
    DiscardDeliveriesResponse, LeasePendingRequest, LeasePendingResponse, ListDeliveriesRequest,
    ListDeliveriesResponse, MailLeadRequest, MailLeadResponse, ReportDeliveriesRequest,
    ReportDeliveriesResponse, RequestRemindersRequest, RequestRemindersResponse,
    RetryDeliveriesRequest, RetryDeliveriesResponse, SendBrochureRequest, SendBrochureResponse,
    delivery_service_server::DeliveryService,
};
use lead::{RequestKind, field::required_text};
use runtime::crash;
use tonic::{Request, Response, async_trait};
use tracing::info;
use uuid::Uuid;

use super::call::{Crm, Reply, authorize, parse_id, parse_ids};
use crate::{
    auth::{
        PERSON_LENGTH,
        Role::{Desk, Notifier, Operator, Sales},
    },
    deliveries::{
        Claim, ClaimResult, DeliveryFilter, FailedAction, Lease, Reminders, Reports, brochure,
    },
    error::Invalid,
};

#[async_trait]
impl DeliveryService for Crm {
    async fn claim_deliveries(
        &self,
        request: Request<ClaimDeliveriesRequest>,
    ) -> Reply<ClaimDeliveriesResponse> {
        let (caller, request) = authorize(request, &[Notifier])?;
        let claim = Claim::parse(request, self.clock.now())?;
        let claimed = self.store.claim(&claim).await?;
        self.metrics.add_claimed(&claim.submission, &claimed);
        crash::point("crm-sync-claimed");
        let granted = claimed
            .results
            .iter()
            .filter(|it| matches!(it, ClaimResult::Granted { .. }))
            .count();
        let lead_id = claim.submission.id;
        let holder = &claim.holder;
        info!(client = %caller.name, %lead_id, holder, granted, "ClaimDeliveries");
        Ok(Response::new(claimed.into_message(claim.recipients)))
    }

    async fn report_deliveries(
        &self,
        request: Request<ReportDeliveriesRequest>,
    ) -> Reply<ReportDeliveriesResponse> {
        let (caller, request) = authorize(request, &[Notifier])?;
        let reports = Reports::parse(request)?;
        let recorded = self.store.report(&reports).await?;
        self.metrics.add_reported(&reports, recorded);
        let count = reports.reports.len();
        info!(client = %caller.name, lead_id = %reports.lead_id, reports = count, "ReportDeliveries");
        Ok(Response::new(ReportDeliveriesResponse {}))
    }

    async fn lease_pending(
        &self,
        request: Request<LeasePendingRequest>,
    ) -> Reply<LeasePendingResponse> {
        let (caller, request) = authorize(request, &[Notifier])?;
        let lease = Lease::parse(request)?;
        let leased = self.store.lease(&lease).await?;
        let leads = leased.leads.len();
        let notices = leased.erasure_notices.len() + leased.update_notices.len();
        if leads + notices > 0 {
            self.metrics.add_leased(leads);
            info!(client = %caller.name, holder = lease.holder, leads, notices, "LeasePending");
        }
        Ok(Response::new(leased))
    }

    async fn list_deliveries(
        &self,
        request: Request<ListDeliveriesRequest>,
    ) -> Reply<ListDeliveriesResponse> {
        let (caller, request) = authorize(request, &[Operator])?;
        let filter = DeliveryFilter::parse(request.filter)?;
        let listed = self.store.list_deliveries(&filter, request.failed).await?;
        let listed_ids = parse_ids(listed.deliveries.iter().map(|it| &it.lead_id))?;
        let leads: BTreeSet<Uuid> = listed_ids.into_iter().collect();
        self.audit_read(&caller, "list-deliveries", &Vec::from_iter(leads))
            .await?;
        info!(client = %caller.name, total = listed.total, "ListDeliveries");
        Ok(Response::new(listed))
    }

    async fn retry_deliveries(
        &self,
        request: Request<RetryDeliveriesRequest>,
    ) -> Reply<RetryDeliveriesResponse> {
        let (caller, request) = authorize(request, &[Operator])?;
        let filter = DeliveryFilter::parse(request.filter)?;
        let deliveries = self
            .store
            .resolve_failed(&filter, &FailedAction::Retry, &caller.name)
            .await?;
        info!(client = %caller.name, deliveries, "RetryDeliveries");
        Ok(Response::new(RetryDeliveriesResponse { deliveries }))
    }

    async fn discard_deliveries(
        &self,
        request: Request<DiscardDeliveriesRequest>,
    ) -> Reply<DiscardDeliveriesResponse> {
        let (caller, request) = authorize(request, &[Operator])?;
        let action = FailedAction::discard(&request.reason)?;
        let filter = DeliveryFilter::parse(request.filter)?;
        let deliveries = self
            .store
            .resolve_failed(&filter, &action, &caller.name)
            .await?;
        info!(client = %caller.name, deliveries, "DiscardDeliveries");
        Ok(Response::new(DiscardDeliveriesResponse { deliveries }))
    }

    async fn mail_lead(&self, request: Request<MailLeadRequest>) -> Reply<MailLeadResponse> {
        let (caller, request) = authorize(request, &[Desk])?;
        let id = parse_id("lead_id", &request.lead_id)?;
        let person =
            required_text("person", request.person.trim(), PERSON_LENGTH).map_err(Invalid::from)?;
        let kind = if request.brochure {
            RequestKind::BrochureTest
        } else {
            RequestKind::Login
        };
        self.store
            .request_email(id, kind, &person, &caller.author())
            .await?;
        info!(client = %caller.name, lead_id = %id, "MailLead");
        Ok(Response::new(MailLeadResponse {}))
    }

    async fn send_brochure(
        &self,
        request: Request<SendBrochureRequest>,
    ) -> Reply<SendBrochureResponse> {
        let (caller, request) = authorize(request, &[Desk, Sales, Operator])?;
        let submitted_from = brochure::parse_start(&request)?;
        let sent = match request.limit {
            0 => {
                let counted = self.store.count_brochures(submitted_from).await?;
                self.audit_read(&caller, "count", &[]).await?;
                counted
            }
            limit => {
                self.store
                    .send_brochures(submitted_from, limit, &caller.author())
                    .await?
            }
        };
        info!(client = %caller.name, requested = sent.requested, left = sent.left, "SendBrochure");
        Ok(Response::new(sent))
    }
    async fn request_reminders(
        &self,
        request: Request<RequestRemindersRequest>,
    ) -> Reply<RequestRemindersResponse> {
        let (caller, request) = authorize(request, &[Notifier])?;
        let reminders = Reminders::parse(request)?;
        let leads = self.store.request_reminders(&reminders).await?;
        if leads > 0 {
            self.metrics.add_reminders(leads);
            info!(client = %caller.name, leads, "RequestReminders");
        }
        Ok(Response::new(RequestRemindersResponse { leads }))
    }
}
