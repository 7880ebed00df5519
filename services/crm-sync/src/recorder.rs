//! Recording, the same on both roads in: stored once, counted, and told to those who watch.

use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use tokio::sync::watch;

use crate::{
    domain::{lead::Submission, notification::Notification},
    store::{Store, StoreError},
};

/// How something came to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Road {
    /// Through the queue.
    Broker,
    /// By a call.
    Grpc,
}

/// Records leads and notifications. Clones share everything.
#[derive(Clone)]
pub struct Recorder {
    store: Store,
    leads: Counter<u64>,
    notifications: Counter<u64>,
    recorded: watch::Sender<()>,
}

impl Recorder {
    /// Records in this store.
    #[must_use]
    pub fn new(store: Store, meter: &Meter) -> Self {
        let leads = meter
            .u64_counter("crm_leads")
            .with_description("Leads taken, by road and by whether they were new.")
            .build();
        let notifications = meter
            .u64_counter("crm_notifications")
            .with_description("Notifications taken, by road and by whether they were new.")
            .build();
        Self { store, leads, notifications, recorded: watch::Sender::new(()) }
    }

    /// Where it records.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Changes whenever this process has recorded leads that were new.
    #[must_use]
    pub fn recorded(&self) -> watch::Receiver<()> {
        self.recorded.subscribe()
    }

    /// Records leads, all or none, and says how many were new; what was there already stands.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was recorded.
    pub async fn record_leads(&self, road: Road, submissions: &[Submission]) -> Result<u64, StoreError> {
        let created = self.store.insert_leads(submissions).await?;
        count(&self.leads, road, created, submissions.len());
        if created > 0 {
            self.recorded.send_replace(());
        }
        Ok(created)
    }

    /// Records notifications, all or none, and says how many were new; the lead itself may come later.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was recorded.
    pub async fn record_notifications(
        &self,
        road: Road,
        notifications: &[Notification],
    ) -> Result<u64, StoreError> {
        let created = self.store.insert_notifications(notifications).await?;
        count(&self.notifications, road, created, notifications.len());
        Ok(created)
    }
}

fn count(counter: &Counter<u64>, road: Road, created: u64, taken: usize) {
    let road = match road {
        Road::Broker => "broker",
        Road::Grpc => "grpc",
    };
    for (outcome, number) in [("created", created), ("duplicate", (taken as u64).saturating_sub(created))] {
        if number > 0 {
            counter.add(number, &[KeyValue::new("road", road), KeyValue::new("outcome", outcome)]);
        }
    }
}
