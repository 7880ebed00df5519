//! Exports and erases all data about a person, with an audit.

pub mod assign;
pub(crate) mod empty;
mod erase_person;
pub(crate) mod grpc;
pub mod person;
mod retention;

use std::collections::BTreeSet;

use chrono::TimeDelta;
use contracts::crm::v1 as crm;
use futures_util::{Stream, StreamExt, stream};
use opentelemetry::{
    KeyValue,
    metrics::{Counter, Meter},
};
use tracing::{info, warn};
use uuid::Uuid;

use self::person::Person;
use crate::db::{Store, error::StoreError};

/// Leads with their history in one message: far less than a client accepts.
const PAGE: usize = 50;

/// The operations on people. Clones share everything.
#[derive(Clone)]
pub struct People {
    store: Store,
    erased: Counter<u64>,
}

impl People {
    #[must_use]
    pub fn new(store: Store, meter: &Meter) -> Self {
        let erased = meter
            .u64_counter("crm_erased_leads")
            .with_description("Leads erased, by cause (person or retention).")
            .build();
        Self { store, erased }
    }

    /// Pages of all leads of a person with their history, oldest first.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn export(
        &self,
        person: &Person,
        client: &str,
    ) -> Result<impl Stream<Item = Result<Vec<crm::Lead>, StoreError>> + use<>, StoreError> {
        let ids = self.store.leads_of(person).await?;
        // Audited before it is given out.
        self.store.audit(client, "export-person", ids.len() as u64).await?;
        info!(client, leads = ids.len(), "ExportPerson");
        let pages: Vec<_> = ids.chunks(PAGE).map(<[Uuid]>::to_vec).collect();
        let store = self.store.clone();
        Ok(stream::iter(pages).then(move |ids| {
            let store = store.clone();
            async move {
                let mut leads = store.leads(ids).await?;
                leads.sort_by_key(|lead| (lead.submission.submitted_at, lead.submission.id));
                store.with_history(leads).await
            }
        }))
    }

    /// Erases a person's leads and those in `also`, whether they are stored or not. Returns the erased leads.
    ///
    /// # Errors
    /// [`StoreError`]; some may have been erased. May be repeated, and then erases the rest.
    pub async fn erase<'a>(
        &self,
        person: impl Into<Option<&'a Person>>,
        also: &[Uuid],
        client: &str,
    ) -> Result<BTreeSet<Uuid>, StoreError> {
        let erased = self.store.erase_person(person, also, client).await?;
        self.erased.add(erased.len() as u64, &[KeyValue::new("cause", "person")]);
        Ok(erased)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Erases a batch of leads older than `age`; returns their number, 0 when none is left.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was erased, or it is unknown whether it was.
    pub async fn erase_older_than(&self, age: TimeDelta) -> Result<u64, StoreError> {
        let erased = self.store.erase_older_than(age).await?;
        if erased > 0 {
            self.erased.add(erased, &[KeyValue::new("cause", "retention")]);
        }
        Ok(erased)
    }

    /// Truncates SQLite's log, which may hold erased data. A failure is repeated by the next call.
    pub async fn checkpoint(&self) {
        match self.store.checkpoint().await {
            Ok(true) => {}
            Ok(false) => warn!("SQLite log not truncated, it may contain erased data; retrying"),
            Err(error) => warn!(%error, "SQLite log not truncated, it may contain erased data; retrying"),
        }
    }
}
