//! Records the queue's events in batches.

use ::lead::Lead;
use chrono::{DateTime, Utc};
use messaging::{Batching, Event, Handler, Reason, Verdict};
use runtime::{clock::SharedClock, crash};

use crate::{
    db::{Result, Store},
    deliveries::report::Reports,
    leads::{
        do_not_contact::Withdrawal,
        record::{Source, parse_lead},
    },
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
    async fn handle(&self, batch: &[Event]) -> Vec<Verdict> {
        let mut verdicts = vec![Verdict::Done; batch.len()];
        let (mut places, mut leads, mut singles) = (Vec::new(), Vec::new(), Vec::new());
        let (mut away, now) = (None, self.clock.now());
        for (place, event) in batch.iter().enumerate() {
            match event.clone() {
                Event::LeadSubmitted(event) => match parse_lead(Some(event), now) {
                    Ok(lead) => {
                        places.push(place);
                        leads.push(lead);
                    }
                    Err(invalid) => verdicts[place] = invalid.into(),
                },
                // Rare: reports come by the broker only while the CRM does not answer notifier.
                event @ (Event::LeadWithdrawn(_) | Event::LeadDelivered(_)) => singles.push((place, event)),
            }
        }
        for (place, verdict) in places.into_iter().zip(self.record(&leads, &mut away).await) {
            verdicts[place] = verdict;
        }
        for (place, event) in singles {
            verdicts[place] = verdict_or_pause(&mut away, self.record_event(event, now)).await;
        }
        crash::point("crm-sync-committed");
        verdicts
    }

    async fn probe(&self) -> Result<(), Reason> {
        self.store.check_write().await.map_err(|failure| Reason::new("database", failure.to_string()))
    }
}

impl EventRecorder {
    /// Records all leads at once. If one of them may have made that fail, records one by one, so that only that one
    /// fails.
    async fn record(&self, leads: &[Lead], away: &mut Option<Verdict>) -> Vec<Verdict> {
        if leads.is_empty() {
            return Vec::new();
        }
        let all = verdict_or_pause(away, self.record_leads(leads)).await;
        if leads.len() == 1 || matches!(all, Verdict::Done | Verdict::Pause(_)) {
            return vec![all; leads.len()];
        }
        let mut verdicts = Vec::with_capacity(leads.len());
        for lead in leads.chunks(1) {
            verdicts.push(verdict_or_pause(away, self.record_leads(lead)).await);
        }
        verdicts
    }

    async fn record_leads(&self, leads: &[Lead]) -> Result<Verdict> {
        let recorded = self.store.record_leads(Source::Broker, leads).await?;
        self.metrics.add_recorded(Source::Broker, recorded, leads);
        Ok(Verdict::Done)
    }

    async fn record_event(&self, event: Event, now: DateTime<Utc>) -> Result<Verdict> {
        match event {
            Event::LeadSubmitted(event) => match parse_lead(Some(event), now) {
                Ok(lead) => self.record_leads(&[lead]).await,
                Err(invalid) => Ok(invalid.into()),
            },
            Event::LeadWithdrawn(event) => match Withdrawal::parse(event) {
                Ok(withdrawal) => {
                    let is_stored = self.store.withdraw(&withdrawal).await?;
                    Ok(if is_stored { Verdict::Done } else { unknown_lead() })
                }
                Err(invalid) => Ok(invalid.into()),
            },
            Event::LeadDelivered(event) => match Reports::parse_event(event, now) {
                Ok(reports) => {
                    let recorded = self.store.report(&reports).await?;
                    self.metrics.add_reported(&reports, recorded);
                    Ok(Verdict::Done)
                }
                Err(invalid) => Ok(invalid.into()),
            },
        }
    }
}

/// The lead of a withdrawal was stored before the email with the link was sent; a database restored from a backup may
/// lack it, so the message is kept.
fn unknown_lead() -> Verdict {
    Verdict::DeadLetter(Reason::new("unknown", "the withdrawn lead is not stored"))
}

/// The verdict of a recording. Once the database is unavailable, the rest of the batch gets that verdict at once
/// instead of waiting.
async fn verdict_or_pause(
    away: &mut Option<Verdict>,
    recording: impl Future<Output = Result<Verdict>>,
) -> Verdict {
    if let Some(pause) = away {
        return pause.clone();
    }
    let verdict = recording.await.unwrap_or_else(Verdict::from);
    if matches!(verdict, Verdict::Pause(_)) {
        *away = Some(verdict.clone());
    }
    verdict
}
