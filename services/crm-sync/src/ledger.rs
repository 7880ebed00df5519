//! The ledger as others use it: claims, leases and reports, counted.

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};

use crate::{
    domain::{
        lead::Submission,
        ledger::{Answer, Claim, Lease, Outcome, Setback, Told},
        road::Road,
        timeline::Note,
    },
    recorder::{Recorder, count},
    store::{Claimed, StoreError},
};

/// Says who may tell whom, and keeps what came of it. Clones share everything.
#[derive(Clone)]
pub struct Ledger {
    recorder: Recorder,
    claims: Counter<u64>,
    leases: Counter<u64>,
    reports: Counter<u64>,
    notifications: Counter<u64>,
}

impl Ledger {
    /// Keeps the ledger where leads are recorded.
    #[must_use]
    pub fn new(recorder: Recorder, meter: &Meter) -> Self {
        let claims =
            meter.u64_counter("crm_claims").with_description("Claims of a recipient, by answer.").build();
        let leases = meter
            .u64_counter("crm_leases")
            .with_description("Leads handed out because nobody had told them.")
            .build();
        let reports = meter
            .u64_counter("crm_reports")
            .with_description(
                "Setbacks reported, by outcome and by whether they came from the claim's holder.",
            )
            .build();
        let notifications = meter
            .u64_counter("crm_notifications")
            .with_description("Notifications taken, by road and by whether they were new.")
            .build();
        Self { recorder, claims, leases, reports, notifications }
    }

    /// Claims a recipient, and records the lead if need be.
    ///
    /// # Errors
    /// [`StoreError`]; the holder may ask again.
    pub async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreError> {
        let claimed = self.recorder.store().claim(claim).await?;
        // That a lead which is claimed was there is no news.
        let taken = usize::try_from(claimed.recorded.created).unwrap_or(usize::MAX);
        let lead = std::slice::from_ref(&claim.submission);
        self.recorder.note(Road::Claim, claimed.recorded, taken, lead);
        let answer = match claimed.answer {
            Answer::Granted { .. } => "granted",
            Answer::AlreadyTold => "already_told",
            Answer::Held { .. } => "held",
            Answer::Erased => "erased",
            Answer::Declined => "declined",
        };
        self.claims.add(1, &[KeyValue::new("answer", answer)]);
        Ok(claimed)
    }

    /// Leases leads, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn lease(&self, lease: &Lease) -> Result<Vec<Submission>, StoreError> {
        let leads = self.recorder.store().lease(lease).await?;
        if !leads.is_empty() {
            self.leases.add(leads.len() as u64, &[]);
        }
        Ok(leads)
    }

    /// Records who was told, all or none; the leads themselves may come later.
    ///
    /// # Errors
    /// [`StoreError`]; the news may be sent again.
    pub async fn tell(&self, road: Road, told: &[Told]) -> Result<(), StoreError> {
        let created = self.recorder.store().record_told(road, told).await?;
        count(&self.notifications, road, created, told.len());
        Ok(())
    }

    /// Records a setback, if it comes from the claim's holder.
    ///
    /// # Errors
    /// [`StoreError`]; the news may be sent again.
    pub async fn set_back(&self, setback: &Setback) -> Result<(), StoreError> {
        let counted = self.recorder.store().record_setback(setback).await?;
        let outcome = match setback.outcome {
            Outcome::Waiting { .. } => "waiting",
            Outcome::Parked(_) => "parked",
            Outcome::Released => "released",
            Outcome::Declined(_) => "declined",
        };
        self.reports.add(1, &[KeyValue::new("outcome", outcome), KeyValue::new("counted", counted)]);
        Ok(())
    }

    /// Adds what an operator did to a lead's timeline.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn annotate(&self, note: &Note) -> Result<(), StoreError> {
        self.recorder.store().note(note).await
    }
}
