//! Assigns leads to people by their keys.

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, EntityTrait,
    IntoActiveModel, Iterable, QueryFilter, QueryOrder, QueryResult, QuerySelect,
    sea_query::{Expr, LockType, OnConflict},
};
use serde::Serialize;
use uuid::Uuid;

use super::{
    contact_key,
    keys::{Contact, Key, Keys},
    lead,
};
use crate::db::{chunks::chunks, error::StoreError, json_rows};

/// Maximum keys per lookup: both kinds of a batch of leads. For keys of one kind only, PostgreSQL without statistics
/// may scan the table.
const AT_ONCE: usize = 512;

type Owners = HashMap<Key, Uuid>;

/// Assigns a person to each new lead and stores the keys that are new, which it returns, too. Existing contacts are not
/// changed.
pub(crate) async fn assign(
    transaction: &DatabaseTransaction,
    leads: &[(Uuid, &Keys)],
) -> Result<(HashMap<Uuid, Contact>, Vec<Key>), StoreError> {
    loop {
        let known = owners(transaction, leads).await?;
        let (contacts, new) = resolve(leads, known);
        let kept = keep(transaction, &new).await?;
        if kept.len() == new.len() {
            return Ok((contacts, new.into_iter().map(|(key, _)| key).collect()));
        }
        // Another transaction stored one of the keys first: ours are deleted, and the next round finds that one.
        for key in kept {
            contact_key::Entity::delete_by_id(key).exec(transaction).await?;
        }
    }
}

async fn owners(transaction: &DatabaseTransaction, leads: &[(Uuid, &Keys)]) -> Result<Owners, StoreError> {
    let keys = in_order(leads.iter().flat_map(|(_, keys)| keys.of_person()).collect());
    // Locked until the lead is stored: an erasure of the person waits for it, or the other way round.
    let rows = held(transaction, &keys, LockType::KeyShare).await?;
    let by_name: HashMap<_, _> =
        rows.into_iter().map(|row| ((row.kind, row.value), row.contact_id)).collect();
    let owner = |key: &Key| by_name.get(&(key.kind().to_owned(), key.value().to_owned())).copied();
    Ok(keys.into_iter().filter_map(|key| owner(&key).map(|owner| (key, owner))).collect())
}

/// Locks these keys until the transaction ends: no lead that carries one can be stored meanwhile.
pub(crate) async fn hold(transaction: &DatabaseTransaction, keys: Vec<Key>) -> Result<(), StoreError> {
    held(transaction, &in_order(keys), LockType::Update).await?;
    Ok(())
}

/// Gives those of these keys that belong to one of `before` to another person.
pub(crate) async fn give(
    transaction: &DatabaseTransaction,
    keys: BTreeSet<Key>,
    before: &BTreeSet<Uuid>,
    person: Uuid,
) -> Result<(), StoreError> {
    let keys: Vec<Key> = keys.into_iter().collect();
    for keys in of_each_kind(&keys).flat_map(chunks) {
        contact_key::Entity::update_many()
            .col_expr(contact_key::Column::ContactId, Expr::value(person))
            .filter(are(&keys))
            .filter(contact_key::Column::ContactId.is_in(before.iter().copied()))
            .exec(transaction)
            .await?;
    }
    Ok(())
}

/// Deletes those of these keys that no lead carries.
pub(crate) async fn drop_unused(transaction: &DatabaseTransaction, keys: Vec<Key>) -> Result<(), StoreError> {
    let mut keys = in_order(keys);
    held(transaction, &keys, LockType::Update).await?;
    let mut carried = HashSet::new();
    for keys in keys.chunks(AT_ONCE) {
        carried.extend(keys_of(transaction, carriers(keys)).await?);
    }
    keys.retain(|key| !carried.contains(key));
    for keys in of_each_kind(&keys).flat_map(chunks) {
        contact_key::Entity::delete_many().filter(are(&keys)).exec(transaction).await?;
    }
    Ok(())
}

/// The leads that may carry one of these keys.
fn carriers(keys: &[Key]) -> Condition {
    let (mut emails, mut digits) = (Vec::new(), Vec::new());
    for key in keys {
        match key {
            Key::Email(email) => emails.push(email.as_str()),
            Key::NumberAndName(value) => {
                digits.extend(value.strip_prefix('+').and_then(|value| value.split(' ').next()));
            }
        }
    }
    Condition::any().add(lead::Column::EmailKey.is_in(emails)).add(lead::Column::Digits.is_in(digits))
}

/// The keys of people in these leads.
pub(crate) async fn keys_of(
    transaction: &DatabaseTransaction,
    leads: Condition,
) -> Result<Vec<Key>, StoreError> {
    let rows: Vec<(String, String, String)> = lead::Entity::find()
        .select_only()
        .columns([lead::Column::Name, lead::Column::Mobile, lead::Column::Email])
        .filter(leads)
        .into_tuple()
        .all(transaction)
        .await?;
    let keys = |(name, mobile, email): (String, String, String)| Keys::read(&name, &mobile, &email);
    Ok(rows.into_iter().flat_map(|row| keys(row).of_person().collect::<Vec<_>>()).collect())
}

/// Sorts and deduplicates keys.
fn in_order(mut keys: Vec<Key>) -> Vec<Key> {
    keys.sort();
    keys.dedup();
    keys
}

fn of_each_kind(keys: &[Key]) -> impl Iterator<Item = &[Key]> {
    keys.chunk_by(|one, other| one.kind() == other.kind())
}

/// Locks and reads the rows of these keys, which must be sorted.
async fn held(
    transaction: &DatabaseTransaction,
    keys: &[Key],
    lock: LockType,
) -> Result<Vec<contact_key::Model>, StoreError> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        let keys: Vec<_> = keys.iter().map(StoredKey::of).collect();
        let lock = if lock == LockType::Update { "UPDATE" } else { "KEY SHARE" };
        let select = format!(
            "SELECT contact_key.* FROM contact_key JOIN json_to_recordset($1::json) AS asked (kind text, value text) \
             USING (kind, value) ORDER BY kind, value FOR {lock} OF contact_key"
        );
        let select = contact_key::Entity::find().from_raw_sql(json_rows::statement(select, &keys));
        return Ok(select.all(transaction).await?);
    }
    let mut rows = Vec::new();
    for keys in keys.chunks(AT_ONCE) {
        let of_a_kind = of_each_kind(keys).flat_map(chunks).map(|keys| are(&keys));
        let select = contact_key::Entity::find()
            .filter(of_a_kind.fold(Condition::any(), Condition::add))
            // Same order everywhere, so that two such statements cannot deadlock.
            .order_by_asc(contact_key::Column::Kind)
            .order_by_asc(contact_key::Column::Value);
        rows.extend(select.all(transaction).await?);
    }
    Ok(rows)
}

/// A key as PostgreSQL is asked for it.
#[derive(Serialize)]
struct StoredKey<'a> {
    kind: &'static str,
    value: &'a str,
}

impl<'a> StoredKey<'a> {
    fn of(key: &'a Key) -> Self {
        Self { kind: key.kind(), value: key.value() }
    }
}

/// The rows of these keys, which must be of one kind.
fn are(keys: &[&Key]) -> Condition {
    Condition::all()
        .add(contact_key::Column::Kind.eq(keys[0].kind()))
        .add(contact_key::Column::Value.is_in(keys.iter().map(|key| key.value())))
}

/// Assigns a person to each lead; also returns the keys that are new, in key order.
fn resolve(leads: &[(Uuid, &Keys)], mut owners: Owners) -> (HashMap<Uuid, Contact>, Vec<(Key, Uuid)>) {
    let (mut contacts, mut new) = (HashMap::new(), Vec::new());
    for (lead, keys) in leads {
        let found: Vec<Uuid> = keys.of_person().filter_map(|key| owners.get(&key).copied()).collect();
        // The address's owner takes precedence over that of number and name.
        let id = found.first().copied().unwrap_or(*lead);
        let conflicting = found.get(1).copied().filter(|other| *other != id);
        contacts.insert(*lead, Contact { id, conflicting });
        for key in keys.of_person() {
            owners.entry(key.clone()).or_insert_with(|| {
                new.push((key, id));
                id
            });
        }
    }
    // Same order everywhere, so that two such statements cannot deadlock.
    new.sort();
    (contacts, new)
}

/// Stores new keys, except those stored meanwhile; returns kind and value of those it stored.
async fn keep(
    transaction: &DatabaseTransaction,
    new: &[(Key, Uuid)],
) -> Result<Vec<(String, String)>, StoreError> {
    let rows = new.iter().map(|(key, contact)| contact_key::Model {
        kind: key.kind().to_owned(),
        value: key.value().to_owned(),
        contact_id: *contact,
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let columns = [contact_key::Column::Kind, contact_key::Column::Value];
    if transaction.get_database_backend() == DbBackend::Postgres {
        let all = contact_key::Column::iter();
        let insert = json_rows::insert::<contact_key::Entity>(all, &rows, "RETURNING kind, value");
        let kept = transaction.query_all_raw(insert).await?;
        let key = |row: &QueryResult| Ok((row.try_get("", "kind")?, row.try_get("", "value")?));
        return kept.iter().map(key).collect::<Result<_, DbErr>>().map_err(StoreError::from);
    }
    let mut kept = Vec::new();
    for part in chunks(&rows) {
        let rows = part.into_iter().map(|row| row.clone().into_active_model());
        let insert = contact_key::Entity::insert_many(rows)
            .on_conflict(OnConflict::columns(columns).do_nothing().to_owned());
        kept.extend(insert.exec_with_returning_keys(transaction).await?);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(email: &str, number: &str) -> Keys {
        Keys::read("Wei", number, email)
    }

    fn whose(leads: &[(Uuid, &Keys)]) -> Vec<Contact> {
        let (contacts, _) = resolve(leads, Owners::new());
        leads.iter().map(|(lead, _)| contacts[lead]).collect()
    }

    #[test]
    fn either_key_tells_a_person() {
        let [a, b, c, d] = [1, 2, 3, 4].map(Uuid::from_u128);
        let (first, by_mail) = (keys("a@x.co", "91234567"), keys("A@x.co", "81234567"));
        let (by_number, other) = (keys("b@x.co", "+65 8123 4567"), keys("c@x.co", "no number"));
        let contacts = whose(&[(a, &first), (b, &by_mail), (c, &by_number), (d, &other)]);
        assert_eq!(contacts.iter().map(|it| it.id).collect::<Vec<_>>(), [a, a, a, d]);
        assert!(contacts.iter().all(|it| it.conflicting.is_none()));
    }

    #[test]
    fn two_persons_stay_two_and_the_lead_between_them_says_so() {
        let [a, b, c] = [1, 2, 3].map(Uuid::from_u128);
        let (one, two) = (keys("a@x.co", "91234567"), keys("b@x.co", "81234567"));
        let between = keys("a@x.co", "81234567");
        let contacts = whose(&[(a, &one), (b, &two), (c, &between)]);
        assert_eq!(contacts[2], Contact { id: a, conflicting: Some(b) });
        assert_eq!([contacts[0].id, contacts[1].id], [a, b]);
    }
}
