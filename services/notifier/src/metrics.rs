//! The notifier's metrics.

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram},
};
use runtime::telemetry::{self, SECONDS};

#[derive(Clone)]
pub(crate) struct Metrics {
    pub(crate) sales_emails: Counter<u64>,
    pub(crate) sales_email_duration: Histogram<f64>,
    pub(crate) unclaimed_emails: Counter<u64>,
    pub(crate) visitor_emails: Counter<u64>,
    pub(crate) summaries: Counter<u64>,
    pub(crate) webhooks: Counter<u64>,
    pub(crate) claims: Counter<u64>,
    pub(crate) leased_leads: Counter<u64>,
    pub(crate) reports: Counter<u64>,
    pub(crate) paused: Gauge<u64>,
    /// Age of a lead when the mail server accepts the email about it.
    pub(crate) lead_age: Histogram<f64>,
}

impl Metrics {
    pub(crate) fn new(metrics: &telemetry::Metrics) -> Self {
        let unclaimed_emails = metrics.counter(
            "notifier_unclaimed_emails",
            "Sales emails sent without a claim while the CRM was unavailable; each may be a duplicate.",
        );
        // For the alert, which does not see the first event of a series that begins with it.
        unclaimed_emails.add(0, &[]);
        Self {
            sales_emails: metrics.counter_from_zero(
                "notifier_emails",
                "Emails to the sales team, by result.",
                "result",
                &["accepted", "refused", "failed"],
            ),
            sales_email_duration: metrics.seconds(
                "notifier_email_duration",
                "Time to send an email to the sales team, until the mail server's reply.",
                &SECONDS,
            ),
            unclaimed_emails,
            visitor_emails: metrics.counter_from_zero(
                "notifier_visitor_confirmations",
                "Emails to visitors (confirmations and brochures), by result.",
                "result",
                &["accepted", "refused", "failed"],
            ),
            summaries: metrics.counter(
                "notifier_daily_summaries",
                "Daily summaries, by result: sent, none (nothing to report) or failed.",
            ),
            webhooks: metrics
                .counter("notifier_webhooks", "Leads and erasures posted to webhooks, by result."),
            claims: metrics.counter("notifier_claims", "Delivery claims, by the CRM's answer: repeated while the CRM restarts, none if it is unavailable."),
            leased_leads: metrics
                .counter("notifier_leased_leads", "Pending leads and erasures fetched from the CRM."),
            reports: metrics.counter("notifier_reports", "Delivery reports, by path (grpc, broker or none)."),
            paused: metrics
                .gauge("notifier_paused", "1 while the mail server is unavailable and sending is paused."),
            lead_age: metrics.lead_age(),
        }
    }
}

/// Adds one to a counter with a label.
pub(crate) fn count(counter: &Counter<u64>, label: &'static str, value: impl Into<String>) {
    counter.add(1, &[KeyValue::new(label, value.into())]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_alerts_start_at_zero() {
        let (context, _) = testkit::context("notifier");
        let _metrics = Metrics::new(&context.metrics);
        testkit::alerts::assert_start_at_zero(
            &context.metrics,
            "notifier",
            &[
                "notifier_emails_total",
                "notifier_unclaimed_emails_total",
                "notifier_visitor_confirmations_total",
            ],
        );
    }
}
