//! What this process has told already: the answer when the ledger cannot be asked, or has not heard of it yet.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use lettre::Address;
use tokio::sync::OwnedMutexGuard;

use crate::{
    mail::MessageId,
    wire::{Notification, Submission},
};

/// How far one mail has come, as far as this process knows.
#[derive(Default)]
pub(super) struct Progress {
    /// The mail server took it.
    pub(super) notification: Option<Notification>,
    /// The broker took the news.
    pub(super) published: bool,
    /// The ledger knows.
    pub(super) settled: bool,
    /// What came about it while the ledger did not answer, and may be stored nowhere.
    pub(super) unseen: Vec<(Submission, Address)>,
}

impl Progress {
    /// Whether there is nothing left to mail.
    pub(super) fn is_told(&self) -> bool {
        self.settled || self.notification.is_some()
    }

    /// Whether the ledger has yet to hear of what this process did.
    pub(super) fn is_owed(&self) -> bool {
        !self.unseen.is_empty() || (self.notification.is_some() && !self.settled)
    }
}

/// Held by whoever works on the mail.
pub(super) type Entry = tokio::sync::Mutex<Progress>;

/// The progress of the latest mails; of older ones it knows nothing.
pub(super) struct Told {
    latest: Mutex<Latest>,
    capacity: usize,
}

#[derive(Default)]
struct Latest {
    by_id: HashMap<MessageId, Arc<Entry>>,
    oldest_first: VecDeque<MessageId>,
}

impl Told {
    pub(super) fn new(capacity: usize) -> Self {
        Self { latest: Mutex::default(), capacity }
    }

    /// What the ledger has yet to hear of, and that nobody is at, the oldest first.
    pub(super) fn owed(&self) -> Vec<OwnedMutexGuard<Progress>> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = latest.oldest_first.iter().filter_map(|id| latest.by_id.get(id));
        let at_rest = entries.filter_map(|entry| Arc::clone(entry).try_lock_owned().ok());
        at_rest.filter(|progress| progress.is_owed()).collect()
    }

    pub(super) fn entry(&self, id: &MessageId) -> Arc<Entry> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = latest.by_id.get(id) {
            return Arc::clone(entry);
        }
        if latest.oldest_first.len() >= self.capacity
            && let Some(oldest) = latest.oldest_first.pop_front()
        {
            latest.by_id.remove(&oldest);
        }
        let entry = Arc::new(Entry::default());
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

    #[test]
    fn the_latest_are_remembered_and_no_more() {
        let told = Told::new(2);
        let (first, second) = (told.entry(&id(1)), told.entry(&id(2)));
        assert!(Arc::ptr_eq(&first, &told.entry(&id(1))));
        told.entry(&id(3));
        assert!(Arc::ptr_eq(&second, &told.entry(&id(2))));
        assert!(!Arc::ptr_eq(&first, &told.entry(&id(1))));
        assert_eq!(told.latest.lock().unwrap().by_id.len(), 2);
    }
}
