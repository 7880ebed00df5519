//! Mails this process sent recently, used when the CRM does not answer or has no report yet.

use parking_lot::Mutex;
use std::{collections::BTreeMap, num::NonZeroUsize, sync::Arc};

use lru::LruCache;
use uuid::Uuid;

use crate::crm::outcome::Delivered;

/// Number of leads remembered, about a few megabytes.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(8192).expect("8192 is not zero");

/// Delivered mails about one lead, by recipient.
pub(super) type Sent = BTreeMap<String, Delivered>;

pub(super) struct SentMails(Mutex<LruCache<Uuid, Arc<tokio::sync::Mutex<Sent>>>>);

impl SentMails {
    pub(super) fn new() -> Self {
        Self(Mutex::new(LruCache::new(REMEMBERED)))
    }

    /// The record of mails sent for a lead, locked by one task at a time.
    pub(super) fn of(&self, lead: Uuid) -> Arc<tokio::sync::Mutex<Sent>> {
        let mut leads = self.0.lock();
        Arc::clone(leads.get_or_insert(lead, Arc::default))
    }
}
