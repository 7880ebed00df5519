//! Counts calls, stored leads, claims, leases, reports and erasures.

use lead::Lead;
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Histogram},
};
use runtime::{clock::SharedClock, service::Context};
use strum::VariantNames;

use crate::{
    auth::CallCounter,
    deliveries::{ClaimResult, Claimed, Report, Reports},
    leads::{Recorded, Source},
};

/// Clones share the counters.
#[derive(Clone)]
pub struct Metrics {
    pub(crate) calls: CallCounter,
    leads: Counter<u64>,
    conflicts: Counter<u64>,
    ages: Histogram<f64>,
    claims: Counter<u64>,
    leases: Counter<u64>,
    reports: Counter<u64>,
    reminders: Counter<u64>,
    erased: Counter<u64>,
    clock: SharedClock,
}

impl Metrics {
    pub fn new(context: &Context) -> Self {
        let metrics = &context.metrics;
        let hourly_limit: &str = ClaimResult::HourlyLimit.into();
        Self {
            calls: CallCounter::new(metrics),
            leads: metrics.counter("crm_leads", "Leads stored, by source and outcome."),
            conflicts: metrics.counter_from_zero(
                "crm_conflicts",
                "Leads received again with different contents, by source. Both versions are kept.",
                "source",
                Source::VARIANTS,
            ),
            ages: metrics.lead_age(),
            claims: metrics.counter_from_zero(
                "crm_claims",
                "Delivery claims, by answer.",
                "answer",
                &[hourly_limit],
            ),
            leases: metrics.counter(
                "crm_leases",
                "Leads leased to notifiers because deliveries were due.",
            ),
            reports: metrics.counter("crm_reports", "Delivery reports, by path and outcome."),
            reminders: metrics.counter(
                "crm_reminders",
                "Leads whose owner or default recipients are reminded, because nobody has contacted the visitor.",
            ),
            erased: metrics.counter(
                "crm_erased_leads",
                "Leads erased, by cause (person or retention).",
            ),
            clock: context.clock.clone(),
        }
    }

    /// Counts the leads from a source as created or duplicate.
    pub(crate) fn add_recorded(&self, source: Source, recorded: Recorded, leads: &[Lead]) {
        self.add_created(source, recorded, leads);
        self.add_leads(
            source,
            "duplicate",
            (leads.len() as u64).saturating_sub(recorded.created),
        );
    }

    /// Does not count a stored lead as a duplicate, because a claim usually arrives after its lead.
    pub(crate) fn add_claimed(&self, lead: &Lead, claimed: &Claimed) {
        self.add_created(Source::Claim, claimed.recorded, std::slice::from_ref(lead));
        for result in &claimed.results {
            let answer: &str = result.into();
            self.claims.add(1, &[KeyValue::new("answer", answer)]);
        }
    }

    pub(crate) fn add_leased(&self, leads: usize) {
        self.leases.add(leads as u64, &[]);
    }

    pub(crate) fn add_reported(&self, reports: &Reports, recorded: Recorded) {
        let path = if reports.lead.is_some() {
            "broker"
        } else {
            "grpc"
        };
        self.add_recorded(Source::Broker, recorded, reports.lead.as_slice());
        for Report { outcome, .. } in &reports.reports {
            let outcome: &str = outcome.into();
            let labels = [
                KeyValue::new("path", path),
                KeyValue::new("outcome", outcome),
            ];
            self.reports.add(1, &labels);
        }
    }

    pub(crate) fn add_reminders(&self, leads: u64) {
        self.reminders.add(leads, &[]);
    }

    /// `cause` is `person` or `retention`.
    pub(crate) fn add_erased(&self, cause: &'static str, leads: u64) {
        if leads > 0 {
            self.erased.add(leads, &[KeyValue::new("cause", cause)]);
        }
    }

    fn add_created(
        &self,
        source: Source,
        Recorded { created, conflicts }: Recorded,
        leads: &[Lead],
    ) {
        self.add_leads(source, "created", created);
        // The store returns only the number of new leads, so ages are recorded only if all leads are new.
        if created == leads.len() as u64 {
            let now = self.clock.now();
            for lead in leads {
                let age = (now - lead.submitted_at).as_seconds_f64();
                self.ages
                    .record(age.max(0.0), &[KeyValue::new("stage", "stored")]);
            }
        }
        if conflicts > 0 {
            self.conflicts
                .add(conflicts, &[KeyValue::new("source", source.into_str())]);
        }
    }

    fn add_leads(&self, source: Source, outcome: &'static str, leads: u64) {
        if leads > 0 {
            let source = KeyValue::new("source", source.into_str());
            self.leads
                .add(leads, &[source, KeyValue::new("outcome", outcome)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_alerts_start_at_zero() {
        let (context, _) = testkit::context("crm-sync");
        let _metrics = Metrics::new(&context);
        testkit::alerts::assert_start_at_zero(
            &context.metrics,
            "crm-sync",
            &["crm_calls_total", "crm_claims_total", "crm_conflicts_total"],
        );
    }
}
