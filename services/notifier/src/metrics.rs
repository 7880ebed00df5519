//! The notifier's metrics.

use chrono::TimeDelta;
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram, Meter},
};
use runtime::telemetry::{self, SECONDS};

use crate::{
    crm::ledger::{Answer, Claimed, Unanswered},
    smtp::{ReplyClass, SendError},
    webhook::{Posted, WebhookError},
};

/// The path that took a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportPath {
    Broker,
    Grpc,
}

#[derive(Clone)]
pub(crate) struct Metrics {
    mails: Counter<u64>,
    seconds: Histogram<f64>,
    claims: Counter<u64>,
    leased_leads: Counter<u64>,
    reports: Counter<u64>,
    unclaimed_mails: Counter<u64>,
    acknowledgements: Counter<u64>,
    morning_mails: Counter<u64>,
    webhooks: Counter<u64>,
    ages: Histogram<f64>,
    paused: Gauge<u64>,
}

impl Metrics {
    pub(crate) fn new(meter: &Meter) -> Self {
        let counter = |name, description| meter.u64_counter(name).with_description(description).build();
        Self {
            mails: counter("notifier_emails", "Emails to the sales team, by result."),
            seconds: meter
                .f64_histogram("notifier_email_duration")
                .with_unit("s")
                .with_description("Time to send an email to the sales team, until the mail server's reply.")
                .with_boundaries(SECONDS.to_vec())
                .build(),
            claims: counter("notifier_claims", "Delivery claims, by the CRM's answer."),
            leased_leads: counter("notifier_leased_leads", "Pending leads fetched from the CRM."),
            reports: counter("notifier_reports", "Delivery reports, by path (grpc, broker or none)."),
            unclaimed_mails: counter(
                "notifier_unclaimed_emails",
                "Sales emails sent without a claim because the CRM was unavailable; each may be a duplicate.",
            ),
            acknowledgements: counter(
                "notifier_visitor_confirmations",
                "Emails to visitors (confirmations and brochures), by result.",
            ),
            morning_mails: counter(
                "notifier_daily_summaries",
                "Daily summaries, by result: sent, none (nothing to report) or failed.",
            ),
            webhooks: counter("notifier_webhooks", "Leads posted to webhooks, by result."),
            ages: telemetry::end_to_end(meter),
            paused: meter
                .u64_gauge("notifier_paused")
                .with_description("1 while the mail server is unavailable and sending is paused.")
                .build(),
        }
    }

    pub(crate) fn sent<T>(&self, result: &Result<T, SendError>, seconds: f64) {
        self.mails.add(1, &[KeyValue::new("result", label(result))]);
        self.seconds.record(seconds, &[]);
    }

    /// Records a lead's age at the time a mail about it was accepted.
    pub(crate) fn mailed(&self, age: TimeDelta) {
        self.ages.record(age.as_seconds_f64().max(0.0), &[KeyValue::new("stage", "mailed")]);
    }

    pub(crate) fn acknowledged<T>(&self, result: &Result<T, SendError>) {
        self.acknowledgements.add(1, &[KeyValue::new("result", label(result))]);
    }

    pub(crate) fn posted(&self, result: &Result<Posted, WebhookError>) {
        let label = match result {
            Ok(_) => "accepted",
            Err(WebhookError::Gone) => "refused",
            Err(_) => "failed",
        };
        self.webhooks.add(1, &[KeyValue::new("result", label)]);
    }

    pub(crate) fn claimed(&self, claim: &Result<Claimed, Unanswered>) {
        let add = |label| self.claims.add(1, &[KeyValue::new("answer", label)]);
        match claim {
            Ok(claimed) => claimed.answers.values().map(Answer::label).for_each(add),
            Err(_) => add("none"),
        }
    }

    pub(crate) fn morning(&self, result: &'static str) {
        self.morning_mails.add(1, &[KeyValue::new("result", result)]);
    }

    pub(crate) fn mailed_unclaimed(&self) {
        self.unclaimed_mails.add(1, &[]);
    }

    pub(crate) fn leased(&self, leads: usize) {
        self.leased_leads.add(u64::try_from(leads).unwrap_or(u64::MAX), &[]);
    }

    /// `None`: neither path accepted the report.
    pub(crate) fn reported(&self, path: Option<ReportPath>) {
        let label = match path {
            Some(ReportPath::Broker) => "broker",
            Some(ReportPath::Grpc) => "grpc",
            None => "none",
        };
        self.reports.add(1, &[KeyValue::new("path", label)]);
    }

    pub(crate) fn paused(&self) -> Gauge<u64> {
        self.paused.clone()
    }
}

fn label<T>(result: &Result<T, SendError>) -> &'static str {
    match result {
        Ok(_) => "accepted",
        Err(error) if error.class == ReplyClass::Rejected => "refused",
        Err(_) => "failed",
    }
}
