//! What this process has told already: the answer when the ledger cannot be asked, or has not heard of it yet.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use lettre::Address;
use tokio::sync::OwnedMutexGuard;
use uuid::Uuid;

use crate::{
    recipients::Recipient,
    wire::{Fingerprint, Notification, Submission},
};

/// How far one mail has come, as far as this process knows.
#[derive(Default)]
pub(super) struct Progress {
    /// The mail server took it.
    pub(super) notification: Option<Notification>,
    /// What it was about.
    pub(super) about: Option<Fingerprint>,
    /// The broker took the news.
    pub(super) published: bool,
    /// The ledger knows.
    pub(super) settled: bool,
    /// What was mailed while the ledger did not answer, and may be stored nowhere.
    pub(super) unseen: Option<(Submission, Address)>,
}

impl Progress {
    /// Whether there is nothing left to mail.
    pub(super) fn is_told(&self) -> bool {
        self.settled || self.notification.is_some()
    }

    /// The lead was erased: nothing is left to mail or to say, and nothing of it is kept.
    pub(super) fn forget(&mut self) {
        *self = Self { settled: true, ..Self::default() };
    }

    /// Whether the ledger has yet to hear of what this process did.
    pub(super) fn is_owed(&self) -> bool {
        self.unseen.is_some() || (self.notification.is_some() && !self.settled)
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
    by_key: HashMap<Key, Arc<Entry>>,
    oldest_first: VecDeque<Key>,
}

/// A lead, and the name of one who is told of it.
type Key = (Uuid, String);

impl Told {
    pub(super) fn new(capacity: usize) -> Self {
        Self { latest: Mutex::default(), capacity }
    }

    /// What the ledger has yet to hear of, and that nobody is at, the oldest first.
    pub(super) fn owed(&self) -> Vec<OwnedMutexGuard<Progress>> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = latest.oldest_first.iter().filter_map(|key| latest.by_key.get(key));
        let at_rest = entries.filter_map(|entry| Arc::clone(entry).try_lock_owned().ok());
        at_rest.filter(|progress| progress.is_owed()).collect()
    }

    pub(super) fn entry(&self, lead: Uuid, recipient: Recipient<'_>) -> Arc<Entry> {
        let key = (lead, recipient.name().to_ascii_lowercase());
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = latest.by_key.get(&key) {
            return Arc::clone(entry);
        }
        if latest.oldest_first.len() >= self.capacity
            && let Some(oldest) = latest.oldest_first.pop_front()
        {
            latest.by_key.remove(&oldest);
        }
        let entry = Arc::new(Entry::default());
        latest.by_key.insert(key.clone(), Arc::clone(&entry));
        latest.oldest_first.push_back(key);
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_remembered_and_no_more() {
        let (told, address) = (Told::new(2), "sales@x.co".parse().unwrap());
        let entry = |lead| told.entry(Uuid::from_u128(lead), Recipient::Sales(&address));
        let (first, second) = (entry(1), entry(2));
        assert!(Arc::ptr_eq(&first, &entry(1)));
        entry(3);
        assert!(Arc::ptr_eq(&second, &entry(2)));
        assert!(!Arc::ptr_eq(&first, &entry(1)));
        assert_eq!(told.latest.lock().unwrap().by_key.len(), 2);
    }
}
