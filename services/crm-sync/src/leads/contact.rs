//! Assigns leads to people by their keys.

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, DbBackend, EntityTrait, Iterable,
    QueryFilter, QuerySelect,
    sea_query::{Expr, LockType},
};
use uuid::Uuid;

use super::{
    contact_key,
    keys::{Contact, Key, Keys},
    lead,
};
use crate::db::{chunks::chunks, error::StoreError, rows};

/// Maximum keys in a search for the leads that carry one.
const AT_ONCE: usize = 512;

/// Leads in which such a search looks first: a robot may have sent thousands with one address.
const SAMPLE: u64 = 50;

type Owners = HashMap<Key, Uuid>;

/// Kind and value of a key.
type StoredKey = (String, String);

fn stored(key: &Key) -> StoredKey {
    (key.kind().to_owned(), key.value().to_owned())
}

/// Assigns a person to each new lead and stores the keys that are new, which it returns, too. Existing contacts are not
/// changed.
pub(crate) async fn assign(
    transaction: &DatabaseTransaction,
    leads: &[(Uuid, &Keys)],
) -> Result<(HashMap<Uuid, Contact>, Vec<Key>), StoreError> {
    // Most visitors are new: their keys are stored first, and only those that were taken are looked up.
    let (mut known, mut ours) = (Owners::new(), Owners::new());
    loop {
        let (contacts, new) = resolve(leads, known.clone());
        let missing: Vec<_> = new.iter().filter(|(key, _)| !ours.contains_key(key)).collect();
        let taken = keep(transaction, &missing).await?;
        ours.extend(missing.into_iter().filter(|(key, _)| taken.binary_search(key).is_err()).cloned());
        if taken.is_empty() {
            // What was stored for a lead that turned out to be a known person's.
            for (key, person) in &new {
                if ours[key] != *person {
                    give(transaction, [key.clone()].into(), &[ours[key]].into(), *person).await?;
                }
            }
            return Ok((contacts, new.into_iter().map(|(key, _)| key).collect()));
        }
        // Locked until the lead is stored: an erasure of the person waits for it, or the other way round.
        let found = owners(transaction, &taken, LockType::KeyShare).await?;
        known.extend(taken.into_iter().filter_map(|key| found.get(&stored(&key)).map(|owner| (key, *owner))));
    }
}

/// Locks these keys until the transaction ends: no lead that carries one can be stored meanwhile.
pub(crate) async fn hold(transaction: &DatabaseTransaction, keys: Vec<Key>) -> Result<(), StoreError> {
    owners(transaction, &in_order(keys), LockType::Update).await?;
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
    owners(transaction, &keys, LockType::Update).await?;
    let mut carried = HashSet::new();
    for keys in keys.chunks(AT_ONCE) {
        let some = keys_of(transaction, carriers(keys), Some(SAMPLE)).await?;
        if some.is_empty() {
            continue;
        }
        carried.extend(some);
        let unsure: Vec<Key> = keys.iter().filter(|key| !carried.contains(*key)).cloned().collect();
        if !unsure.is_empty() {
            carried.extend(keys_of(transaction, carriers(&unsure), None).await?);
        }
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

/// The keys of people in at most `limit` of these leads.
pub(crate) async fn keys_of(
    transaction: &DatabaseTransaction,
    leads: Condition,
    limit: Option<u64>,
) -> Result<Vec<Key>, StoreError> {
    let rows: Vec<(String, String, String)> = lead::Entity::find()
        .select_only()
        .columns([lead::Column::Name, lead::Column::Mobile, lead::Column::Email])
        .filter(leads)
        .limit(limit)
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

/// Whose these keys are, which must be sorted, so that two such statements cannot deadlock. Locks them.
async fn owners(
    transaction: &DatabaseTransaction,
    keys: &[Key],
    lock: LockType,
) -> Result<HashMap<StoredKey, Uuid>, StoreError> {
    let backend = transaction.get_database_backend();
    let lock = match (backend, lock) {
        // It has one writer.
        (DbBackend::Sqlite, _) => "",
        (_, LockType::Update) => "FOR UPDATE OF contact_key",
        _ => "FOR KEY SHARE OF contact_key",
    };
    // In this order of joining SQLite asks its index for each key.
    let select = format!(
        "SELECT contact_key.* FROM {} AS asked CROSS JOIN contact_key \
         WHERE kind = asked.value ->> 0 AND contact_key.value = asked.value ->> 1 \
         ORDER BY kind, contact_key.value {lock}",
        rows::each(backend)
    );
    let keys: Vec<_> = keys.iter().map(|key| (key.kind(), key.value())).collect();
    let mut owners = HashMap::new();
    for select in rows::as_json(backend, &select, &keys) {
        let rows = contact_key::Entity::find().from_raw_sql(select).all(transaction).await?;
        owners.extend(rows.into_iter().map(|row| ((row.kind, row.value), row.contact_id)));
    }
    Ok(owners)
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

/// Stores keys, which must be sorted, except those that are taken, which it returns in their order.
async fn keep(transaction: &DatabaseTransaction, keys: &[&(Key, Uuid)]) -> Result<Vec<Key>, StoreError> {
    let columns: Vec<_> = contact_key::Column::iter().collect();
    let rows = |keys: &[&(Key, Uuid)]| -> Vec<_> {
        let rows = keys.iter().map(|(key, contact)| {
            let (kind, value) = stored(key);
            contact_key::Model { kind, value, contact_id: *contact }
        });
        rows.collect()
    };
    if transaction.get_database_backend() == DbBackend::Sqlite {
        // With one writer nothing comes in between, and each row it returns costs as much as storing it.
        let all: Vec<_> = keys.iter().map(|(key, _)| key.clone()).collect();
        let found = owners(transaction, &all, LockType::KeyShare).await?;
        let (taken, new): (Vec<_>, Vec<_>) =
            keys.iter().partition(|(key, _)| found.contains_key(&stored(key)));
        for insert in rows::inserts(transaction, &columns, |_| None, &rows(&new), "") {
            transaction.execute_raw(insert).await?;
        }
        return Ok(taken.into_iter().map(|(key, _)| key.clone()).collect());
    }
    let mut kept: HashSet<StoredKey> = HashSet::with_capacity(keys.len());
    for insert in rows::inserts(transaction, &columns, |_| None, &rows(keys), "RETURNING kind, value") {
        for row in transaction.query_all_raw(insert).await? {
            kept.insert((row.try_get("", "kind")?, row.try_get("", "value")?));
        }
    }
    let taken = keys.iter().map(|(key, _)| key).filter(|key| !kept.contains(&stored(key)));
    Ok(taken.cloned().collect())
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
