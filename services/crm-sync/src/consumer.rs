//! Records the queue's events in batches.

use ::lead::Lead;
use messaging::{Batching, Delivery, Event, Handler, Reason, Verdict};
use runtime::{clock::SharedClock, crash};

use crate::{
    db::{Store, error::StoreError},
    deliveries::report::Reports,
    grpc::{
        deliveries::parse_event,
        leads::{parse_lead, parse_withdrawal},
    },
    leads::stored::Source,
    metrics::Metrics,
};

/// Large enough to spread the cost of a commit, small enough to repeat little when one fails and to fit into 40 MB.
pub const BATCHING: Batching = Batching { size: 512, concurrency: 2 };

pub struct EventRecorder {
    pub store: Store,
    pub metrics: Metrics,
    pub clock: SharedClock,
}

impl Handler for EventRecorder {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        let mut verdicts = vec![Verdict::Done; batch.len()];
        let (mut places, mut leads, mut withdrawals) = (Vec::new(), Vec::new(), Vec::new());
        let (mut away, now) = (None, self.clock.now());
        for (place, delivery) in batch.iter().enumerate() {
            match &delivery.event {
                Event::LeadSubmitted(event) => match parse_lead(Some(event.clone()), now) {
                    Ok(lead) => {
                        places.push(place);
                        leads.push(lead);
                    }
                    Err(invalid) => verdicts[place] = invalid.into(),
                },
                Event::LeadWithdrawn(event) => match parse_withdrawal(event.clone()) {
                    Ok(withdrawal) => withdrawals.push((place, withdrawal)),
                    Err(invalid) => verdicts[place] = invalid.into(),
                },
                // Rare: published only while the CRM does not answer the notifier.
                Event::LeadDelivered(event) => match parse_event(event.clone(), now) {
                    Ok(reports) => {
                        let reporting = self.report(&reports);
                        verdicts[place] = verdict_or_pause(&mut away, reporting, |()| Verdict::Done).await;
                    }
                    Err(invalid) => verdicts[place] = invalid.into(),
                },
            }
        }
        for (place, verdict) in places.into_iter().zip(self.record(&leads, &mut away).await) {
            verdicts[place] = verdict;
        }
        for (place, withdrawal) in withdrawals {
            let withdrawing = self.store.withdraw(&withdrawal);
            verdicts[place] = verdict_or_pause(&mut away, withdrawing, |is_stored| match is_stored {
                true => Verdict::Done,
                false => unknown_lead(),
            })
            .await;
        }
        crash::point("crm-sync-committed");
        verdicts
    }

    async fn probe(&self) -> Result<(), Reason> {
        self.store.check_write().await.map_err(|failure| Reason::from(&failure))
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

    async fn record_leads(&self, leads: &[Lead]) -> Result<(), StoreError> {
        let recorded = self.store.record_leads(Source::Broker, leads).await?;
        self.metrics.add_recorded(Source::Broker, recorded, leads);
        Ok(())
    }

    async fn report(&self, reports: &Reports) -> Result<(), StoreError> {
        let recorded = self.store.report(reports).await?;
        self.metrics.add_reported(reports, recorded);
        Ok(())
    }

    async fn record_all(&self, leads: &[Lead], away: &mut Option<Verdict>) -> Verdict {
        verdict_or_pause(away, self.record_leads(leads), |_| Verdict::Done).await
    }
}

/// The lead of a withdrawal was stored before the email with the link was sent; a database restored from a backup may
/// lack it, so the message is kept.
fn unknown_lead() -> Verdict {
    Verdict::DeadLetter(Reason::new("unknown", "the withdrawn lead is not stored"))
}

/// The verdict of a recording. Once the database is unavailable, the rest of the batch gets that verdict at once
/// instead of waiting.
async fn verdict_or_pause<T>(
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
