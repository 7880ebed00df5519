//! Erases people: empties the personal columns of their leads, and keeps the rows as tombstones that block later copies.

use ::lead::{EmailKey, Lead, Telephone, digits};
use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ColumnType, Condition, DatabaseTransaction, EntityTrait, ExprTrait, Iterable, QueryFilter,
    QueryOrder, QuerySelect, Select, sea_query::Expr,
};
use uuid::Uuid;

use crate::{
    db::{
        Store, audit,
        error::StoreError,
        transaction::{advisory_lock, now},
        with_timeout,
    },
    deliveries::delivery,
    leads::{
        conflict, contact,
        keys::{Key, Keys},
        lead,
        lock::{lock, lock_unknown_leads},
        record,
        stored::Source,
        timeline,
    },
};

/// Fewer digits do not identify a person.
const FEWEST_DIGITS: usize = 5;

/// Whom to export or erase. Does not implement `Debug`: it is personal.
#[derive(Clone, PartialEq, Eq)]
pub enum Person {
    Email(EmailKey),
    /// The digits of a number, with its country code when known. Several people may share them.
    Digits(String),
}

impl Person {
    /// Reads an address, a telephone number or at least 5 digits; `None` for anything else.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        if typed.contains('@') {
            return Some(Self::Email(EmailKey::of(typed)));
        }
        let digits = match Telephone::read(typed) {
            Some(telephone) => telephone.digits().to_owned(),
            None => digits(typed),
        };
        (digits.len() >= FEWEST_DIGITS).then_some(Self::Digits(digits))
    }

    /// `None` for digits, which do not identify a contact.
    #[must_use]
    pub fn key(&self) -> Option<Key> {
        match self {
            Self::Email(email) => Some(Key::Email(email.clone())),
            Self::Digits(_) => None,
        }
    }
}

/// Leads per transaction; few, because other transactions wait for it.
const BATCH: usize = 200;

impl Store {
    /// The ids of the leads that carry the person's key, or that have a conflict that does, oldest first.
    pub async fn leads_of(&self, person: &Person) -> Result<Vec<Uuid>, StoreError> {
        with_timeout(of_person(person).into_tuple().all(&self.reader)).await
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
            let batch = &Batch { person, also: also.next().unwrap_or_default(), client };
            let Erased { leads, is_last } = self
                .write("erase person", |transaction| async move { batch.erase(&transaction).await })
                .await?;
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

impl Batch<'_> {
    async fn erase(&self, transaction: &DatabaseTransaction) -> Result<Erased, StoreError> {
        advisory_lock(transaction, ERASURE_LOCK).await?;
        lock_unknown_leads(transaction).await?;
        let found = [&*self.found(transaction).await?, self.also].concat();
        let mut keys = keys_of(transaction, &found).await?;
        let key = self.person.and_then(Person::key);
        keys.extend(key.clone());
        contact::lock_keys(transaction, keys).await?;
        // Later leads wait for the person's key, or meet the tombstone under their id.
        lock(transaction, self.also).await?;
        insert_tombstones(transaction, self.also).await?;
        let found = self.found(transaction).await?;
        let is_last = found.len() < BATCH;
        let leads: BTreeSet<Uuid> = found.into_iter().chain(self.also.iter().copied()).collect();
        let erased = erase(transaction, &leads.iter().copied().collect::<Vec<_>>()).await?;
        contact::drop_unused(transaction, key.into_iter().collect()).await?;
        audit::insert(transaction, self.client, "erase-person", erased, None).await?;
        Ok(Erased { leads, is_last })
    }

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
async fn insert_tombstones(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<(), StoreError> {
    let now = now(transaction).await?;
    let rows = ids.iter().map(|id| {
        let nothing = Lead::empty(*id, now);
        lead::to_row(&nothing, &Keys::of(&nothing), None, Source::Erasure)
    });
    record::insert(transaction, &rows.collect::<Vec<_>>()).await?;
    Ok(())
}

/// Lock that serialises erasures and assignments, which could deadlock on each other's keys.
pub(super) const ERASURE_LOCK: &str = "erase";

/// Whether a column is not personal. All others are emptied.
fn is_kept(column: lead::Column) -> bool {
    use lead::Column as C;
    matches!(
        column,
        C::Id
            | C::Reference
            | C::SubmittedAt
            | C::Language
            | C::RecordedAt
            | C::Source
            | C::Purpose
            | C::State
            | C::ErasedAt
            | C::Open
            | C::LeasedUntil
            | C::Leases
            | C::Brochure
    )
}

fn blank_value(column: lead::Column) -> Expr {
    if matches!(column, lead::Column::Interests | lead::Column::Signals) {
        Expr::value("[]")
    } else if matches!(column.def().get_column_type(), ColumnType::String(_) | ColumnType::Text) {
        Expr::value("")
    } else {
        Expr::null()
    }
}

/// Erases leads with their deliveries, timelines and conflicts; returns how many were not erased yet. Leads that are
/// not stored are skipped.
pub(super) async fn erase(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<u64, StoreError> {
    let keys = keys_of(transaction, ids).await?;
    contact::lock_keys(transaction, keys.clone()).await?;
    lock(transaction, ids).await?;
    let erased = clear_personal_columns(transaction, ids).await?;
    conflict::delete(transaction, ids).await?;
    forget_deliveries(transaction, ids).await?;
    contact::drop_unused(transaction, keys).await?;
    Ok(erased)
}

/// Deletes the deliveries and timelines of these leads.
pub(crate) async fn forget_deliveries(
    transaction: &DatabaseTransaction,
    ids: &[Uuid],
) -> Result<(), StoreError> {
    let ids = || ids.iter().copied();
    timeline::Entity::delete_many().filter(timeline::Column::LeadId.is_in(ids())).exec(transaction).await?;
    delivery::Entity::delete_many().filter(delivery::Column::LeadId.is_in(ids())).exec(transaction).await?;
    Ok(())
}

/// The keys of the people of these leads.
pub(super) async fn keys_of(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<Vec<Key>, StoreError> {
    let is_one = lead::Column::Id.is_in(ids.iter().copied());
    let kept = Condition::all().add(is_one).add(lead::Column::ErasedAt.is_null());
    contact::keys_of(transaction, kept, None).await
}

async fn clear_personal_columns(transaction: &DatabaseTransaction, ids: &[Uuid]) -> Result<u64, StoreError> {
    let mut update = lead::Entity::update_many();
    for column in lead::Column::iter().filter(|column| !is_kept(*column)) {
        update = update.col_expr(column, blank_value(column));
    }
    let emptied = update
        .col_expr(lead::Column::ErasedAt, Expr::value(Some(now(transaction).await?)))
        .filter(lead::Column::Id.is_in(ids.iter().copied()))
        .filter(lead::Column::ErasedAt.is_null())
        .exec(transaction)
        .await?;
    // An erased lead is not mailed.
    lead::Entity::update_many()
        .col_expr(lead::Column::Open, Expr::value(false))
        .col_expr(lead::Column::LeasedUntil, Expr::value(None::<DateTime<Utc>>))
        .filter(lead::Column::Id.is_in(ids.iter().copied()))
        .exec(transaction)
        .await?;
    Ok(emptied.rows_affected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_a_number_names_a_person() {
        let email = Person::parse(" Wei@Example.COM ");
        assert!(email == Some(Person::Email(EmailKey::of("wei@example.com"))));
        for typed in ["+6591234567", "9123 4567"] {
            assert!(Person::parse(typed) == Some(Person::Digits("6591234567".to_owned())), "{typed}");
        }
        assert!(Person::parse("9123 4567 ext 1") == Some(Person::Digits("912345671".to_owned())));
    }

    #[test]
    fn anything_else_names_nobody() {
        for typed in ["", " ", "陈伟", "ZG-7F3K-2Q", "1234", "+"] {
            assert!(Person::parse(typed).is_none(), "{typed}");
        }
    }
}
