//! Records the queue's events in batches.

use ::lead::Lead;
use messaging::{Batching, Delivery, Event, Handler, Reason, Verdict};
use runtime::{clock::SharedClock, crash};

use crate::{
    db::{Result, Store},
    deliveries::report::Reports,
    grpc::{
        deliveries::parse_event,
        leads::{parse_lead, parse_withdrawal},
    },
    leads::{do_not_contact::Withdrawal, record::Source},
    metrics::Metrics,
};

/// Large enough to spread the cost of a commit, small enough to repeat little when one fails and to fit into 40 MB.
pub const BATCHING: Batching = Batching { size: 512, concurrency: 2 };

pub struct EventRecorder {
    pub store: Store,
    pub metrics: Metrics,
    pub clock: SharedClock,
}

/// An event that is recorded by itself.
enum Single {
    Withdrawal(Withdrawal),
    /// Rare: published only while the CRM does not answer the notifier.
    Reports(Box<Reports>),
}

impl Handler for EventRecorder {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        let mut verdicts = vec![Verdict::Done; batch.len()];
        let (mut places, mut leads, mut singles) = (Vec::new(), Vec::new(), Vec::new());
        let (mut away, now) = (None, self.clock.now());
        for (place, delivery) in batch.iter().enumerate() {
            let parsed = match delivery.event.clone() {
                Event::LeadSubmitted(event) => parse_lead(Some(event), now).map(|lead| {
                    places.push(place);
                    leads.push(lead);
                }),
                Event::LeadWithdrawn(event) => {
                    parse_withdrawal(event).map(|it| singles.push((place, Single::Withdrawal(it))))
                }
                Event::LeadDelivered(event) => {
                    parse_event(event, now).map(|it| singles.push((place, Single::Reports(Box::new(it)))))
                }
            };
            if let Err(invalid) = parsed {
                verdicts[place] = invalid.into();
            }
        }
        for (place, verdict) in places.into_iter().zip(self.record(&leads, &mut away).await) {
            verdicts[place] = verdict;
        }
        for (place, single) in singles {
            verdicts[place] = verdict_or_pause(&mut away, self.record_single(single)).await;
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

    async fn record_single(&self, single: Single) -> Result<Verdict> {
        match single {
            Single::Withdrawal(withdrawal) => {
                let is_stored = self.store.withdraw(&withdrawal).await?;
                Ok(if is_stored { Verdict::Done } else { unknown_lead() })
            }
            Single::Reports(reports) => {
                let recorded = self.store.report(&reports).await?;
                self.metrics.add_reported(&reports, recorded);
                Ok(Verdict::Done)
            }
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
    let verdict = recording.await.unwrap_or_else(|failure| Verdict::from(&failure));
    if matches!(verdict, Verdict::Pause(_)) {
        *away = Some(verdict.clone());
    }
    verdict
}
