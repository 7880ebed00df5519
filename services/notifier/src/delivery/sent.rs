//! What this process has mailed lately: the answer when the CRM cannot be asked, or has not heard of it yet.

use parking_lot::Mutex;
use std::{collections::BTreeMap, num::NonZeroUsize, sync::Arc};

use lru::LruCache;
use uuid::Uuid;

use crate::crm::outcome::Delivered;

/// How many leads are remembered: a few megabytes.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(8192).expect("8192 is not zero");

/// The mails about one lead that were delivered, by recipient.
pub(super) type Sent = BTreeMap<String, Delivered>;

pub(super) struct SentMails(Mutex<LruCache<Uuid, Arc<tokio::sync::Mutex<Sent>>>>);

impl SentMails {
    pub(super) fn new() -> Self {
        Self(Mutex::new(LruCache::new(REMEMBERED)))
    }

    /// What was mailed about a lead, for one task at a time.
    pub(super) fn of(&self, lead: Uuid) -> Arc<tokio::sync::Mutex<Sent>> {
        let mut leads = self.0.lock();
        Arc::clone(leads.get_or_insert(lead, Arc::default))
    }
}
