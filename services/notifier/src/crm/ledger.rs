//! Calls to the CRM's delivery ledger: claim, lease, record and report.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use chrono::{DateTime, Utc};
use contracts::{
    crm::v1::{
        ClaimAnswer, ClaimDeliveriesRequest, LeasePendingRequest, LeasePendingResponse, RecordLeadRequest,
        ReportDeliveriesRequest,
    },
    leads::v1::{DeliveryReport, LeadDelivered},
};
use crm_client::{Crm, CrmClient, is_about_the_replica};
use lead::{
    Lead,
    field::{duration, optional_time, required_time},
    recipient::BROCHURE,
};
use messaging::Event;
use tonic::{Code, Response, Status};
use tracing::error;
use uuid::Uuid;

use super::outcome::Outcome;
use crate::{
    config::VisitorLimits,
    mail::{Earlier, Related},
    metrics::{Metrics, count},
    recipients::Recipient,
};

/// Bounds how long an email waits for the ledger.
const DEADLINE: Duration = Duration::from_millis(1500);

const LEASE_DEADLINE: Duration = Duration::from_secs(5);

/// The CRM client of one process.
pub(crate) struct Ledger {
    client: CrmClient,
    /// Unique to the process, for its claims and leases.
    pub(super) holder: String,
    /// How long a claim or a lease lasts.
    pub(crate) lease: Duration,
    limits: VisitorLimits,
    metrics: Metrics,
    answers: AtomicBool,
    /// Held by the one task that calls the CRM while it does not answer.
    asking: tokio::sync::Mutex<()>,
}

/// A claimed delivery that tells a webhook of an erasure.
pub(crate) struct ErasureNotice {
    pub(crate) lead_id: Uuid,
    pub(crate) reference: String,
    pub(crate) erased_at: DateTime<Utc>,
    /// [`ERASED`](lead::recipient::ERASED) and the webhook's name.
    pub(crate) recipient: String,
    pub(crate) attempt: u32,
}

/// What is due.
pub(crate) enum Pending {
    Lead {
        lead: Box<Lead>,
        /// The names of the recipients of requested emails; empty: those of the routes are due.
        requested: Vec<String>,
    },
    Erasure(ErasureNotice),
}

/// The ledger's answer to a claim.
pub(crate) struct Claim {
    /// The recipients to send to, with the number of claims granted and counted, including this one. The ledger schedules
    /// what follows for all others.
    pub(crate) granted: BTreeMap<String, u32>,
    pub(crate) is_erased: bool,
    pub(crate) related: Related,
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("CRM call failed: {0:?}")]
pub(crate) struct Unanswered(Code);

impl Ledger {
    pub(crate) fn new(
        client: CrmClient,
        process: Uuid,
        lease: Duration,
        limits: VisitorLimits,
        metrics: Metrics,
    ) -> Self {
        Self {
            client,
            holder: format!("notifier-{process}"),
            lease,
            limits,
            metrics,
            answers: AtomicBool::new(true),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Claims a lead's deliveries. While the CRM does not answer, one task at a time waits for it and the others fail
    /// immediately, so emails do not queue behind the timeout.
    pub(crate) async fn claim(&self, lead: &Lead, audience: &[Recipient]) -> Result<Claim, Unanswered> {
        let asking = self.asking.try_lock();
        if asking.is_err() && !self.answers.load(Ordering::Relaxed) {
            return Err(Unanswered(Code::Unavailable));
        }
        let request = ClaimDeliveriesRequest {
            lead: Some(lead.clone().into()),
            recipients: audience.iter().map(Recipient::name).collect(),
            holder: self.holder.clone(),
            lease: Some(duration(self.lease)),
            visitor_daily_limit: self.limits.visitor_emails_per_day.into(),
            visitors_hourly_limit: self.limits.visitor_emails_per_hour.into(),
        };
        let claim = async |mut crm: Crm, request| crm.claim_deliveries(request).await;
        let response = self.call(DEADLINE, request, claim).await?;
        let (mut granted, mut is_erased) = (BTreeMap::new(), false);
        for claim in response.claims {
            let answer = claim.answer();
            let label = answer.as_str_name().trim_start_matches("CLAIM_ANSWER_").to_lowercase();
            count(&self.metrics.claims, "answer", label);
            is_erased |= answer == ClaimAnswer::Erased;
            if answer == ClaimAnswer::Granted {
                granted.insert(claim.recipient, claim.attempt);
            }
        }
        // Unreadable earlier leads are skipped: they must not stop the email.
        let earlier = response.earlier.into_iter().filter_map(|lead| {
            Some(Earlier {
                id: Uuid::parse_str(&lead.lead_id).ok()?,
                reference: lead.reference.parse().ok()?,
                submitted_at: required_time("submitted_at", lead.submitted_at).ok()?,
            })
        });
        let do_not_contact_at = optional_time("do_not_contact_at", response.do_not_contact_at);
        let related = Related {
            earlier: earlier.collect(),
            same_number: response.same_number.iter().filter_map(|it| it.parse().ok()).collect(),
            do_not_contact_at: do_not_contact_at.ok().flatten(),
        };
        Ok(Claim { granted, is_erased, related })
    }

    /// Leases at most `limit` leads stored at least `pending_for` ago that have deliveries due, among them `brochures`, if
    /// there is one to send, and claims notices of erasures.
    pub(crate) async fn lease_pending(
        &self,
        pending_for: Duration,
        limit: u32,
        brochures: bool,
    ) -> Result<Vec<Pending>, Unanswered> {
        let request = LeasePendingRequest {
            holder: self.holder.clone(),
            pending_for: Some(duration(pending_for)),
            lease: Some(duration(self.lease)),
            limit,
            brochures,
        };
        let lease = async |mut crm: Crm, request| crm.lease_pending(request).await;
        let LeasePendingResponse { leads, requested, erasure_notices } =
            self.call(LEASE_DEADLINE, request, lease).await?;
        let requested = requested.into_iter().filter_map(|request| Some((request.lead?, request.recipients)));
        let by_routes = leads.into_iter().map(|lead| (lead, Vec::new()));
        let mut leads: Vec<_> = requested.chain(by_routes).collect();
        // A person who asked is waiting for it; brochures may be many.
        leads.sort_by_key(|(_, requested)| requested.iter().any(|name| name == BROCHURE));
        let leads = leads.into_iter().filter_map(|(lead, requested)| {
            let unreadable = |error: &_| error!(%error, "invalid lead from the CRM, skipped");
            let lead = Lead::try_from(lead).inspect_err(unreadable).ok()?;
            Some(Pending::Lead { lead: lead.into(), requested })
        });
        // None is unreadable: the CRM made them from valid columns.
        let notices = erasure_notices.into_iter().filter_map(|notice| {
            Some(ErasureNotice {
                lead_id: notice.lead_id.parse().ok()?,
                reference: notice.reference,
                erased_at: required_time("erased_at", notice.erased_at).ok()?,
                recipient: notice.recipient,
                attempt: notice.attempt,
            })
        });
        Ok(leads.chain(notices.map(Pending::Erasure)).collect())
    }

    /// Stores a lead, unless it is stored already.
    pub(crate) async fn record(&self, lead: &Lead) -> Result<(), Unanswered> {
        let request = RecordLeadRequest { lead: Some(lead.clone().into()) };
        let record = async |mut crm: Crm, request| crm.record_lead(request).await;
        self.call(DEADLINE, request, record).await.map(drop)
    }

    pub(crate) async fn report(
        &self,
        lead: Uuid,
        outcomes: &BTreeMap<String, Outcome>,
    ) -> Result<(), Unanswered> {
        let (lead_id, holder) = (lead.to_string(), self.holder.clone());
        let request = ReportDeliveriesRequest { lead_id, holder, reports: reports(outcomes) };
        let report = async |mut crm: Crm, request| crm.report_deliveries(request).await;
        self.call(DEADLINE, request, report).await.map(drop)
    }

    /// The same report as an event for the broker. It contains the lead, so that the CRM can store it if needed.
    pub(crate) fn event(
        &self,
        lead: &Lead,
        audience: &[Recipient],
        outcomes: &BTreeMap<String, Outcome>,
    ) -> Event {
        Event::LeadDelivered(LeadDelivered {
            lead: Some(lead.clone().into()),
            recipients: audience.iter().map(Recipient::name).collect(),
            reports: reports(outcomes),
            holder: self.holder.clone(),
        })
    }

    pub(super) async fn call<R: Clone, T>(
        &self,
        within: Duration,
        request: R,
        call: impl AsyncFn(Crm, R) -> Result<Response<T>, Status>,
    ) -> Result<T, Unanswered> {
        let answer = self.client.call(within, |crm| call(crm, request.clone())).await;
        let answers = answer.as_ref().err().is_none_or(|status| !is_about_the_replica(status));
        self.answers.store(answers, Ordering::Relaxed);
        // Only the code is kept: the text of a status may contain personal data.
        answer.map_err(|status| Unanswered(status.code()))
    }
}

fn reports(outcomes: &BTreeMap<String, Outcome>) -> Vec<DeliveryReport> {
    outcomes.iter().map(|(recipient, outcome)| outcome.report(recipient.clone())).collect()
}
