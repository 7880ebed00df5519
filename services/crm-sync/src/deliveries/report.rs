//! Records the outcomes of deliveries.

use std::time::Duration;

use ::lead::{
    FieldError, Lead,
    field::{limited, required_time, uuid},
    recipient::notified_webhook,
    text::storable,
};
use contracts::leads::v1::{DeliveryReport, LeadDelivered, delivery_report as reported};
use runtime::crash;

use super::{
    brochure,
    delivery::{
        BROCHURE, Deliveries, State, after, parse_duration, parse_holder, parse_recipient,
        parse_recipients,
    },
};
use crate::{
    db::prelude::*,
    leads::{
        lock::{Locked, lock},
        record::{Recorded, Source, parse_lead, record, with_keys},
    },
};

#[derive(Clone)]
pub struct Reports {
    pub lead_id: Uuid,
    pub holder: String,
    pub reports: Vec<Report>,
    /// The lead, stored if missing. Present only in events.
    pub lead: Option<Lead>,
    /// All recipients of the lead. Present only in events.
    pub recipients: Vec<String>,
}

#[derive(Clone)]
pub struct Report {
    pub recipient: String,
    pub outcome: Outcome,
}

/// Its snake_case name is a metric label.
#[derive(Clone, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// Accepted by the mail server. Counts from any holder.
    Delivered {
        mail_message_id: String,
        server_reply: String,
        delivered_at: DateTimeUtc,
    },
    Retry {
        /// Minimum wait before the next attempt.
        after: Duration,
        reason: Reason,
        counts: bool,
    },
    Failed(Reason),
    /// Ended without delivery. Requires no action by an operator.
    Cancelled(Reason),
}

impl Reports {
    pub(crate) fn parse(request: crm::ReportDeliveriesRequest) -> Result<Self, Invalid> {
        Ok(Self {
            lead_id: uuid("lead_id", &request.lead_id)?,
            holder: parse_holder(&request.holder)?,
            reports: request
                .reports
                .into_iter()
                .map(Report::parse)
                .collect::<Result<_, _>>()?,
            lead: None,
            recipients: Vec::new(),
        })
    }

    /// Parses the event that notifier publishes while crm-sync is unavailable.
    pub(crate) fn parse_event(event: LeadDelivered, now: DateTimeUtc) -> Result<Self, Invalid> {
        let lead = parse_lead(event.lead, now)?;
        Ok(Self {
            lead_id: lead.id,
            holder: parse_holder(&event.holder)?,
            reports: event
                .reports
                .into_iter()
                .map(Report::parse)
                .collect::<Result<_, _>>()?,
            lead: Some(lead),
            recipients: parse_recipients(&event.recipients)?,
        })
    }

    async fn apply(&self, tx: &Transaction, locked: &Locked) -> Result<()> {
        let lead_id = self.lead_id;
        let mut deliveries = Deliveries::load(tx, &[lead_id]).await?;
        let is_erased = locked.is_erased(lead_id);
        if !is_erased {
            let delivered = self
                .reports
                .iter()
                .filter(|it| matches!(it.outcome, Outcome::Delivered { .. }));
            for recipient in delivered.map(|it| &it.recipient).chain(&self.recipients) {
                if deliveries.find(lead_id, recipient).is_none() {
                    deliveries.set(
                        delivery::Model::pending(lead_id, recipient, deliveries.now),
                        None,
                    );
                }
            }
        }
        for Report { recipient, outcome } in &self.reports {
            let row = deliveries
                .find(lead_id, recipient)
                .filter(|row| self.counts(row, outcome));
            let Some(row) = row.cloned() else { continue };
            let (after, event) = outcome.apply(row, deliveries.now);
            if recipient == BROCHURE && after.state == State::Delivered {
                brochure::set_flag(tx, &[lead_id], true).await?;
            }
            deliveries.set(after, event);
        }
        // Ends the lease, so other due deliveries of the lead do not wait for its expiry. A notice to a webhook has no lease.
        let is_leased = |report: &Report| notified_webhook(&report.recipient).is_none();
        let ends_leases = self.reports.iter().any(is_leased);
        deliveries
            .save(locked.row(lead_id).filter(|_| !is_erased), ends_leases)
            .await
    }

    /// A delivered email always counts, once. Other outcomes count from the holder of the claim, or from an event while
    /// there is no claim, so a late report cannot undo a newer state.
    fn counts(&self, row: &delivery::Model, outcome: &Outcome) -> bool {
        match (row.state, outcome) {
            (State::Delivered, _) => false,
            (_, Outcome::Delivered { .. }) => true,
            (State::Claimed, _) => row.holder == self.holder,
            (State::Pending | State::Deferred, _) => self.lead.is_some(),
            (State::Failed | State::Cancelled, _) => false,
        }
    }
}

impl Report {
    fn parse(message: DeliveryReport) -> Result<Self, Invalid> {
        let recipient = parse_recipient("reports.recipient", &message.recipient)?;
        let outcome = match message
            .outcome
            .ok_or(FieldError::Missing("reports.outcome"))?
        {
            reported::Outcome::Delivered(delivered) => Outcome::Delivered {
                mail_message_id: storable(&delivered.mail_message_id),
                server_reply: storable(&delivered.server_reply),
                delivered_at: required_time("reports.delivered_at", delivered.delivered_at)?,
            },
            reported::Outcome::Retry(retry) => Outcome::Retry {
                after: parse_duration("reports.after", retry.after)?,
                reason: parse_reason(retry.reason)?,
                counts: retry.counts,
            },
            reported::Outcome::Failed(failed) => Outcome::Failed(parse_reason(failed.reason)?),
            reported::Outcome::Cancelled(cancelled) => {
                Outcome::Cancelled(parse_reason(cancelled.reason)?)
            }
        };
        Ok(Self { recipient, outcome })
    }
}

fn parse_reason(reason: Option<Reason>) -> Result<Reason, FieldError> {
    let reason = reason.ok_or(FieldError::Missing("reports.reason"))?;
    Ok(Reason {
        class: limited("reason.class", &reason.class, 50)?,
        detail: storable(&reason.detail),
    })
}

impl Store {
    /// Records all reports or none; for an erased lead, only reports of erasure notices. Repeated reports count once.
    pub async fn report(&self, reports: &Reports) -> Result<Recorded> {
        self.write("report deliveries", |tx| async move {
            let (id, lead) = (reports.lead_id, reports.lead.as_slice());
            let recorded = record(&tx, Source::Broker, &with_keys(lead)).await?;
            let locked = lock(&tx, &[id]).await?;
            reports.apply(&tx, &locked).await?;
            if !lead.is_empty() {
                crash::point("crm-sync-before-commit");
            }
            Ok(recorded)
        })
        .await
    }
}

impl Outcome {
    /// Returns the delivery with this outcome and its timeline event. Delivered emails and uncounted retries have no event.
    fn apply(&self, row: delivery::Model, now: DateTimeUtc) -> (delivery::Model, Option<Event>) {
        match self {
            Self::Delivered {
                mail_message_id,
                server_reply,
                delivered_at,
            } => {
                let (mail_message_id, server_reply) =
                    (mail_message_id.clone(), server_reply.clone());
                let (delivered_at, row) =
                    (Some(*delivered_at), row.in_state(State::Delivered, now));
                (
                    delivery::Model {
                        mail_message_id,
                        server_reply,
                        delivered_at,
                        ..row
                    },
                    None,
                )
            }
            Self::Retry {
                after: wait,
                reason,
                counts,
            } => {
                let until = after(now, *wait);
                let is_counted_back = !counts && row.attempts > 0 && row.state == State::Claimed;
                let attempts = if is_counted_back {
                    row.attempts - 1
                } else {
                    row.attempts
                };
                let row = row.because_of(reason, State::Deferred, now);
                let reason = Some(reason.clone());
                let deferred = Event::Deferred(entry::Deferred {
                    until: Some(timestamp(until)),
                    reason,
                });
                (
                    delivery::Model {
                        until: Some(until),
                        attempts,
                        ..row
                    },
                    counts.then_some(deferred),
                )
            }
            Self::Failed(reason) => {
                let failed = Event::Failed(entry::Failed {
                    reason: Some(reason.clone()),
                });
                (row.because_of(reason, State::Failed, now), Some(failed))
            }
            Self::Cancelled(reason) => (
                row.because_of(reason, State::Cancelled, now),
                Some(timeline::cancelled(reason)),
            ),
        }
    }
}
