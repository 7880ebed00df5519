//! Records leads from every source: stores each once and counts them.

use ::lead::Lead;
use contracts::crm::v1::{RecordLeadRequest, RecordLeadResponse};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Histogram},
};
use runtime::{clock::SharedClock, crash, service::Context, telemetry};
use tonic::Status;
use tracing::info;

use super::{record::Recorded, source::Source, submission};
use crate::{
    auth::Caller,
    db::{Store, error::StoreError},
};

#[derive(Clone)]
pub struct Recorder {
    store: Store,
    leads: Counter<u64>,
    conflicts: Counter<u64>,
    ages: Histogram<f64>,
    clock: SharedClock,
}

impl Recorder {
    #[must_use]
    pub fn new(store: Store, context: &Context) -> Self {
        let meter = context.metrics.meter();
        let leads =
            meter.u64_counter("crm_leads").with_description("Leads stored, by source and outcome.").build();
        let conflicts = meter
            .u64_counter("crm_conflicts")
            .with_description(
                "Leads received again with different contents, by source. Both versions are kept.",
            )
            .build();
        let (ages, clock) = (telemetry::end_to_end(meter), context.clock.clone());
        Self { store, leads, conflicts, ages, clock }
    }

    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Records leads, all or none; returns how many were new. Leads already stored stay as they are.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was recorded, or it is unknown whether it was. May be repeated.
    pub async fn record_leads(&self, source: Source, submissions: &[Lead]) -> Result<u64, StoreError> {
        let recorded = self.store.record_leads(source, submissions).await?;
        self.note(source, recorded, submissions.len(), submissions);
        Ok(recorded.created)
    }

    /// Counts leads that the store has recorded.
    pub(crate) fn note(&self, source: Source, recorded: Recorded, taken: usize, leads: &[Lead]) {
        let Recorded { created, conflicts } = recorded;
        // Which leads were new is only known when all were.
        if created == leads.len() as u64 {
            let now = self.clock.now();
            for lead in leads {
                let age = (now - lead.submitted_at).as_seconds_f64();
                self.ages.record(age.max(0.0), &[KeyValue::new("stage", "stored")]);
            }
        }
        count(&self.leads, source, created, taken);
        if conflicts > 0 {
            self.conflicts.add(conflicts, &[KeyValue::new("source", source.into_str())]);
        }
    }
}

pub(crate) fn count(counter: &Counter<u64>, source: Source, created: u64, taken: usize) {
    for (outcome, number) in [("created", created), ("duplicate", (taken as u64).saturating_sub(created))] {
        if number > 0 {
            counter.add(
                number,
                &[KeyValue::new("source", source.into_str()), KeyValue::new("outcome", outcome)],
            );
        }
    }
}

pub(crate) async fn record_lead(
    recorder: &Recorder,
    caller: &Caller,
    request: RecordLeadRequest,
) -> Result<RecordLeadResponse, Status> {
    let submission = submission(request.lead)?;
    let created = recorder.record_leads(Source::Grpc, std::slice::from_ref(&submission)).await? > 0;
    crash::point("crm-sync-recorded");
    info!(client = %caller, lead_id = %submission.id, reference = %submission.reference, created, "RecordLead");
    Ok(RecordLeadResponse { created })
}
