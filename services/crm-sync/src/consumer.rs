//! Records the queue's events in batches.

use ::lead::Lead;
use messaging::{Batching, Delivery, Event, Handler, Reason, Verdict};
use runtime::crash;

use crate::{
    db::error::StoreError,
    deliveries::{Deliveries, contract::reports_of_event},
    error::Invalid,
    leads::{
        recorder::Recorder,
        source::Source,
        withdrawal::{self, Withdrawal},
    },
};

/// Large enough to spread the cost of a commit, small enough to repeat little when one fails and to fit into 40 MB.
pub const BATCHING: Batching = Batching { size: 512, concurrency: 2 };

pub struct EventRecorder {
    recorder: Recorder,
    deliveries: Deliveries,
}

impl EventRecorder {
    #[must_use]
    pub fn new(recorder: Recorder, deliveries: Deliveries) -> Self {
        Self { recorder, deliveries }
    }
}

impl Handler for EventRecorder {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        let mut verdicts = vec![Verdict::Done; batch.len()];
        let (mut places, mut leads, mut withdrawals) = (Vec::new(), Vec::new(), Vec::new());
        let mut away = None;
        for (place, delivery) in batch.iter().enumerate() {
            match &delivery.event {
                Event::LeadSubmitted(event) => match Lead::try_from(event.clone()) {
                    Ok(lead) => {
                        places.push(place);
                        leads.push(lead);
                    }
                    Err(invalid) => verdicts[place] = Invalid::from(invalid).into(),
                },
                Event::LeadWithdrawn(event) => match Withdrawal::try_from(event.clone()) {
                    Ok(withdrawal) => withdrawals.push((place, withdrawal)),
                    Err(invalid) => verdicts[place] = invalid.into(),
                },
                // Rare: published only while the CRM does not answer the notifier.
                Event::LeadDelivered(event) => match reports_of_event(event.clone()) {
                    Ok(reports) => {
                        let reporting = self.deliveries.report(&reports);
                        verdicts[place] = unless_away(&mut away, reporting, |()| Verdict::Done).await;
                    }
                    Err(invalid) => verdicts[place] = invalid.into(),
                },
            }
        }
        for (place, verdict) in places.into_iter().zip(self.record(&leads, &mut away).await) {
            verdicts[place] = verdict;
        }
        for (place, withdrawal) in withdrawals {
            let withdrawing = self.recorder.store().transact(&withdrawal);
            verdicts[place] = unless_away(&mut away, withdrawing, |is_stored| match is_stored {
                true => Verdict::Done,
                false => withdrawal::unknown_lead(),
            })
            .await;
        }
        crash::point("crm-sync-committed");
        verdicts
    }

    async fn probe(&self) -> Result<(), Reason> {
        self.recorder.store().check_write().await.map_err(|failure| Reason::from(&failure))
    }
}

impl EventRecorder {
    /// Records all leads at once. If one of them may have made that fail, records one by one, so that only that one
    /// fails.
    async fn record(&self, leads: &[Lead], away: &mut Option<Verdict>) -> Vec<Verdict> {
        if leads.is_empty() {
            return Vec::new();
        }
        let all = self.record_all(leads, away).await;
        if leads.len() == 1 || matches!(all, Verdict::Done | Verdict::Pause(_)) {
            return vec![all; leads.len()];
        }
        let mut verdicts = Vec::with_capacity(leads.len());
        for lead in leads.chunks(1) {
            verdicts.push(self.record_all(lead, away).await);
        }
        verdicts
    }

    async fn record_all(&self, leads: &[Lead], away: &mut Option<Verdict>) -> Verdict {
        unless_away(away, self.recorder.record_leads(Source::Broker, leads), |_| Verdict::Done).await
    }
}

/// The verdict of a recording. Once the database is unavailable, the rest of the batch gets that verdict at once
/// instead of waiting.
async fn unless_away<T>(
    away: &mut Option<Verdict>,
    recording: impl Future<Output = Result<T, StoreError>>,
    verdict: impl FnOnce(T) -> Verdict,
) -> Verdict {
    if let Some(pause) = away {
        return pause.clone();
    }
    let verdict = recording.await.map_or_else(|failure| Verdict::from(&failure), verdict);
    if matches!(verdict, Verdict::Pause(_)) {
        *away = Some(verdict.clone());
    }
    verdict
}
