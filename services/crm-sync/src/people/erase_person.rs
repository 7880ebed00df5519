//! Finds and erases all leads of one person.

use ::lead::Lead;
use std::collections::BTreeSet;

use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, ExprTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
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

/// Leads per transaction; few, because other transactions wait for it.
const BATCH: usize = 200;

impl Store {
    /// The ids of the leads that carry the person's key, or that have a conflict that does, oldest first.
    ///
    /// # Errors
    /// [`StoreError`]
    pub async fn leads_of(&self, person: &Person) -> Result<Vec<Uuid>, StoreError> {
        within(of_person(person).into_tuple().all(&self.reader)).await
    }

    /// Erases a person's leads and those in `also` in batches, and audits each under `client`. Leads in `also` that are
    /// not stored get tombstones. Returns the erased leads.
    ///
    /// # Errors
    /// [`StoreError`]; some may have been erased. May be repeated, and then erases the rest.
    pub async fn erase_person<'a>(
        &self,
        person: impl Into<Option<&'a Person>>,
        also: &[Uuid],
        client: &str,
    ) -> Result<BTreeSet<Uuid>, StoreError> {
        let (person, mut also, mut erased) = (person.into(), also.chunks(BATCH), BTreeSet::new());
        loop {
            let batch = Batch { person, also: also.next().unwrap_or_default(), client };
            let Erased { leads, is_last } = self.transact(&batch).await?;
            self.checkpoint_soon();
            erased.extend(leads);
            if is_last && also.len() == 0 {
                return Ok(erased);
            }
        }
    }
}

struct Batch<'a> {
    person: Option<&'a Person>,
    also: &'a [Uuid],
    client: &'a str,
}

struct Erased {
    leads: BTreeSet<Uuid>,
    /// Whether the person has no more leads.
    is_last: bool,
}

impl UnitOfWork for Batch<'_> {
    const NAME: &'static str = "erase person";

    type Outcome = Erased;

    async fn perform(&self, transaction: &DatabaseTransaction, _: &Store) -> Result<Erased, StoreError> {
        advisory_lock(transaction, TURN).await?;
        hold_news(transaction).await?;
        let found = [&*self.found(transaction).await?, self.also].concat();
        let mut keys = keys_of(transaction, &found).await?;
        let key = self.person.and_then(Person::key);
        keys.extend(key.clone());
        contact::hold(transaction, keys).await?;
        // Later leads wait for the person's key, or meet the tombstone under their id.
        lock(transaction, self.also).await?;
        keep_out(transaction, self.also).await?;
        let found = self.found(transaction).await?;
        let is_last = found.len() < BATCH;
        let leads: BTreeSet<Uuid> = found.into_iter().chain(self.also.iter().copied()).collect();
        let erased = erase(transaction, &leads.iter().copied().collect::<Vec<_>>()).await?;
        contact::drop_unused(transaction, key.into_iter().collect()).await?;
        audit::insert(transaction, self.client, "erase-person", erased).await?;
        Ok(Erased { leads, is_last })
    }
}

impl Batch<'_> {
    /// The person's oldest leads.
    async fn found(&self, transaction: &DatabaseTransaction) -> Result<Vec<Uuid>, StoreError> {
        let Some(person) = self.person else { return Ok(Vec::new()) };
        let select = of_person(person).limit(BATCH as u64);
        Ok(select.into_tuple().all(transaction).await?)
    }
}

fn of_person(person: &Person) -> Select<lead::Entity> {
    let (column, value) = match person {
        Person::Email(email) => (lead::Column::EmailKey, email.as_str()),
        Person::Digits(digits) => (lead::Column::Digits, digits.as_str()),
    };
    let is_theirs = lead::Column::ErasedAt.is_null().and(column.eq(value));
    let has_conflict = lead::Column::Id.in_subquery(conflict::ids_by(column, value));
    lead::Entity::find()
        .select_only()
        .column(lead::Column::Id)
        .filter(is_theirs.or(has_conflict))
        .order_by_asc(lead::Column::SubmittedAt)
        .order_by_asc(lead::Column::Id)
}

/// Stores tombstones for leads that are not stored, so that they never are.
async fn keep_out(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<(), StoreError> {
    let now = now(transaction).await?;
    let rows = ids.iter().map(|id| {
        let nothing = Lead::empty(*id, now);
        lead::to_row(&nothing, &Keys::of(&nothing), None, Source::Erasure)
    });
    record::insert(transaction, &rows.collect::<Vec<_>>()).await?;
    Ok(())
}
