//! The road through the queue: batches of events into the store.

use futures_util::{FutureExt, TryFutureExt, future::BoxFuture};
use messaging::{Batching, Delivery, Event, Handler, Reason, Verdict};
use runtime::crash;

use crate::{domain::road::Road, ledger::Ledger, recorder::Recorder, store::StoreError, wire};

/// Large enough to make a commit worth its while, small enough that little comes again when one fails.
pub const BATCHING: Batching = Batching { size: 256, concurrency: 2 };

/// Records what the queue brings.
pub struct EventRecorder {
    recorder: Recorder,
    ledger: Ledger,
}

impl EventRecorder {
    /// Records with this.
    #[must_use]
    pub fn new(recorder: Recorder, ledger: Ledger) -> Self {
        Self { recorder, ledger }
    }
}

impl Handler for EventRecorder {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        let mut verdicts = vec![Verdict::Done; batch.len()];
        let (mut leads, mut told) = (Group::default(), Group::default());
        for (index, delivery) in batch.iter().enumerate() {
            let taken = match &delivery.event {
                Event::LeadSubmitted(event) => {
                    wire::submission(event.clone()).map(|item| leads.push(index, item))
                }
                Event::LeadNotified(event) => wire::told(event.clone()).map(|mut item| {
                    leads.extend(item.lead.take().map(|lead| (index, *lead)));
                    told.push(index, item);
                }),
            };
            if let Err(invalid) = taken {
                verdicts[index] = invalid.into();
            }
        }
        let Self { recorder, ledger } = self;
        let record = |items| recorder.record_leads(Road::Broker, items).map_ok(drop).boxed();
        leads.record(&mut verdicts, record).await;
        told.record(&mut verdicts, |items| ledger.tell(Road::Broker, items).boxed()).await;
        crash::point("crm-sync-committed");
        verdicts
    }

    async fn probe(&self) -> Result<(), Reason> {
        self.recorder.store().probe().await.map_err(|failure| Reason::from(&failure))
    }
}

/// Events of one kind, with their places in the batch.
struct Group<T> {
    places: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for Group<T> {
    fn default() -> Self {
        Self { places: Vec::new(), items: Vec::new() }
    }
}

impl<T> Group<T> {
    fn push(&mut self, place: usize, item: T) {
        self.extend([(place, item)]);
    }

    fn extend(&mut self, items: impl IntoIterator<Item = (usize, T)>) {
        for (place, item) in items {
            self.places.push(place);
            self.items.push(item);
        }
    }

    /// Records all at once or, when the database refuses a value among them, one by one, so that only that one is
    /// parked.
    async fn record<'a>(
        &'a self,
        verdicts: &mut [Verdict],
        record: impl Fn(&'a [T]) -> BoxFuture<'a, Result<(), StoreError>> + Send,
    ) where
        T: Sync,
    {
        if self.items.is_empty() {
            return;
        }
        match record(&self.items).await {
            Ok(()) => {}
            Err(StoreError::Refused(_)) if self.items.len() > 1 => {
                for (item, place) in self.items.chunks(1).zip(&self.places) {
                    if let Err(failure) = record(item).await {
                        verdicts[*place] = Verdict::from(&failure);
                    }
                }
            }
            Err(failure) => {
                for place in &self.places {
                    verdicts[*place] = Verdict::from(&failure);
                }
            }
        }
    }
}
