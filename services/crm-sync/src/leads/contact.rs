//! Assigns leads to people by their keys.

use std::collections::{BTreeSet, HashMap, HashSet};

use sea_orm::{
    ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
    TryInsertResult,
    prelude::{Expr, Uuid},
    sea_query::{ExprTrait, LockType, Query},
};

use super::keys::{Contact, Key, Keys};
use crate::{
    db::{
        Result,
        transaction::{Transaction, chunks},
    },
    leads::row,
};

pub(crate) type Owners = HashMap<Key, Uuid>;

/// Assigns a person to each new lead and stores new keys, which it also returns. Does not change existing contacts.
pub(crate) async fn assign(
    tx: &Transaction,
    leads: &[(Uuid, &Keys)],
) -> Result<(HashMap<Uuid, Contact>, Vec<Key>)> {
    // Inserts keys first and looks up only existing ones, because most visitors are new.
    let (mut known, mut ours) = (Owners::new(), Owners::new());
    loop {
        let (contacts, new) = resolve(leads, known.clone());
        let missing: Vec<_> = new
            .iter()
            .filter(|(key, _)| !ours.contains_key(key))
            .cloned()
            .collect();
        let taken = insert_keys(tx, &missing).await?;
        ours.extend(
            missing
                .into_iter()
                .filter(|(key, _)| taken.binary_search(key).is_err()),
        );
        if taken.is_empty() {
            // Reassigns keys that were inserted for a new person but belong to a known one.
            for (key, person) in &new {
                if ours[key] != *person {
                    reassign_keys(tx, [key.clone()].into(), &[ours[key]].into(), *person).await?;
                }
            }
            return Ok((contacts, new.into_iter().map(|(key, _)| key).collect()));
        }
        // Locks the keys until the lead is stored, so an erasure of the person cannot run concurrently. The next
        // iteration inserts keys that were deleted in the meantime.
        known.extend(select_owners(tx, &taken, LockType::KeyShare).await?);
    }
}

/// Locks keys until the transaction ends, which blocks storing leads with these keys. Returns the owners of the keys.
pub(crate) async fn lock_keys(
    tx: &Transaction,
    keys: impl IntoIterator<Item = Key>,
) -> Result<Owners> {
    let in_order: BTreeSet<Key> = keys.into_iter().collect();
    select_owners(tx, &Vec::from_iter(in_order), LockType::Update).await
}

/// Reassigns the keys that belong to a person in `before` to `person`.
pub(crate) async fn reassign_keys(
    tx: &Transaction,
    keys: BTreeSet<Key>,
    before: &BTreeSet<Uuid>,
    person: Uuid,
) -> Result<()> {
    let keys: Vec<Key> = keys.into_iter().collect();
    for keys in chunks(&keys) {
        contact_key::Entity::update_many()
            .col_expr(contact_key::Column::ContactId, Expr::value(person))
            .filter(is_one_of(keys))
            .filter(contact_key::Column::ContactId.is_in(before.iter().copied()))
            .exec(&tx.db)
            .await?;
    }
    Ok(())
}

/// Deletes keys that no lead has. The transaction must have locked or inserted the keys.
pub(crate) async fn drop_unused(tx: &Transaction, keys: &[Key]) -> Result<()> {
    let carriers = |column: row::Column| {
        let key = (contact_key::Entity, contact_key::Column::Value);
        let is_carried = Expr::col((row::Entity, column)).equals(key);
        Query::select()
            .expr(Expr::val(1))
            .from(row::Entity)
            .and_where(is_carried)
            .take()
    };
    for keys in chunks(keys) {
        let mut of_number = carriers(row::Column::NumberKey);
        // Allows the use of the index `lead_digits`, which begins with the digits.
        of_number.and_where(row::Column::Digits.is_in(keys.iter().filter_map(|key| key.digits())));
        contact_key::Entity::delete_many()
            .filter(is_one_of(keys))
            .filter(Expr::exists(carriers(row::Column::EmailKey)).not())
            .filter(Expr::exists(of_number).not())
            .exec(&tx.db)
            .await?;
    }
    Ok(())
}

/// Locks keys and returns their owners. `keys` must be sorted to prevent deadlocks.
async fn select_owners(tx: &Transaction, keys: &[Key], lock: LockType) -> Result<Owners> {
    let mut owners = Owners::new();
    for keys in chunks(keys) {
        let rows = contact_key::Entity::find()
            .filter(is_one_of(keys))
            .order_by_asc(contact_key::Column::Value)
            .lock(lock)
            .all(&tx.db)
            .await?;
        owners.extend(rows.into_iter().map(|row| (Key(row.value), row.contact_id)));
    }
    Ok(owners)
}

fn is_one_of(keys: &[Key]) -> Expr {
    contact_key::Column::Value.is_in(keys.iter().map(Key::as_str))
}

/// Assigns a person to each lead; also returns the keys that are new, in key order.
fn resolve(
    leads: &[(Uuid, &Keys)],
    mut owners: Owners,
) -> (HashMap<Uuid, Contact>, Vec<(Key, Uuid)>) {
    let (mut contacts, mut new) = (HashMap::new(), Vec::new());
    for (lead, keys) in leads {
        let found: Vec<Uuid> = keys
            .identifying()
            .filter_map(|key| owners.get(&key).copied())
            .collect();
        // The owner of the email address takes precedence over the owner of number and name.
        let id = found.first().copied().unwrap_or(*lead);
        let conflicting = found.get(1).copied().filter(|other| *other != id);
        contacts.insert(*lead, Contact { id, conflicting });
        for key in keys.identifying() {
            owners.entry(key.clone()).or_insert_with(|| {
                new.push((key, id));
                id
            });
        }
    }
    // Sorted to prevent deadlocks.
    new.sort();
    (contacts, new)
}

/// Inserts missing keys. Returns the existing keys in the order of `keys`, which must be sorted to prevent deadlocks.
pub(crate) async fn insert_keys(tx: &Transaction, keys: &[(Key, Uuid)]) -> Result<Vec<Key>> {
    let mut inserted = HashSet::new();
    for part in chunks(keys) {
        let rows = part.iter().map(|(key, contact_id)| {
            contact_key::Model {
                value: key.as_str().to_owned(),
                contact_id: *contact_id,
            }
            .into_active_model()
        });
        let rows = contact_key::Entity::insert_many(rows).on_conflict_do_nothing();
        if let TryInsertResult::Inserted(rows) = rows.exec_with_returning_many(&tx.db).await? {
            inserted.extend(rows.into_iter().map(|row| row.value));
        }
    }
    Ok(keys
        .iter()
        .map(|(key, _)| key)
        .filter(|key| !inserted.contains(key.as_str()))
        .cloned()
        .collect())
}

/// Maps `contact_key`, which assigns keys to people.
mod contact_key {
    use sea_orm::entity::prelude::*;

    use crate::db::Relation;

    /// sea-orm requires `Debug`, which omits personal data.
    #[derive(
        Clone, PartialEq, Eq, derive_more::Debug, DeriveEntityModel, DeriveActiveModelBehavior,
    )]
    #[debug("contact_key {contact_id}")]
    #[sea_orm(table_name = "contact_key")]
    pub(crate) struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub value: String,
        pub contact_id: Uuid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(email: &str, number: &str) -> Keys {
        Keys::from_fields("Wei", number, email)
    }

    fn assign_contacts(leads: &[(Uuid, &Keys)]) -> Vec<Contact> {
        let (contacts, _) = resolve(leads, Owners::new());
        leads.iter().map(|(lead, _)| contacts[lead]).collect()
    }

    #[test]
    fn equal_email_address_or_number_key_makes_one_person() {
        let [a, b, c, d] = [1, 2, 3, 4].map(Uuid::from_u128);
        let (first, by_mail) = (keys("a@x.co", "91234567"), keys("A@x.co", "81234567"));
        let (by_number, other) = (keys("b@x.co", "+65 8123 4567"), keys("c@x.co", "no number"));
        let contacts = assign_contacts(&[(a, &first), (b, &by_mail), (c, &by_number), (d, &other)]);
        assert_eq!(
            contacts.iter().map(|it| it.id).collect::<Vec<_>>(),
            [a, a, a, d]
        );
        assert!(contacts.iter().all(|it| it.conflicting.is_none()));
    }

    #[test]
    fn lead_between_two_people_is_marked_and_merges_nobody() {
        let [a, b, c] = [1, 2, 3].map(Uuid::from_u128);
        let (one, two) = (keys("a@x.co", "91234567"), keys("b@x.co", "81234567"));
        let between = keys("a@x.co", "81234567");
        let contacts = assign_contacts(&[(a, &one), (b, &two), (c, &between)]);
        assert_eq!(
            contacts[2],
            Contact {
                id: a,
                conflicting: Some(b)
            }
        );
        assert_eq!([contacts[0].id, contacts[1].id], [a, b]);
    }
}
