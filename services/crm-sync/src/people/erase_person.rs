//! Finds and erases all leads of one person.

use ::lead::Lead;
use std::collections::BTreeSet;

use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::{
    empty::{TURN, erase, keys_of},
    person::Person,
};
use crate::{
    db::{
        Store, audit,
        error::StoreError,
        lock::advisory_lock,
        transaction::{UnitOfWork, now},
        within,
    },
    leads::{
        conflict, contact,
        keys::Keys,
        lead,
        lock::{hold_news, lock},
        record,
        source::Source,
    },
};

const CHUNK: usize = 500;

impl Store {
    /// The ids of the leads that carry the person's key, or that have a conflict that does.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn leads_of(&self, person: &Person) -> Result<Vec<Uuid>, StoreError> {
        within(async { Ok::<_, StoreError>(ids(&self.reader, person).await?.into_iter().collect()) }).await
    }

    /// Erases a person's leads and those in `also`, all or none, and audits it under `client`. Leads in `also` that are
    /// not stored get tombstones. Returns the erased leads.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was erased, or it is unknown whether it was. May be repeated.
    pub async fn erase_person<'a>(
        &self,
        person: impl Into<Option<&'a Person>>,
        also: &[Uuid],
        client: &str,
    ) -> Result<Vec<Uuid>, StoreError> {
        let erased = self.transact(&Erasure { person: person.into(), also, client }).await?;
        self.checkpoint_soon();
        Ok(erased)
    }
}

struct Erasure<'a> {
    person: Option<&'a Person>,
    also: &'a [Uuid],
    client: &'a str,
}

impl UnitOfWork for Erasure<'_> {
    const NAME: &'static str = "erase person";

    type Outcome = Vec<Uuid>;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Vec<Uuid>, StoreError> {
        advisory_lock(transaction, TURN).await?;
        hold_news(transaction).await?;
        let found: Vec<Uuid> = self.named_and_found(transaction).await?;
        let mut keys = keys_of(transaction, &found).await?;
        let key = self.person.and_then(Person::key);
        keys.extend(key.clone());
        contact::hold(transaction, keys).await?;
        // Later leads wait for the person's key, or meet the tombstone under their id.
        lock(transaction, self.also).await?;
        keep_out(transaction, self.also).await?;
        let all = self.named_and_found(transaction).await?;
        let erased = erase(transaction, &all).await?;
        contact::drop_unused(transaction, key.into_iter().collect()).await?;
        audit::insert(transaction, self.client, "erase-person", erased).await?;
        Ok(all)
    }
}

impl Erasure<'_> {
    async fn named_and_found(&self, transaction: &DatabaseTransaction) -> Result<Vec<Uuid>, StoreError> {
        let mut all = match self.person {
            Some(person) => ids(transaction, person).await?,
            None => BTreeSet::new(),
        };
        all.extend(self.also);
        Ok(all.into_iter().collect())
    }
}

async fn ids(connection: &impl ConnectionTrait, person: &Person) -> Result<BTreeSet<Uuid>, StoreError> {
    let (column, value) = match person {
        Person::Email(email) => (lead::Column::EmailKey, email.as_str()),
        Person::Digits(digits) => (lead::Column::Digits, digits.as_str()),
    };
    let leads: Vec<Uuid> = lead::Entity::find()
        .select_only()
        .column(lead::Column::Id)
        .filter(column.eq(value))
        .into_tuple()
        .all(connection)
        .await?;
    let conflicts = conflict::ids_by(connection, column, value).await?;
    Ok(leads.into_iter().chain(conflicts).collect())
}

/// Stores tombstones for leads that are not stored, so that they never are.
async fn keep_out(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<(), StoreError> {
    let now = now(transaction).await?;
    for ids in ids.chunks(CHUNK) {
        let rows = ids.iter().map(|id| {
            let nothing = Lead::empty(*id, now);
            lead::to_row(&nothing, &Keys::of(&nothing), None, Source::Erasure)
        });
        record::insert(transaction, &rows.collect::<Vec<_>>()).await?;
    }
    Ok(())
}
