//! Streams leads as they are recorded, by this process or another.

use std::{collections::VecDeque, time::Duration};

use futures_util::{Stream, stream};
use runtime::backoff::Backoff;
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::{filter::Filter, lookup::Position, window::Window};
use crate::{
    db::error::StoreError,
    leads::{recorder::Recorder, stored::StoredLead},
};

/// Time between polls for leads that other processes recorded.
const INTERVAL: Duration = Duration::from_secs(1);

const CHUNK: u64 = 200;

/// Streams leads that pass a filter when first seen, from now on until `stop`. Leads still to be sent stay in the
/// database, so that a slow client costs no memory.
///
/// # Errors
/// [`StoreError`] when the start cannot be read. Later the stream waits for an unavailable database, and ends with any
/// other error.
pub async fn watch(
    recorder: &Recorder,
    filter: Filter,
    stop: CancellationToken,
) -> Result<impl Stream<Item = Result<StoredLead, StoreError>> + Send + use<>, StoreError> {
    let watcher = Watcher::start(recorder.clone(), filter).await?;
    Ok(stream::unfold(Some(watcher), move |watcher| {
        let stop = stop.clone();
        async move {
            let mut watcher = watcher?;
            tokio::select! {
                next = watcher.next() => match next {
                    Ok(lead) => Some((Ok(lead), Some(watcher))),
                    Err(error) => Some((Err(error), None)),
                },
                () = stop.cancelled() => None,
            }
        }
    }))
}

struct Watcher {
    recorder: Recorder,
    recorded: watch::Receiver<()>,
    filter: Filter,
    window: Window,
    /// How far the current pass has come; `None` between passes.
    looking: Option<Position>,
    found: VecDeque<StoredLead>,
    backoff: Backoff,
}

impl Watcher {
    async fn start(recorder: Recorder, filter: Filter) -> Result<Self, StoreError> {
        let recorded = recorder.recorded();
        let store = recorder.store();
        let mut window = Window::new(store.latest_recorded_at().await?);
        let mut looking = Some(window.floor());
        while let Some(place) = looking {
            let places = store.recorded_after(place, CHUNK).await?;
            looking = further(&places);
            window.see(places);
        }
        let (found, backoff) = (VecDeque::new(), Backoff::new());
        Ok(Self { recorder, recorded, filter, window, looking, found, backoff })
    }

    async fn next(&mut self) -> Result<StoredLead, StoreError> {
        loop {
            if let Some(lead) = self.found.pop_front() {
                return Ok(lead);
            }
            match self.look().await {
                Ok(()) => self.backoff.reset(),
                Err(
                    error @ (StoreError::Unavailable(_) | StoreError::Contended(_) | StoreError::Slow(_)),
                ) => {
                    let wait = self.backoff.next_delay();
                    warn!(%error, ?wait, "a watch waits for the database");
                    sleep(wait).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn look(&mut self) -> Result<(), StoreError> {
        let place = match self.looking {
            Some(place) => place,
            None => {
                tokio::select! {
                    // Never fails: `recorder` holds the sender.
                    _ = self.recorded.changed() => {}
                    () = sleep(INTERVAL) => {}
                }
                self.window.floor()
            }
        };
        self.looking = Some(place);
        let store = self.recorder.store();
        let places = store.recorded_after(place, CHUNK).await?;
        let new: Vec<_> = places.iter().filter(|place| self.window.is_new(place)).collect();
        if !new.is_empty() {
            self.found.extend(store.leads(new.iter().map(|place| place.id).collect(), &self.filter).await?);
        }
        self.looking = further(&places);
        self.window.see(places);
        Ok(())
    }
}

/// Where to continue; `None` at the end.
fn further(places: &[Position]) -> Option<Position> {
    places.last().filter(|_| places.len() as u64 == CHUNK).copied()
}
