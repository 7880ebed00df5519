//! Handles the delivery calls of `crm.v1`, and parses reports from calls and events.

use std::time::Duration;

use ::lead::{
    FieldError, Interest,
    field::{filled, limited, optional_time, required_time, timestamp, uuid},
    text::storable,
};
use chrono::{DateTime, Utc};
use contracts::{
    crm::v1 as crm,
    leads::v1::{DeliveryReport, LeadDelivered, Reason, delivery_report as reported},
};
use runtime::crash;
use tonic::Status;
use tracing::info;

use super::{leads::parse_lead, service::Crm};
use crate::{
    auth::Caller,
    deliveries::{
        claim::{Answer, Claim, Claimed},
        delivery::{Delivered, is_visitor},
        lease::{Lease, Leased},
        report::{Outcome, Report, Reports},
        unfinished::{Decision, DeliveryFilter},
    },
    error::Invalid,
};

/// Longest address an SMTP path can hold.
const RECIPIENT_LENGTH: usize = 320;

const HOLDER_LENGTH: usize = 200;

const REASON_LENGTH: usize = 500;

pub(super) async fn claim_deliveries(
    crm: &Crm,
    caller: &Caller,
    request: crm::ClaimDeliveriesRequest,
) -> Result<crm::ClaimDeliveriesResponse, Status> {
    let claim = parse_claim(request, crm.clock.now())?;
    let claimed = crm.store.claim(&claim).await?;
    crm.metrics.add_claimed(&claim.submission, &claimed);
    crash::point("crm-sync-claimed");
    let granted = claimed.answers.iter().filter(|it| matches!(it, Answer::Granted { .. })).count();
    info!(client = %caller, lead_id = %claim.submission.id, holder = claim.holder, granted, "ClaimDeliveries");
    Ok(claim_response(claim, claimed))
}

pub(super) async fn report_deliveries(
    crm: &Crm,
    caller: &Caller,
    request: crm::ReportDeliveriesRequest,
) -> Result<crm::ReportDeliveriesResponse, Status> {
    let reports = parse_reports(request)?;
    let recorded = crm.store.report(&reports).await?;
    crm.metrics.add_reported(&reports, recorded);
    info!(client = %caller, lead_id = %reports.lead_id, reports = reports.reports.len(), "ReportDeliveries");
    Ok(crm::ReportDeliveriesResponse {})
}

pub(super) async fn lease_pending(
    crm: &Crm,
    caller: &Caller,
    request: crm::LeasePendingRequest,
) -> Result<crm::LeasePendingResponse, Status> {
    let lease = parse_lease(request)?;
    let leads = crm.store.lease(&lease).await?;
    crm.metrics.add_leased(leads.len());
    if !leads.is_empty() {
        info!(client = %caller, holder = lease.holder, leads = leads.len(), "LeasePending");
    }
    Ok(lease_response(leads))
}

pub(super) async fn list_deliveries(
    crm: &Crm,
    caller: &Caller,
    request: crm::ListDeliveriesRequest,
) -> Result<crm::ListDeliveriesResponse, Status> {
    let filter = parse_filter(request.filter)?;
    let listed = crm.store.list_deliveries(&filter, request.failed).await?;
    info!(client = %caller, total = listed.total, "ListDeliveries");
    Ok(listed)
}

pub(super) async fn retry_deliveries(
    crm: &Crm,
    caller: &Caller,
    request: crm::RetryDeliveriesRequest,
) -> Result<crm::RetryDeliveriesResponse, Status> {
    let filter = parse_filter(request.filter)?;
    let retried = crm.store.decide(&filter, &Decision::Retry, &caller.to_string()).await?;
    info!(client = %caller, deliveries = retried, "RetryDeliveries");
    Ok(crm::RetryDeliveriesResponse { deliveries: retried })
}

pub(super) async fn discard_deliveries(
    crm: &Crm,
    caller: &Caller,
    request: crm::DiscardDeliveriesRequest,
) -> Result<crm::DiscardDeliveriesResponse, Status> {
    let decision = parse_discard(&request.reason)?;
    let filter = parse_filter(request.filter)?;
    let discarded = crm.store.decide(&filter, &decision, &caller.to_string()).await?;
    info!(client = %caller, deliveries = discarded, "DiscardDeliveries");
    Ok(crm::DiscardDeliveriesResponse { deliveries: discarded })
}

pub(super) async fn send_brochure(
    crm: &Crm,
    caller: &Caller,
    request: crm::SendBrochureRequest,
) -> Result<crm::SendBrochureResponse, Status> {
    let submitted_from = parse_brochure(&request)?;
    let sent = match request.limit {
        0 => crm.store.count_brochures(submitted_from).await?,
        limit => crm.store.send_brochures(submitted_from, limit, &caller.author()).await?,
    };
    info!(client = %caller, requested = sent.requested, left = sent.left, "SendBrochure");
    Ok(sent)
}

/// The earliest submission that gets a brochure.
fn parse_brochure(request: &crm::SendBrochureRequest) -> Result<DateTime<Utc>, Invalid> {
    // The mail says that this was asked for.
    if Interest::from_contract(request.interest)? != Some(Interest::Brochure) {
        return Err(FieldError::UnknownValue("interest").into());
    }
    Ok(optional_time("submitted_from", request.submitted_from)?.unwrap_or(DateTime::UNIX_EPOCH))
}

fn parse_claim(request: crm::ClaimDeliveriesRequest, now: DateTime<Utc>) -> Result<Claim, Invalid> {
    let recipients = recipients(&request.recipients)?;
    if recipients.is_empty() {
        return Err(FieldError::Empty("recipients").into());
    }
    let visitor_daily_limit = request.visitor_daily_limit;
    if visitor_daily_limit == 0 && recipients.iter().any(|recipient| is_visitor(recipient)) {
        return Err(Invalid::NoVisitorLimit);
    }
    Ok(Claim {
        submission: parse_lead(request.lead, now)?,
        recipients,
        holder: holder(&request.holder)?,
        lease: positive_duration("lease", request.lease)?,
        visitor_daily_limit,
        visitors_hourly_limit: request.visitors_hourly_limit,
    })
}

fn claim_response(claim: Claim, claimed: Claimed) -> crm::ClaimDeliveriesResponse {
    let claims = claim.recipients.into_iter().zip(claimed.answers).map(|(recipient, answer)| {
        let (answer, attempt) = match answer {
            Answer::Granted { attempt } => (crm::ClaimAnswer::Granted, attempt),
            Answer::Delivered => (crm::ClaimAnswer::Delivered, 0),
            Answer::Claimed => (crm::ClaimAnswer::Claimed, 0),
            Answer::Deferred | Answer::DeferredByAll => (crm::ClaimAnswer::Deferred, 0),
            Answer::Failed => (crm::ClaimAnswer::Failed, 0),
            Answer::Cancelled => (crm::ClaimAnswer::Cancelled, 0),
            Answer::Erased => (crm::ClaimAnswer::Erased, 0),
        };
        crm::DeliveryClaim { recipient, answer: answer.into(), attempt }
    });
    crm::ClaimDeliveriesResponse {
        claims: claims.collect(),
        earlier: claimed.earlier,
        same_number: claimed.same_number,
        do_not_contact_at: claimed.do_not_contact_at.map(timestamp),
    }
}

fn parse_reports(request: crm::ReportDeliveriesRequest) -> Result<Reports, Invalid> {
    Ok(Reports {
        lead_id: uuid("lead_id", &request.lead_id)?,
        holder: holder(&request.holder)?,
        reports: request.reports.into_iter().map(parse_report).collect::<Result<_, _>>()?,
        lead: None,
        recipients: Vec::new(),
    })
}

/// Parses a report by event, which the notifier publishes while the CRM does not answer.
pub(crate) fn parse_event(event: LeadDelivered, now: DateTime<Utc>) -> Result<Reports, Invalid> {
    let lead = parse_lead(event.lead, now)?;
    Ok(Reports {
        lead_id: lead.id,
        holder: holder(&event.holder)?,
        reports: event.reports.into_iter().map(parse_report).collect::<Result<_, _>>()?,
        lead: Some(lead),
        recipients: recipients(&event.recipients)?,
    })
}

fn parse_report(message: DeliveryReport) -> Result<Report, Invalid> {
    let recipient = address("reports.recipient", &message.recipient)?;
    let outcome = match message.outcome.ok_or(FieldError::Missing("reports.outcome"))? {
        reported::Outcome::Delivered(delivered) => Outcome::Delivered(Delivered {
            recipient: recipient.clone(),
            mail_message_id: storable(&delivered.mail_message_id),
            server_reply: storable(&delivered.server_reply),
            delivered_at: required_time("reports.delivered_at", delivered.delivered_at)?,
        }),
        reported::Outcome::Retry(again) => Outcome::Retry {
            after: duration("reports.after", again.after)?,
            reason: reason(again.reason)?,
            counts: again.counts,
        },
        reported::Outcome::Failed(failed) => Outcome::Failed(reason(failed.reason)?),
        reported::Outcome::Cancelled(cancelled) => Outcome::Cancelled(reason(cancelled.reason)?),
    };
    Ok(Report { recipient, outcome })
}

fn parse_lease(request: crm::LeasePendingRequest) -> Result<Lease, Invalid> {
    Ok(Lease {
        holder: holder(&request.holder)?,
        pending_for: duration("pending_for", request.pending_for)?,
        lease: positive_duration("lease", request.lease)?,
        limit: request.limit,
        brochures: request.brochures,
    })
}

fn lease_response(leads: Vec<Leased>) -> crm::LeasePendingResponse {
    let mut response = crm::LeasePendingResponse::default();
    for Leased { lead, for_routes, requested } in leads {
        if !requested.is_empty() {
            let lead = Some(lead.clone().into());
            response.requested.push(crm::RequestedMails { lead, recipients: requested });
        }
        if for_routes {
            response.leads.push(lead.into());
        }
    }
    response
}

fn parse_discard(reason: &str) -> Result<Decision, Invalid> {
    Ok(Decision::Discard { reason: filled("reason", reason, REASON_LENGTH)? })
}

fn parse_filter(filter: Option<crm::DeliveryFilter>) -> Result<DeliveryFilter, Invalid> {
    let filter = filter.unwrap_or_default();
    let lead_id = Some(filter.lead_id).filter(|id| !id.is_empty());
    let recipient = Some(filter.recipient).filter(|recipient| !recipient.is_empty());
    Ok(DeliveryFilter {
        lead_id: lead_id.map(|id| uuid("filter.lead_id", &id)).transpose()?,
        recipient: recipient.map(|recipient| address("filter.recipient", &recipient)).transpose()?,
        since: optional_time("filter.since", filter.since)?,
    })
}

fn recipients(texts: &[String]) -> Result<Vec<String>, Invalid> {
    texts.iter().map(|text| address("recipients", text)).collect()
}

fn address(field: &'static str, text: &str) -> Result<String, Invalid> {
    Ok(filled(field, text, RECIPIENT_LENGTH)?)
}

pub(super) fn holder(text: &str) -> Result<String, Invalid> {
    Ok(filled("holder", text, HOLDER_LENGTH)?)
}

fn reason(reason: Option<Reason>) -> Result<Reason, Invalid> {
    let reason = reason.ok_or(FieldError::Missing("reports.reason"))?;
    Ok(Reason { class: limited("reason.class", &reason.class, 50)?, detail: storable(&reason.detail) })
}

fn duration(field: &'static str, duration: Option<prost_types::Duration>) -> Result<Duration, Invalid> {
    let duration = duration.ok_or(FieldError::Missing(field))?;
    Duration::try_from(duration).map_err(|_| FieldError::NotDuration(field).into())
}

pub(super) fn positive_duration(
    field: &'static str,
    text: Option<prost_types::Duration>,
) -> Result<Duration, Invalid> {
    let length = duration(field, text)?;
    if length.is_zero() { Err(FieldError::NotDuration(field).into()) } else { Ok(length) }
}

#[cfg(test)]
mod tests {
    use contracts::leads::v1::LeadSubmitted;

    use super::*;

    const ID: &str = "6f9619ff-8b86-5011-b42d-00cf4fc964ff";

    fn lead() -> LeadSubmitted {
        LeadSubmitted {
            lead_id: ID.to_owned(),
            reference: "ZG-7F3K-2Q".to_owned(),
            submitted_at: Some(prost_types::Timestamp { seconds: 1, nanos: 0 }),
            interests: vec![1],
            name: "n".to_owned(),
            mobile: "12345678".to_owned(),
            email: "a@b.co".to_owned(),
            language: 1,
            ..LeadSubmitted::default()
        }
    }

    fn refused(change: impl FnOnce(&mut crm::ReportDeliveriesRequest)) -> Option<Invalid> {
        let again = reported::Retry {
            after: Some(prost_types::Duration { seconds: 5, nanos: 0 }),
            reason: Some(Reason::default()),
            counts: true,
        };
        let mut changed = crm::ReportDeliveriesRequest {
            lead_id: ID.to_owned(),
            holder: "notifier-1".to_owned(),
            reports: vec![DeliveryReport {
                recipient: "sales@example.com".to_owned(),
                outcome: Some(reported::Outcome::Retry(again)),
            }],
        };
        change(&mut changed);
        parse_reports(changed).err()
    }

    #[test]
    fn a_report_says_whose_and_what() {
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|it| it.lead_id.clear()), Some(FieldError::NotUuid("lead_id").into()));
        assert_eq!(refused(|it| it.holder.clear()), Some(FieldError::Empty("holder").into()));
        assert_eq!(
            refused(|it| it.reports[0].recipient.clear()),
            Some(FieldError::Empty("reports.recipient").into())
        );
        assert_eq!(
            refused(|it| it.reports[0].outcome = None),
            Some(FieldError::Missing("reports.outcome").into())
        );
        let failed = Some(reported::Outcome::Failed(reported::Failed { reason: None }));
        assert_eq!(
            refused(|it| it.reports[0].outcome = failed),
            Some(FieldError::Missing("reports.reason").into())
        );
    }

    #[test]
    fn a_claim_names_recipients_and_the_visitor_has_a_limit() {
        let refused = |recipients: &[&str], visitor_daily_limit| {
            let request = crm::ClaimDeliveriesRequest {
                lead: Some(lead()),
                recipients: recipients.iter().map(ToString::to_string).collect(),
                holder: "notifier-1".to_owned(),
                lease: Some(prost_types::Duration { seconds: 60, nanos: 0 }),
                visitor_daily_limit,
                visitors_hourly_limit: 0,
            };
            parse_claim(request, DateTime::UNIX_EPOCH).err()
        };
        assert_eq!(refused(&["sales@example.com"], 0), None);
        assert_eq!(refused(&["sales@example.com", "visitor"], 2), None);
        assert_eq!(refused(&["visitor"], 0), Some(Invalid::NoVisitorLimit));
        assert_eq!(refused(&[], 0), Some(FieldError::Empty("recipients").into()));
    }

    #[test]
    fn durations_are_positive() {
        let lease = |seconds, nanos| {
            let lease = Some(prost_types::Duration { seconds, nanos });
            let pending_for = Some(prost_types::Duration::default());
            let request =
                crm::LeasePendingRequest { holder: "n".to_owned(), pending_for, lease, ..Default::default() };
            parse_lease(request).map(|lease| lease.lease)
        };
        assert_eq!(lease(60, 1), Ok(Duration::new(60, 1)));
        for (seconds, nanos) in [(0, 0), (-1, 0), (0, -1)] {
            assert_eq!(
                lease(seconds, nanos),
                Err(FieldError::NotDuration("lease").into()),
                "{seconds}.{nanos}"
            );
        }
    }

    #[test]
    fn discarding_requires_a_reason() {
        let refused = |reason: &str| parse_discard(reason).err();
        assert_eq!(refused("spam"), None);
        assert_eq!(refused(""), Some(FieldError::Empty("reason").into()));
        assert_eq!(refused(&"x".repeat(501)), Some(FieldError::TooLong("reason", 500).into()));
    }
}
