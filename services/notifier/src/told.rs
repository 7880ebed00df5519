//! What this process has told already, so that an event that comes twice is not mailed twice.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use chrono::{DateTime, Utc};

use crate::{mail::MessageId, smtp::Accepted};

/// How far one mail has come.
pub(crate) enum Progress {
    /// Not sent, or nobody knows.
    Untold,
    /// The mail server took it then; this has not been published.
    Told(Accepted, DateTime<Utc>),
    /// It has, and everybody knows.
    Published,
}

/// Held by whoever works on the mail.
pub(crate) type Entry = tokio::sync::Mutex<Progress>;

/// The progress of the latest mails; of older ones it knows nothing.
pub(crate) struct Told {
    latest: Mutex<Latest>,
    capacity: usize,
}

#[derive(Default)]
struct Latest {
    by_id: HashMap<MessageId, Arc<Entry>>,
    oldest_first: VecDeque<MessageId>,
}

impl Told {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { latest: Mutex::default(), capacity }
    }

    pub(crate) fn entry(&self, id: &MessageId) -> Arc<Entry> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = latest.by_id.get(id) {
            return Arc::clone(entry);
        }
        if latest.oldest_first.len() >= self.capacity
            && let Some(oldest) = latest.oldest_first.pop_front()
        {
            latest.by_id.remove(&oldest);
        }
        let entry = Arc::new(Entry::new(Progress::Untold));
        latest.by_id.insert(id.clone(), Arc::clone(&entry));
        latest.oldest_first.push_back(id.clone());
        entry
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(lead: u128) -> MessageId {
        let address = "sales@x.co".parse().unwrap();
        MessageId::new(Uuid::from_u128(lead), &address, &address)
    }

    #[tokio::test]
    async fn the_latest_are_remembered_and_no_more() {
        let told = Told::new(2);
        for lead in [1, 2] {
            *told.entry(&id(lead)).lock().await = Progress::Published;
        }
        assert!(matches!(*told.entry(&id(1)).lock().await, Progress::Published));
        told.entry(&id(3));
        assert!(matches!(*told.entry(&id(2)).lock().await, Progress::Published));
        assert!(matches!(*told.entry(&id(1)).lock().await, Progress::Untold));
        assert_eq!(told.latest.lock().unwrap().by_id.len(), 2);
    }
}
