//! Records the queue's events in batches.

use chrono::{DateTime, Utc};
use lead::Lead;
use messaging::{Batching, Event, Handler, Reason, Verdict};
use runtime::{clock::SharedClock, crash};

use crate::{
    db::{Store, error::StoreError},
    deliveries::Reports,
    error::Invalid,
    leads::{LateConsent, Source, Withdrawal, parse_lead},
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

/// An event was not recorded.
#[derive(Debug, thiserror::Error)]
enum RecordError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The visitor agreed a moment after they sent the form, and another batch has the lead.
    #[error("the lead is not stored yet")]
    NotStoredYet,
}

impl RecordError {
    fn is_temporary(&self) -> bool {
        match self {
            Self::Store(error) => error.is_temporary(),
            Self::Invalid(_) => false,
            Self::NotStoredYet => true,
        }
    }
}

impl From<RecordError> for Verdict {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Store(error) => error.into(),
            RecordError::Invalid(error) => error.into(),
            RecordError::NotStoredYet => Self::Retry(Reason::new("unknown", error.to_string())),
        }
    }
}

fn to_verdict(recorded: Result<(), RecordError>) -> Verdict {
    recorded.map_or_else(Verdict::from, |()| Verdict::Done)
}

impl Handler for EventRecorder {
    /// Records all leads in one transaction. If a lead may have caused a failure, records each lead in a separate
    /// transaction, so only that lead fails. The verdict of a temporary error applies to the rest of the batch, without
    /// further queries, which may all wait for a timeout.
    async fn handle(&self, batch: &[Event]) -> Vec<Verdict> {
        let now = self.clock.now();
        let valid_lead = |event: &Event| match event {
            Event::LeadSubmitted(lead) => parse_lead(Some(lead.clone()), now).ok(),
            Event::LeadWithdrawn(_) | Event::LeadConsented(_) | Event::LeadDelivered(_) => None,
        };
        let leads = batch
            .iter()
            .enumerate()
            .filter_map(|(place, it)| Some((place, valid_lead(it)?)));
        let (places, leads): (Vec<usize>, Vec<Lead>) = leads.unzip();
        let mut verdicts = vec![None; batch.len()];
        let mut verdict_of_rest = None;
        if !leads.is_empty() {
            let recorded = self.record_leads(&leads).await;
            let is_temporary = recorded.as_ref().is_err_and(RecordError::is_temporary);
            if recorded.is_ok() || is_temporary || leads.len() == 1 {
                let verdict = to_verdict(recorded);
                for place in places {
                    verdicts[place] = Some(verdict.clone());
                }
                verdict_of_rest = is_temporary.then_some(verdict);
            }
        }
        // Other events are rare: notifier publishes reports only while crm-sync is unavailable.
        for (event, verdict) in batch.iter().zip(&mut verdicts) {
            if verdict.is_some() {
                continue;
            }
            if verdict_of_rest.is_some() {
                verdict.clone_from(&verdict_of_rest);
                continue;
            }
            let recorded = self.record_event(event.clone(), now).await;
            let is_temporary = recorded.as_ref().is_err_and(RecordError::is_temporary);
            *verdict = Some(to_verdict(recorded));
            if is_temporary {
                verdict_of_rest.clone_from(verdict);
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
    async fn record_leads(&self, leads: &[Lead]) -> Result<(), RecordError> {
        let recorded = self.store.record_leads(Source::Broker, leads).await?;
        self.metrics.add_recorded(Source::Broker, recorded, leads);
        Ok(())
    }

    async fn record_event(&self, event: Event, now: DateTime<Utc>) -> Result<(), RecordError> {
        match event {
            Event::LeadSubmitted(event) => {
                self.record_leads(&[parse_lead(Some(event), now)?]).await
            }
            Event::LeadWithdrawn(event) => Ok(self
                .store
                .withdraw(&Withdrawal::parse(Some(event))?)
                .await?),
            Event::LeadConsented(event) => {
                let consent = LateConsent::parse(Some(event), now)?;
                match self.store.record_consent(&consent).await {
                    Err(StoreError::NoSuchLead(_)) => Err(RecordError::NotStoredYet),
                    recorded => Ok(recorded?),
                }
            }
            Event::LeadDelivered(event) => {
                let reports = Reports::parse_event(event, now)?;
                let recorded = self.store.report(&reports).await?;
                self.metrics.add_reported(&reports, recorded);
                Ok(())
            }
        }
    }
}
