//! Tracks deliveries, one lead's mail to one recipient each. The table `delivery` is their only schedule.
//!
//! ```text
//!              claim                    report: delivered
//! pending ───────────────▶ held ─────────────────────────▶ delivered
//!    ▲  ▲                  │ │ │  report: failed                     discard
//!    │  └──────────────────┘ │ └──────────────────▶ failed ─────────────────▶ cancelled
//!    │    the claim expires  │ report: again          │                        ▲
//!    │                       ▼                        │ retry                  │ not named by the claim any more,
//!    └────────────────── deferred      pending ◀──────┘                        │ or no address to mail to
//!         its time has come                            any but delivered ──────┘
//! ```
//!
//! Every change locks the lead's row first, so that replicas change a lead's deliveries one after the other.

pub(crate) mod brochure;
pub mod claim;
pub mod contract;
pub mod delivery;
pub mod failed;
pub(crate) mod grpc;
pub mod lease;
pub mod pending;
pub mod report;
pub(crate) mod request;
mod visitor;

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};

use self::{
    claim::{Claim, Claimed},
    lease::{Lease, Leased},
    report::{Report, Reports},
};
use crate::{
    db::{Store, error::StoreError},
    leads::{recorder::Recorder, source::Source},
};

/// The delivery operations with their metrics. Clones share everything.
#[derive(Clone)]
pub struct Deliveries {
    recorder: Recorder,
    claims: Counter<u64>,
    leases: Counter<u64>,
    reports: Counter<u64>,
}

impl Deliveries {
    #[must_use]
    pub fn new(recorder: Recorder, meter: &Meter) -> Self {
        let counter = |name, description| meter.u64_counter(name).with_description(description).build();
        Self {
            recorder,
            claims: counter("crm_claims", "Delivery claims, by answer."),
            leases: counter("crm_leases", "Leads leased to notifiers because deliveries were due."),
            reports: counter("crm_reports", "Delivery reports, by path and outcome."),
        }
    }

    /// Claims a lead's deliveries and stores the lead if it is missing.
    ///
    /// # Errors
    /// [`StoreError`]; the holder may repeat the claim.
    pub async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreError> {
        let claimed = self.recorder.store().claim(claim).await?;
        // A claim usually finds its lead stored: that is not counted as a duplicate.
        let taken = usize::try_from(claimed.recorded.created).unwrap_or(usize::MAX);
        self.recorder.note(Source::Claim, claimed.recorded, taken, std::slice::from_ref(&claim.submission));
        for answer in &claimed.answers {
            self.claims.add(1, &[KeyValue::new("answer", answer.label())]);
        }
        Ok(claimed)
    }

    /// Leases leads, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn lease(&self, lease: &Lease) -> Result<Vec<Leased>, StoreError> {
        let leads = self.recorder.store().lease(lease).await?;
        if !leads.is_empty() {
            self.leases.add(leads.len() as u64, &[]);
        }
        Ok(leads)
    }

    /// Records the outcomes of a lead's deliveries, all or none.
    ///
    /// # Errors
    /// [`StoreError`]; the reports may be repeated.
    pub async fn report(&self, reports: &Reports) -> Result<(), StoreError> {
        let recorded = self.recorder.store().report(reports).await?;
        let path = if let Some(lead) = &reports.lead {
            self.recorder.note(Source::Broker, recorded, 1, std::slice::from_ref(lead));
            "broker"
        } else {
            "grpc"
        };
        for Report { outcome, .. } in &reports.reports {
            let labels = [KeyValue::new("path", path), KeyValue::new("outcome", outcome.label())];
            self.reports.add(1, &labels);
        }
        Ok(())
    }

    pub(crate) fn store(&self) -> &Store {
        self.recorder.store()
    }
}
