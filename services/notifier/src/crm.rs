//! Calls to the CRM for the ledger of deliveries (claim, lease, record, report and reminders) and the backlog of the daily
//! summary.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use contracts::{
    crm::v1::{
        self as v1, ClaimAnswer, ClaimDeliveriesRequest, ClaimTaskRequest, FinishTaskRequest,
        GetReportRequest, LeadFilter, LeasePendingRequest, ListLeadsRequest, RecordLeadRequest,
        ReportDeliveriesRequest, RequestRemindersRequest,
    },
    leads::v1::{DeliveryReport, LeadDelivered},
};
use crm_client::{Crm, CrmClient, should_fail_over};
use lead::{
    Channel, Lead, LeadState, Outcome, Recipient,
    field::{duration, optional_time, required_time, timestamp},
};
use lettre::Address;
use messaging::Event;
use parking_lot::Mutex;
use runtime::service::Context;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Response, Status};
use tracing::{error, warn};
use uuid::Uuid;

use crate::{
    config::{Config, DEADLINE, PATIENCE, VisitorLimits},
    mail::{Backlog, EarlierLead, Headline, LaterConsent, LeadGroup, RelatedLeads, WaitingLead},
    metrics::{Metrics, count},
    reminder_times::Waiting,
    routes::Destination,
    webhook::ContactUpdate,
};

/// How long a claim waits for a CRM that is slow, so that some calls get an answer and others do not.
const SLOW_PATIENCE: Duration = Duration::from_secs(20);

/// Wait between two calls for one claim.
const RETRY_WAIT: Duration = Duration::from_millis(200);

/// Time limit of a call that no email waits for.
const BACKGROUND_DEADLINE: Duration = Duration::from_secs(5);

const LIST_DEADLINE: Duration = Duration::from_secs(30);

/// Days of the report whose headline the daily summary shows.
const REPORT_DAYS: u32 = 30;

/// Maximum number of leads in one response of the CRM's list.
const PAGE: u32 = 500;

/// Calls crm-sync, which stores the ledger of deliveries.
pub(crate) struct LedgerClient {
    client: CrmClient,
    /// Owner of the claims and leases of this process, unique among processes.
    holder: String,
    /// Lifetime of a claim or a lease.
    pub(crate) lease: Duration,
    limits: VisitorLimits,
    /// Longest wait for a claim.
    longest_wait: Duration,
    metrics: Metrics,
    /// The time of the last answer. While it is recent, the CRM is slow or restarting rather than unavailable.
    answered_at: Mutex<Instant>,
    is_available: AtomicBool,
    /// Locked by the only task that calls the CRM while it does not answer.
    probing: tokio::sync::Mutex<()>,
}

/// How long a claim waits for a slow CRM. Another notifier leases the lead after `pending_grace` and emails it, so an email
/// without a claim must come earlier.
fn longest_wait(pending_grace: Duration) -> Duration {
    pending_grace
        .saturating_sub(DEADLINE)
        .clamp(PATIENCE, SLOW_PATIENCE)
}

/// A claimed delivery of an update or an erasure to a webhook that may have received the lead.
pub(crate) struct WebhookNotice {
    pub(crate) lead_id: Uuid,
    pub(crate) reference: String,
    /// An update notice or an erasure notice.
    pub(crate) recipient: Recipient,
    pub(crate) attempt: u32,
    pub(crate) news: News,
}

/// What a webhook is notified of.
pub(crate) enum News {
    Updated(ContactUpdate),
    ErasedAt(DateTime<Utc>),
}

pub(crate) enum PendingDelivery {
    Lead {
        lead: Box<Lead>,
        /// The recipients of requested emails. Empty: the recipients in the routes are due.
        requested: Vec<Recipient>,
    },
    Notice(WebhookNotice),
}

/// The process stops, and the claim no longer waits for the CRM.
pub(crate) struct Stopped;

pub(crate) struct Claim {
    /// Number of the attempt by recipient. The ledger schedules the deliveries to all other recipients.
    pub(crate) granted: BTreeMap<Recipient, u32>,
    pub(crate) related: RelatedLeads,
    /// The CRM's hash of the visitor's mailbox, if the address was corrected.
    pub(crate) mailbox_hash: Option<String>,
}

impl LedgerClient {
    pub(crate) fn new(config: &Config, metrics: Metrics, context: &Context) -> Self {
        let client = CrmClient::new(&config.crm);
        client.watch_token(context);
        let holder = format!("notifier-{}", context.ids.next_id());
        Self {
            client,
            holder,
            lease: config.smtp.claim_lifetime(),
            limits: config.visitor_limits,
            longest_wait: longest_wait(config.pending_grace_seconds),
            metrics,
            answered_at: Mutex::new(Instant::now()),
            is_available: AtomicBool::new(true),
            probing: tokio::sync::Mutex::default(),
        }
    }

    /// Claims a lead's deliveries. Repeats the call while the CRM answered recently, because an email without a claim may be
    /// a duplicate. Returns `None` if the CRM does not answer.
    pub(crate) async fn claim(
        &self,
        lead: &Lead,
        audience: &[Destination],
        stop: &CancellationToken,
    ) -> Result<Option<Claim>, Stopped> {
        let started = Instant::now();
        loop {
            let claim = self.try_claim(lead, audience).await;
            let may_answer = self.answered_at.lock().elapsed() < PATIENCE
                && started.elapsed() < self.longest_wait;
            match claim {
                Err(Code::Unavailable) if may_answer => {
                    count(&self.metrics.claims, "answer", "repeated");
                    let waited = stop.run_until_cancelled(sleep(RETRY_WAIT)).await;
                    waited.ok_or(Stopped)?;
                }
                claim => return Ok(claim.ok()),
            }
        }
    }

    /// Calls the CRM. While it does not answer, one task at a time calls it, and the others fail immediately to avoid
    /// delaying emails by the timeout.
    async fn try_claim(&self, lead: &Lead, audience: &[Destination]) -> Result<Claim, Code> {
        let probing = self.probing.try_lock();
        if probing.is_err() && !self.is_available.load(Ordering::Relaxed) {
            return Err(Code::Unavailable);
        }
        let request = ClaimDeliveriesRequest {
            lead: Some(lead.clone().into()),
            recipients: to_texts(audience),
            holder: self.holder.clone(),
            lease: Some(duration(self.lease)),
            visitor_daily_limit: self.limits.visitor_emails_per_day.into(),
            visitors_hourly_limit: self.limits.visitor_emails_per_hour.into(),
        };
        let response = self
            .call(DEADLINE, request, async |crm: &mut Crm, request| {
                crm.deliveries.claim_deliveries(request).await
            })
            .await?;
        let mut granted = BTreeMap::new();
        for claim in response.claims {
            let answer = claim.answer();
            let label = answer
                .as_str_name()
                .trim_start_matches("CLAIM_ANSWER_")
                .to_lowercase();
            count(&self.metrics.claims, "answer", label);
            if answer == ClaimAnswer::Granted {
                granted.insert(Recipient::from(claim.recipient.as_str()), claim.attempt);
            }
        }
        // Invalid earlier leads are skipped, because they must not prevent the email.
        let earlier = response.earlier.into_iter().filter_map(|lead| {
            Some(EarlierLead {
                id: Uuid::parse_str(&lead.lead_id).ok()?,
                reference: lead.reference.parse().ok()?,
                submitted_at: required_time("submitted_at", lead.submitted_at).ok()?,
            })
        });
        let later_consents = response.later_consents.into_iter().filter_map(|consent| {
            Some(LaterConsent {
                channels: Channel::known_from_contract(&consent.channels),
                recorded_at: required_time("recorded_at", consent.recorded_at).ok()?,
            })
        });
        let do_not_contact_at = optional_time("do_not_contact_at", response.do_not_contact_at);
        let number_withdrawn_at =
            optional_time("number_withdrawn_at", response.number_withdrawn_at);
        let related = RelatedLeads {
            earlier: earlier.collect(),
            same_number: response
                .same_number
                .iter()
                .filter_map(|it| it.parse().ok())
                .collect(),
            number_withdrawn_at: number_withdrawn_at.ok().flatten(),
            do_not_contact_at: do_not_contact_at.ok().flatten(),
            later_consents: later_consents.collect(),
        };
        let mailbox_hash = Some(response.mailbox_hash).filter(|hash| !hash.is_empty());
        Ok(Claim {
            granted,
            related,
            mailbox_hash,
        })
    }

    /// Leases at most `limit` leads that were stored at least `pending_for` ago and have due deliveries, and claims notices
    /// to webhooks. Brochures are due only if `brochures` is true.
    pub(crate) async fn lease_pending(
        &self,
        pending_for: Duration,
        limit: u32,
        brochures: bool,
    ) -> Result<Vec<PendingDelivery>, Code> {
        let request = LeasePendingRequest {
            holder: self.holder.clone(),
            pending_for: Some(duration(pending_for)),
            lease: Some(duration(self.lease)),
            limit,
            brochures,
            updates: true,
        };
        let response = self
            .call(
                BACKGROUND_DEADLINE,
                request,
                async |crm: &mut Crm, request| crm.deliveries.lease_pending(request).await,
            )
            .await?;
        let mut leads: Vec<(Lead, Vec<Recipient>)> = response
            .leads
            .into_iter()
            .filter_map(|pending| {
                let unreadable = |error: &_| error!(%error, "invalid lead from the CRM, skipped");
                let lead = Lead::try_from(pending.lead?).inspect_err(unreadable).ok()?;
                let requested = pending
                    .recipients
                    .iter()
                    .map(|it| Recipient::from(it.as_str()));
                Some((lead, requested.collect()))
            })
            .collect();
        // Requested emails first, because a person waits for them. Brochures last, because they may be many. Reminders may be
        // many when the hours of the sales team begin.
        leads.sort_by_key(|(_, requested)| match requested.first() {
            Some(Recipient::Brochure) => 3,
            Some(Recipient::Reminder(_)) => 2,
            Some(_) => 0,
            None => 1,
        });
        let leads = leads
            .into_iter()
            .map(|(lead, requested)| PendingDelivery::Lead {
                lead: lead.into(),
                requested,
            });
        // All are valid, because the CRM creates them from valid columns.
        let erasures = response.erasure_notices.into_iter().filter_map(|notice| {
            Some(WebhookNotice {
                lead_id: notice.lead_id.parse().ok()?,
                reference: notice.reference,
                recipient: Recipient::from(notice.recipient.as_str()),
                attempt: notice.attempt,
                news: News::ErasedAt(required_time("erased_at", notice.erased_at).ok()?),
            })
        });
        let updates = response.update_notices.into_iter().filter_map(to_update);
        let notices = erasures.chain(updates).map(PendingDelivery::Notice);
        Ok(leads.chain(notices).collect())
    }

    /// Stores a lead if it is not stored yet.
    pub(crate) async fn record(&self, lead: &Lead) -> Result<(), Code> {
        let request = RecordLeadRequest {
            lead: Some(lead.clone().into()),
            ..RecordLeadRequest::default()
        };
        self.call(DEADLINE, request, async |crm: &mut Crm, request| {
            crm.leads.record_lead(request).await
        })
        .await
        .map(drop)
    }

    pub(crate) async fn report(
        &self,
        lead: Uuid,
        outcomes: &BTreeMap<Recipient, Outcome>,
    ) -> Result<(), Code> {
        let request = ReportDeliveriesRequest {
            lead_id: lead.to_string(),
            holder: self.holder.clone(),
            reports: to_reports(outcomes),
        };
        self.call(DEADLINE, request, async |crm: &mut Crm, request| {
            crm.deliveries.report_deliveries(request).await
        })
        .await
        .map(drop)
    }

    /// The report as an event for the broker. It contains the lead, in case the CRM has not stored it.
    pub(crate) fn report_event(
        &self,
        lead: &Lead,
        audience: &[Destination],
        outcomes: &BTreeMap<Recipient, Outcome>,
    ) -> Event {
        Event::LeadDelivered(LeadDelivered {
            lead: Some(lead.clone().into()),
            recipients: to_texts(audience),
            reports: to_reports(outcomes),
            holder: self.holder.clone(),
        })
    }

    /// Requests a reminder of each of these leads that has none: to its owner, or without an owner to the default recipients.
    /// Returns the number of leads.
    pub(crate) async fn request_reminders(
        &self,
        waiting: Waiting,
        default_recipients: &[Address],
    ) -> Result<u64, Code> {
        let request = RequestRemindersRequest {
            submitted_after: Some(timestamp(waiting.submitted_after)),
            waiting_since: Some(timestamp(waiting.since)),
            default_recipients: default_recipients.iter().map(ToString::to_string).collect(),
        };
        Ok(self
            .call(
                BACKGROUND_DEADLINE,
                request,
                async |crm: &mut Crm, request| crm.deliveries.request_reminders(request).await,
            )
            .await?
            .leads)
    }

    /// Claims a task that runs once among all replicas. Returns whether the CRM granted it to this process.
    pub(crate) async fn claim_task(&self, task: &str) -> Result<bool, Code> {
        let request = ClaimTaskRequest {
            task: task.to_owned(),
            holder: self.holder.clone(),
            lease: Some(duration(self.lease)),
            repeatable_for: None,
        };
        Ok(self
            .call(
                BACKGROUND_DEADLINE,
                request,
                async |crm: &mut Crm, request| crm.access.claim_task(request).await,
            )
            .await?
            .granted)
    }

    pub(crate) async fn finish_task(&self, task: &str) -> Result<(), Code> {
        let request = FinishTaskRequest {
            task: task.to_owned(),
            holder: self.holder.clone(),
        };
        self.call(
            BACKGROUND_DEADLINE,
            request,
            async |crm: &mut Crm, request| crm.access.finish_task(request).await,
        )
        .await
        .map(drop)
    }

    /// Lists leads whose next step is before `due_before`, and uncontacted leads without a next step that were submitted
    /// before `submitted_before`.
    pub(crate) async fn list_backlog(
        &self,
        due_before: DateTime<Utc>,
        submitted_before: DateTime<Utc>,
    ) -> Result<Backlog, Code> {
        let due = LeadFilter {
            next_step_before: Some(timestamp(due_before)),
            unfinished: Some(true),
            ..LeadFilter::default()
        };
        let new = LeadFilter {
            submitted_before: Some(timestamp(submitted_before)),
            state: LeadState::number(LeadState::New),
            ..LeadFilter::default()
        };
        let due = self.list_group(due, |_| true).await?;
        Ok(Backlog {
            headline: None,
            due,
            new: self.list_group(new, |it| it.next_step_at.is_none()).await?,
        })
    }

    /// Computes the headline of the last 30 days. `None` if the CRM fails, for example because it is of the previous version:
    /// the summary is sent without the headline.
    pub(crate) async fn find_headline(&self, zone: Tz) -> Option<Headline> {
        let request = GetReportRequest {
            days: REPORT_DAYS,
            time_zone: zone.name().to_owned(),
        };
        let report = self
            .call(
                BACKGROUND_DEADLINE,
                request,
                async |crm: &mut Crm, request| crm.leads.get_report(request).await,
            )
            .await;
        match report {
            Ok(report) => report.headline.map(to_headline),
            Err(code) => {
                warn!(
                    ?code,
                    "daily summary without headline: the CRM computed no report"
                );
                None
            }
        }
    }

    /// Reads all pages, because the CRM neither filters by do-not-contact nor sorts by urgency.
    async fn list_group(
        &self,
        filter: LeadFilter,
        keep: fn(&WaitingLead) -> bool,
    ) -> Result<LeadGroup, Code> {
        let mut group = LeadGroup::default();
        let mut page_token = String::new();
        loop {
            let request = ListLeadsRequest {
                page_size: PAGE,
                page_token,
                filter: Some(filter.clone()),
                ..ListLeadsRequest::default()
            };
            let page = self
                .call(LIST_DEADLINE, request, async |crm: &mut Crm, request| {
                    crm.leads.list_leads(request).await
                })
                .await?;
            group.add(page.leads.into_iter().filter_map(to_waiting).filter(keep));
            if page.next_page_token.is_empty() {
                return Ok(group);
            }
            page_token = page.next_page_token;
        }
    }

    async fn call<R: Clone, T>(
        &self,
        within: Duration,
        request: R,
        call: impl AsyncFn(&mut Crm, R) -> Result<Response<T>, Status>,
    ) -> Result<T, Code> {
        let call = async |mut crm: Crm| call(&mut crm, request.clone()).await;
        let answer = self.client.call(within, call).await;
        let is_available = answer
            .as_ref()
            .err()
            .is_none_or(|status| !should_fail_over(status));
        self.is_available.store(is_available, Ordering::Relaxed);
        if is_available {
            *self.answered_at.lock() = Instant::now();
        }
        // Returns only a code, because the message of a status may contain personal data. The codes of broken connections
        // differ.
        answer.map_err(|status| {
            if should_fail_over(&status) {
                Code::Unavailable
            } else {
                status.code()
            }
        })
    }
}

fn to_texts(audience: &[Destination]) -> Vec<String> {
    audience
        .iter()
        .map(|destination| destination.recipient().to_string())
        .collect()
}

fn to_update(notice: v1::UpdateNotice) -> Option<WebhookNotice> {
    let update = ContactUpdate {
        name: notice.name.into(),
        mobile: notice.mobile.into(),
        email: notice.email.into(),
        channels: Channel::known_from_contract(&notice.channels),
        do_not_contact_at: optional_time("do_not_contact_at", notice.do_not_contact_at).ok()?,
        updated_at: required_time("updated_at", notice.updated_at).ok()?,
    };
    Some(WebhookNotice {
        lead_id: notice.lead_id.parse().ok()?,
        reference: notice.reference,
        recipient: Recipient::from(notice.recipient.as_str()),
        attempt: notice.attempt,
        news: News::Updated(update),
    })
}

fn to_reports(outcomes: &BTreeMap<Recipient, Outcome>) -> Vec<DeliveryReport> {
    outcomes
        .iter()
        .map(|(recipient, outcome)| outcome.to_report(recipient))
        .collect()
}

fn to_headline(headline: v1::ReportHeadline) -> Headline {
    let percent = (headline.agreed_to_calls * 100 + headline.leads / 2).checked_div(headline.leads);
    Headline {
        this_week: headline.this_week,
        week_before_so_far: headline.week_before_so_far,
        waiting: headline.waiting,
        median_to_contact_seconds: headline.median_to_contact.map(|median| median.seconds),
        agreed_to_calls_percent: percent,
    }
}

/// `None` if the stored lead is invalid, or the visitor must not be contacted.
fn to_waiting(stored: v1::Lead) -> Option<WaitingLead> {
    let progress = stored.progress.unwrap_or_default();
    if progress.do_not_contact_at.is_some() {
        return None;
    }
    let next_step_at = optional_time("next_step_at", progress.next_step_at)
        .ok()
        .flatten();
    let state = LeadState::from_contract(progress.state)
        .ok()
        .flatten()
        .unwrap_or_default();
    let lead = Lead::from_stored(stored.submission?).ok()?;
    Some(WaitingLead {
        lead,
        owner: progress.owner,
        state,
        next_step_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_a_slow_crm_until_another_notifier_may_email() {
        for (pending_grace, expected) in [
            (Duration::from_secs(7), Duration::from_millis(5500)),
            (Duration::from_secs(15), Duration::from_millis(13_500)),
            (Duration::from_secs(30), SLOW_PATIENCE),
            (Duration::MAX, SLOW_PATIENCE),
        ] {
            let wait = longest_wait(pending_grace);
            assert_eq!(wait, expected);
            assert!(wait + DEADLINE <= pending_grace, "{pending_grace:?}");
        }
    }
}
