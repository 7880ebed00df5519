//! How mailing goes.

use chrono::TimeDelta;
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Gauge, Histogram, Meter},
};
use runtime::telemetry::{self, SECONDS};

use crate::{
    smtp::SendError,
    telling::Road,
    wire::{Claim, Unanswered},
};

#[derive(Clone)]
pub(crate) struct Metrics {
    mails: Counter<u64>,
    seconds: Histogram<f64>,
    claims: Counter<u64>,
    leased_leads: Counter<u64>,
    reports: Counter<u64>,
    unclaimed_mails: Counter<u64>,
    gathered_leads: Counter<u64>,
    acknowledgements: Counter<u64>,
    morning_mails: Counter<u64>,
    ages: Histogram<f64>,
    paused: Gauge<u64>,
}

impl Metrics {
    pub(crate) fn new(meter: &Meter) -> Self {
        let counter = |name, description| meter.u64_counter(name).with_description(description).build();
        Self {
            mails: counter("notifier_mails", "Mails handed to the mail server, by what came of it."),
            seconds: meter
                .f64_histogram("notifier_mail")
                .with_unit("s")
                .with_description("From the wish to send a mail to the mail server's reply.")
                .with_boundaries(SECONDS.to_vec())
                .build(),
            claims: counter("notifier_claims", "Recipients asked for in the ledger, by its answer."),
            leased_leads: counter("notifier_leased_leads", "Leads fetched from the ledger to be told."),
            reports: counter(
                "notifier_reports",
                "Reports that a recipient was told, by the road that took them.",
            ),
            unclaimed_mails: counter(
                "notifier_unclaimed_mails",
                "Mails that were taken and had not been claimed, as the ledger did not answer: each may be a second one.",
            ),
            gathered_leads: counter(
                "notifier_gathered_leads",
                "Leads told together with others, in one mail.",
            ),
            acknowledgements: counter(
                "notifier_acknowledgements",
                "Mails to visitors handed to the mail server, by what came of it.",
            ),
            morning_mails: counter(
                "notifier_morning_mails",
                "Tasks to send a morning mail, by what came of it: sent, none as nothing was left to do, or failed.",
            ),
            ages: telemetry::end_to_end(meter),
            paused: meter
                .u64_gauge("notifier_paused")
                .with_description("1 while the mail server as a whole is away and no mail is tried.")
                .build(),
        }
    }

    pub(crate) fn sent<T>(&self, result: &Result<T, SendError>, seconds: f64) {
        self.mails.add(1, &[KeyValue::new("result", label(result))]);
        self.seconds.record(seconds, &[]);
    }

    /// How old a lead is when a mail about it was accepted.
    pub(crate) fn mailed(&self, age: TimeDelta) {
        self.ages.record(age.as_seconds_f64().max(0.0), &[KeyValue::new("stage", "mailed")]);
    }

    pub(crate) fn acknowledged<T>(&self, result: &Result<T, SendError>) {
        self.acknowledgements.add(1, &[KeyValue::new("result", label(result))]);
    }

    pub(crate) fn claimed(&self, claim: &Result<Claim, Unanswered>) {
        let label = match claim {
            Ok(Claim::Granted(_)) => "granted",
            Ok(Claim::AlreadyTold) => "already_told",
            Ok(Claim::Held) => "held",
            Ok(Claim::Erased) => "erased",
            Ok(Claim::Declined) => "declined",
            Err(_) => "none",
        };
        self.claims.add(1, &[KeyValue::new("answer", label)]);
    }

    pub(crate) fn morning(&self, result: &'static str) {
        self.morning_mails.add(1, &[KeyValue::new("result", result)]);
    }

    pub(crate) fn mailed_unclaimed(&self) {
        self.unclaimed_mails.add(1, &[]);
    }

    pub(crate) fn gathered(&self, leads: usize) {
        self.gathered_leads.add(u64::try_from(leads).unwrap_or(u64::MAX), &[]);
    }

    pub(crate) fn leased(&self, leads: usize) {
        self.leased_leads.add(u64::try_from(leads).unwrap_or(u64::MAX), &[]);
    }

    /// By this road, or by none.
    pub(crate) fn reported(&self, road: Option<Road>) {
        let label = match road {
            Some(Road::Broker) => "broker",
            Some(Road::Grpc) => "grpc",
            None => "none",
        };
        self.reports.add(1, &[KeyValue::new("road", label)]);
    }

    pub(crate) fn paused(&self) -> Gauge<u64> {
        self.paused.clone()
    }
}

fn label<T>(result: &Result<T, SendError>) -> &'static str {
    match result {
        Ok(_) => "accepted",
        Err(SendError::Refused { .. }) => "refused",
        Err(SendError::Failed { .. }) => "failed",
    }
}
