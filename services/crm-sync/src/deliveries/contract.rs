//! Converts deliveries from and to `crm.v1` messages and checks them.

use std::time::Duration;

use contracts::{
    crm::v1::{
        self as crm, ClaimAnswer, ClaimDeliveriesRequest, ClaimDeliveriesResponse, DeliveryClaim,
        DiscardDeliveriesRequest, LeasePendingRequest, LeasePendingResponse, ReportDeliveriesRequest,
    },
    leads::v1::{DeliveryReport, LeadDelivered, Reason, delivery_report as reported},
};

use lead::{
    FieldError,
    field::{filled, limited, optional_time, required_time, timestamp, uuid},
    text::storable,
};

use super::{
    claim::{Answer, Claim, Claimed},
    delivery::{Delivered, is_visitor},
    failed::{Decision, DeliveryFilter},
    lease::{Lease, Leased},
    report::{Outcome, Report, Reports},
};
use crate::{error::Invalid, leads::submission};

/// Longest address an SMTP path can hold.
const RECIPIENT_LENGTH: usize = 320;

const HOLDER_LENGTH: usize = 200;

const REASON_LENGTH: usize = 500;

pub(crate) fn claim(request: ClaimDeliveriesRequest) -> Result<Claim, Invalid> {
    let recipients = recipients(&request.recipients)?;
    if recipients.is_empty() {
        return Err(FieldError::Empty("recipients").into());
    }
    let visitor_daily_limit = request.visitor_daily_limit;
    if visitor_daily_limit == 0 && recipients.iter().any(|recipient| is_visitor(recipient)) {
        return Err(Invalid::NoVisitorLimit);
    }
    Ok(Claim {
        submission: submission(request.lead)?,
        recipients,
        holder: holder(&request.holder)?,
        lease: positive_duration("lease", request.lease)?,
        visitor_daily_limit,
        visitors_hourly_limit: request.visitors_hourly_limit,
    })
}

pub(crate) fn claimed(claim: Claim, claimed: Claimed) -> ClaimDeliveriesResponse {
    let claims = claim.recipients.into_iter().zip(claimed.answers).map(|(recipient, answer)| {
        let (answer, attempt) = match answer {
            Answer::Granted { attempt } => (ClaimAnswer::Granted, attempt),
            Answer::Delivered => (ClaimAnswer::Delivered, 0),
            Answer::Claimed => (ClaimAnswer::Claimed, 0),
            Answer::Deferred | Answer::DeferredByAll => (ClaimAnswer::Deferred, 0),
            Answer::Failed => (ClaimAnswer::Failed, 0),
            Answer::Cancelled => (ClaimAnswer::Cancelled, 0),
            Answer::Erased => (ClaimAnswer::Erased, 0),
        };
        DeliveryClaim { recipient, answer: answer.into(), attempt }
    });
    ClaimDeliveriesResponse {
        claims: claims.collect(),
        earlier: claimed.earlier,
        same_number: claimed.same_number,
        do_not_contact_at: claimed.do_not_contact_at.map(timestamp),
    }
}

pub(crate) fn reports(request: ReportDeliveriesRequest) -> Result<Reports, Invalid> {
    Ok(Reports {
        lead_id: uuid("lead_id", &request.lead_id)?,
        holder: holder(&request.holder)?,
        reports: request.reports.into_iter().map(report).collect::<Result<_, _>>()?,
        lead: None,
        recipients: Vec::new(),
    })
}

/// Reads a report by event, which the notifier publishes while the CRM does not answer.
///
/// # Errors
/// [`Invalid`] when a field is missing or out of bounds.
pub fn reports_of_event(event: LeadDelivered) -> Result<Reports, Invalid> {
    let lead = submission(event.lead)?;
    Ok(Reports {
        lead_id: lead.id,
        holder: holder(&event.holder)?,
        reports: event.reports.into_iter().map(report).collect::<Result<_, _>>()?,
        lead: Some(lead),
        recipients: recipients(&event.recipients)?,
    })
}

fn report(message: DeliveryReport) -> Result<Report, Invalid> {
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

pub(crate) fn lease(request: LeasePendingRequest) -> Result<Lease, Invalid> {
    Ok(Lease {
        holder: holder(&request.holder)?,
        pending_for: duration("pending_for", request.pending_for)?,
        lease: positive_duration("lease", request.lease)?,
        limit: request.limit,
        brochures: request.brochures,
    })
}

pub(crate) fn leased(leads: Vec<Leased>) -> LeasePendingResponse {
    let mut response = LeasePendingResponse::default();
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

pub(crate) fn delivery_filter(filter: Option<crm::DeliveryFilter>) -> Result<DeliveryFilter, Invalid> {
    let filter = filter.unwrap_or_default();
    let lead_id = Some(filter.lead_id).filter(|id| !id.is_empty());
    let recipient = Some(filter.recipient).filter(|recipient| !recipient.is_empty());
    Ok(DeliveryFilter {
        lead_id: lead_id.map(|id| uuid("filter.lead_id", &id)).transpose()?,
        recipient: recipient.map(|recipient| address("filter.recipient", &recipient)).transpose()?,
        since: optional_time("filter.since", filter.since)?,
    })
}

pub(crate) fn discard(request: &DiscardDeliveriesRequest) -> Result<Decision, Invalid> {
    Ok(Decision::Discard { reason: filled("reason", &request.reason, REASON_LENGTH)? })
}

fn recipients(texts: &[String]) -> Result<Vec<String>, Invalid> {
    texts.iter().map(|text| address("recipients", text)).collect()
}

fn address(field: &'static str, text: &str) -> Result<String, Invalid> {
    Ok(filled(field, text, RECIPIENT_LENGTH)?)
}

pub(crate) fn holder(text: &str) -> Result<String, Invalid> {
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

pub(crate) fn positive_duration(
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

    fn refused(change: impl FnOnce(&mut ReportDeliveriesRequest)) -> Option<Invalid> {
        let again = reported::Retry {
            after: Some(prost_types::Duration { seconds: 5, nanos: 0 }),
            reason: Some(Reason::default()),
            counts: true,
        };
        let mut changed = ReportDeliveriesRequest {
            lead_id: ID.to_owned(),
            holder: "notifier-1".to_owned(),
            reports: vec![DeliveryReport {
                recipient: "sales@example.com".to_owned(),
                outcome: Some(reported::Outcome::Retry(again)),
            }],
        };
        change(&mut changed);
        reports(changed).err()
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
            claim(ClaimDeliveriesRequest {
                lead: Some(lead()),
                recipients: recipients.iter().map(ToString::to_string).collect(),
                holder: "notifier-1".to_owned(),
                lease: Some(prost_types::Duration { seconds: 60, nanos: 0 }),
                visitor_daily_limit,
                visitors_hourly_limit: 0,
            })
            .err()
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
                LeasePendingRequest { holder: "n".to_owned(), pending_for, lease, ..Default::default() };
            super::lease(request).map(|lease| lease.lease)
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
    fn nothing_is_discarded_without_a_reason() {
        let refused = |reason: &str| {
            discard(&DiscardDeliveriesRequest { filter: None, reason: reason.to_owned() }).err()
        };
        assert_eq!(refused("spam"), None);
        assert_eq!(refused(""), Some(FieldError::Empty("reason").into()));
        assert_eq!(refused(&"x".repeat(501)), Some(FieldError::TooLong("reason", 500).into()));
    }
}
