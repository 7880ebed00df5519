//! Records the queue's events in batches.

use chrono::{DateTime, Utc};
use lead::Lead;
use messaging::{Batching, Event, Handler, Reason, Verdict};
use runtime::{clock::SharedClock, crash};

use crate::{
    db::Store,
    deliveries::Reports,
    leads::{Source, Withdrawal, parse_lead},
    metrics::Metrics,
};

/// A batch of 512 spreads the cost of a commit, bounds the repeated work after a failure, and fits into 40 MB.
pub const BATCHING: Batching = Batching {
    size: 512,
    concurrency: 2,
};

pub struct EventRecorder {
    pub store: Store,
    pub metrics: Metrics,
    pub clock: SharedClock,
}

impl Handler for EventRecorder {
    /// Records all leads in one transaction. If a lead may have caused a failure, records each lead in a separate
    /// transaction, so only that lead fails. A pause applies to the rest of the batch, without further queries.
    async fn handle(&self, batch: &[Event]) -> Vec<Verdict> {
        let now = self.clock.now();
        let valid_lead = |event: &Event| match event {
            Event::LeadSubmitted(lead) => parse_lead(Some(lead.clone()), now).ok(),
            Event::LeadWithdrawn(_) | Event::LeadDelivered(_) => None,
        };
        let leads = batch
            .iter()
            .enumerate()
            .filter_map(|(place, it)| Some((place, valid_lead(it)?)));
        let (places, leads): (Vec<usize>, Vec<Lead>) = leads.unzip();
        let mut verdicts = vec![None; batch.len()];
        if !leads.is_empty() {
            let verdict = self
                .record_leads(&leads)
                .await
                .err()
                .unwrap_or(Verdict::Done);
            if leads.len() == 1 || matches!(verdict, Verdict::Done | Verdict::Pause(_)) {
                places
                    .into_iter()
                    .for_each(|place| verdicts[place] = Some(verdict.clone()));
            }
        }
        // Other events are rare: notifier publishes reports only while crm-sync is unavailable.
        for (place, event) in batch.iter().enumerate() {
            if verdicts[place].is_none() {
                let pause = verdicts
                    .iter()
                    .flatten()
                    .find(|it| matches!(it, Verdict::Pause(_)))
                    .cloned();
                verdicts[place] = Some(match pause {
                    Some(pause) => pause,
                    None => self
                        .record_event(event.clone(), now)
                        .await
                        .err()
                        .unwrap_or(Verdict::Done),
                });
            }
        }
        crash::point("crm-sync-committed");
        verdicts.into_iter().flatten().collect()
    }

    async fn probe(&self) -> Result<(), Reason> {
        self.store
            .check_write()
            .await
            .map_err(|failure| Reason::new("database", failure.to_string()))
    }
}

impl EventRecorder {
    async fn record_leads(&self, leads: &[Lead]) -> Result<(), Verdict> {
        let recorded = self.store.record_leads(Source::Broker, leads).await?;
        self.metrics.add_recorded(Source::Broker, recorded, leads);
        Ok(())
    }

    async fn record_event(&self, event: Event, now: DateTime<Utc>) -> Result<(), Verdict> {
        match event {
            Event::LeadSubmitted(event) => {
                self.record_leads(&[parse_lead(Some(event), now)?]).await
            }
            Event::LeadWithdrawn(event) => Ok(self
                .store
                .withdraw(&Withdrawal::parse(Some(event))?)
                .await?),
            Event::LeadDelivered(event) => {
                let reports = Reports::parse_event(event, now)?;
                let recorded = self.store.report(&reports).await?;
                self.metrics.add_reported(&reports, recorded);
                Ok(())
            }
        }
    }
}
