//! Calls to the CRM's delivery ledger: claim, lease, record and report.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use contracts::{
    crm::v1::{
        ClaimAnswer, ClaimDeliveriesRequest, ClaimDeliveriesResponse, LeasePendingRequest, RecordLeadRequest,
        ReportDeliveriesRequest,
    },
    leads::v1::{LeadDelivered, LeadSubmitted},
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

use super::outcome::{Outcome, message};
use crate::{
    mail::{Earlier, Related},
    recipients::{Audience, VisitorLimits},
};

/// Bounds how long a mail waits for the ledger.
const CLAIM_DEADLINE: Duration = Duration::from_millis(1500);

const REPORT_DEADLINE: Duration = Duration::from_millis(1500);

const LEASE_DEADLINE: Duration = Duration::from_secs(5);

/// The CRM client of one process, which holds its claims and leases under one name.
pub(crate) struct Ledger {
    client: CrmClient,
    pub(super) holder: String,
    lease: Duration,
    limits: VisitorLimits,
    answers: AtomicBool,
    /// Held by the one task that calls the CRM while it does not answer.
    asking: tokio::sync::Mutex<()>,
}

/// A lead with deliveries that are due.
#[derive(Clone)]
pub(crate) struct PendingLead {
    pub(crate) lead: Lead,
    /// The mails that somebody asked for; empty: those of the routes are due.
    pub(crate) requested: Vec<String>,
}

/// The ledger's answer to a claim.
pub(crate) struct Claimed {
    pub(crate) answers: BTreeMap<String, Answer>,
    pub(crate) related: Related,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The number of claims granted and counted for this recipient, including this one.
    Granted(u32),
    /// Not now or never, with the answer's label; the ledger schedules what follows.
    No(&'static str),
    Erased,
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("CRM call failed: {0:?}")]
pub(crate) struct Unanswered(pub(super) Code);

impl Answer {
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Granted(_) => "granted",
            Self::No(label) => label,
            Self::Erased => "erased",
        }
    }
}

impl Ledger {
    /// `process` is unique to the process and names it as holder. Claims and leases last for `lease`.
    pub(crate) fn new(
        settings: crm_client::Settings,
        process: Uuid,
        lease: Duration,
        limits: VisitorLimits,
    ) -> Self {
        Self {
            client: CrmClient::new(settings),
            holder: format!("notifier-{process}"),
            lease,
            limits,
            answers: AtomicBool::new(true),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// The lifetime of a claim.
    pub(crate) fn lease(&self) -> Duration {
        self.lease
    }

    /// Claims a lead's deliveries. While the CRM does not answer, one task at a time waits for it and the others fail
    /// at once, so that mails do not queue behind the timeout.
    pub(crate) async fn claim(&self, lead: &Lead, audience: &Audience) -> Result<Claimed, Unanswered> {
        let asking = self.asking.try_lock();
        if asking.is_err() && !self.answers.load(Ordering::Relaxed) {
            return Err(Unanswered(Code::Unavailable));
        }
        let request = ClaimDeliveriesRequest {
            lead: Some(lead.clone().into()),
            recipients: audience.names(),
            holder: self.holder.clone(),
            lease: Some(duration(self.lease)),
            visitor_daily_limit: self.limits.daily.into(),
            visitors_hourly_limit: self.limits.hourly.into(),
        };
        let claim = async |mut crm: Crm, request| crm.claim_deliveries(request).await;
        claimed(self.call(CLAIM_DEADLINE, request, claim).await?)
    }

    /// Leases at most `limit` leads stored at least `pending_for` ago that have deliveries due, among them `brochures`, if
    /// there is one to send.
    pub(crate) async fn lease_pending(
        &self,
        pending_for: Duration,
        limit: u32,
        brochures: bool,
    ) -> Result<Vec<PendingLead>, Unanswered> {
        let request = LeasePendingRequest {
            holder: self.holder.clone(),
            pending_for: Some(duration(pending_for)),
            lease: Some(duration(self.lease)),
            limit,
            brochures,
        };
        let lease = async |mut crm: Crm, request| crm.lease_pending(request).await;
        let leased = self.call(LEASE_DEADLINE, request, lease).await?;
        let readable = |lead: LeadSubmitted, requested| {
            let lead = lead.try_into();
            let unreadable = |error: &_| error!(%error, "invalid lead from the CRM, skipped");
            Some(PendingLead { lead: lead.inspect_err(unreadable).ok()?, requested })
        };
        let requested = leased.requested.into_iter();
        let requested = requested.filter_map(|mails| readable(mails.lead?, mails.recipients));
        let (brochures, people): (Vec<_>, Vec<_>) =
            requested.partition(|mails| mails.requested.iter().any(|name| name == BROCHURE));
        let by_routes = leased.leads.into_iter().filter_map(|lead| readable(lead, Vec::new()));
        // A person who asked is waiting for it; brochures may be many.
        Ok(people.into_iter().chain(by_routes).chain(brochures).collect())
    }

    /// Stores a lead, unless it is stored already.
    pub(crate) async fn record(&self, lead: &Lead) -> Result<(), Unanswered> {
        let request = RecordLeadRequest { lead: Some(lead.clone().into()) };
        let record = async |mut crm: Crm, request| crm.record_lead(request).await;
        self.call(CLAIM_DEADLINE, request, record).await.map(drop)
    }

    pub(crate) async fn report(&self, lead: Uuid, outcomes: &[(String, Outcome)]) -> Result<(), Unanswered> {
        let request = ReportDeliveriesRequest {
            lead_id: lead.to_string(),
            holder: self.holder.clone(),
            reports: outcomes.iter().map(message).collect(),
        };
        let report = async |mut crm: Crm, request| crm.report_deliveries(request).await;
        self.call(REPORT_DEADLINE, request, report).await.map(drop)
    }

    /// The same report as an event for the broker. It contains the lead, so that the CRM can store it if needed.
    pub(crate) fn event(&self, lead: &Lead, audience: &Audience, outcomes: &[(String, Outcome)]) -> Event {
        Event::LeadDelivered(LeadDelivered {
            lead: Some(lead.clone().into()),
            recipients: audience.names(),
            reports: outcomes.iter().map(message).collect(),
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

fn claimed(response: ClaimDeliveriesResponse) -> Result<Claimed, Unanswered> {
    let mut answers = BTreeMap::new();
    for claim in response.claims {
        let answer = match claim.answer() {
            ClaimAnswer::Granted => Answer::Granted(claim.attempt),
            ClaimAnswer::Delivered => Answer::No("delivered"),
            ClaimAnswer::Claimed => Answer::No("claimed"),
            ClaimAnswer::Deferred => Answer::No("deferred"),
            ClaimAnswer::Failed => Answer::No("failed"),
            ClaimAnswer::Cancelled => Answer::No("cancelled"),
            ClaimAnswer::Erased => Answer::Erased,
            ClaimAnswer::Unspecified => return Err(Unanswered(Code::Unknown)),
        };
        answers.insert(claim.recipient, answer);
    }
    // Unreadable earlier leads are skipped: they must not stop the mail.
    let earlier = response.earlier.into_iter().filter_map(|lead| {
        Some(Earlier {
            id: Uuid::parse_str(&lead.lead_id).ok()?,
            reference: lead.reference.parse().ok()?,
            submitted_at: required_time("submitted_at", lead.submitted_at).ok()?,
        })
    });
    let earlier = earlier.collect();
    let same_number = response.same_number.iter().filter_map(|reference| reference.parse().ok()).collect();
    let do_not_contact_at = optional_time("do_not_contact_at", response.do_not_contact_at).ok().flatten();
    Ok(Claimed { answers, related: Related { earlier, same_number, do_not_contact_at } })
}
