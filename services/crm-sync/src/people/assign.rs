//! Merges and splits people manually, when email addresses and phone numbers do not identify them correctly.

use std::collections::BTreeSet;

use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, Set,
    prelude::{Expr, Uuid},
};

use crate::{
    db::{
        Result, Store,
        audit::Call,
        error::StoreError,
        transaction::{Purpose, Transaction},
    },
    leads::{
        contact, do_not_contact,
        keys::Key,
        lock::{ERASURE_LOCK, Locked, SUPPRESSION_LOCK, lock_people},
        row::{self as lead_row, Model},
        timeline::{self, Event, entry},
    },
};

impl Store {
    /// Moves all leads of the person of `joining`, with their keys, to the person of `kept`. Returns the moved leads.
    pub async fn merge_people(&self, kept: Uuid, joining: Uuid, client: &str) -> Result<Vec<Uuid>> {
        let call = Call {
            author: client,
            action: "merge",
        };
        self.write_audited(Purpose::of_person("merge people"), call, |tx| async move {
            let (locked, people) = lock_people_of_leads(&tx, &[joining, kept]).await?;
            let (kept, joining) = (locked.lead(kept)?, locked.lead(joining)?);
            let (Some(person), Some(other)) = (kept.contact_id, joining.contact_id) else {
                return Ok((Vec::new(), Vec::new()));
            };
            let moved: Vec<&Model> = locked
                .rows()
                .filter(|row| row.contact_id == Some(other))
                .collect();
            if person == other {
                return Ok((Vec::new(), Vec::new()));
            }
            move_leads(
                &tx,
                &moved,
                &[],
                person,
                person_changed(&kept.reference, client),
            )
            .await?;
            let changed = person_changed(&joining.reference, client);
            timeline::add(&tx, &[kept.id], &changed).await?;
            lead_row::Entity::update_many()
                .col_expr(
                    lead_row::Column::ConflictingContactId,
                    Expr::value(None::<Uuid>),
                )
                .filter(lead_row::Column::ContactId.eq(person))
                .filter(lead_row::Column::ConflictingContactId.is_in(people.iter().copied()))
                .exec(&tx.db)
                .await?;
            // Only the named leads count: others of these people may be a stranger's, matched by number and name.
            let marks = [kept, joining].map(|row| row.do_not_contact_at);
            if let Some(since) = marks.into_iter().flatten().min() {
                let leads: Vec<&Model> = locked.leads().collect();
                let mut withdrawn = None;
                for row in [kept, joining] {
                    let of_row = do_not_contact::find_withdrawal(&tx.db, &tx.suppression, row);
                    withdrawn = Ord::max(withdrawn, of_row.await?);
                }
                do_not_contact::mark(&tx, &leads, since, withdrawn, client).await?;
            }
            let moved: Vec<Uuid> = moved.iter().map(|row| row.id).collect();
            let changed = [&[kept.id], moved.as_slice()].concat();
            Ok((moved, changed))
        })
        .await
    }

    /// Moves leads of a person, and the keys that only these leads have, to a new person with the id of the first moved
    /// lead. Returns the leads whose person changed.
    pub async fn split_person(&self, leads: &[Uuid], client: &str) -> Result<Vec<Uuid>> {
        let call = Call {
            author: client,
            action: "split",
        };
        self.write_audited(Purpose::of_person("split person"), call, |tx| async move {
            let (locked, people) = lock_people_of_leads(&tx, leads).await?;
            let [person] = people[..] else {
                return Err(StoreError::SeveralPeople);
            };
            let of_person: Vec<&Model> = locked
                .rows()
                .filter(|row| row.contact_id == Some(person))
                .collect();
            let moved = split(&tx, &of_person, leads, person, client).await?;
            Ok((moved.clone(), moved))
        })
        .await
    }
}

/// Moves the leads of a person that are in `leads` to a new person. Returns the leads whose person changed. The leads must
/// be locked.
pub(crate) async fn split(
    tx: &Transaction,
    of_person: &[&Model],
    leads: &[Uuid],
    person: Uuid,
    client: &str,
) -> Result<Vec<Uuid>> {
    let of_person = of_person.iter().copied();
    let (mut moved, mut staying): (Vec<&Model>, Vec<&Model>) =
        of_person.partition(|row| leads.contains(&row.id));
    if moved.iter().any(|row| row.id == person) {
        // The person keeps the id of its first lead, so the other leads move instead.
        (moved, staying) = (staying, moved);
    }
    let first = moved.iter().min_by_key(|row| (row.submitted_at, row.id));
    let Some(first) = first.map(|row| row.id) else {
        return Ok(Vec::new());
    };
    move_leads(tx, &moved, &staying, first, person_changed("", client)).await?;
    Ok(moved.iter().map(|row| row.id).collect())
}

/// Locks the people of these leads. Returns their leads, other leads of the same mailboxes, and the ids of the people.
async fn lock_people_of_leads(tx: &Transaction, leads: &[Uuid]) -> Result<(Locked, Vec<Uuid>)> {
    tx.advisory_lock(ERASURE_LOCK).await?;
    tx.advisory_lock(SUPPRESSION_LOCK).await?;
    let locked = lock_people(tx, leads, None).await?;
    let mut people = BTreeSet::new();
    for id in leads {
        people.extend(locked.lead(*id)?.contact_id);
    }
    Ok((locked, people.into_iter().collect()))
}

/// Moves leads to a person, with the keys that no lead in `staying` has.
async fn move_leads(
    tx: &Transaction,
    moved: &[&Model],
    staying: &[&Model],
    person: Uuid,
    changed: Event,
) -> Result<()> {
    let stay: BTreeSet<Key> = staying.iter().flat_map(|row| row.keys()).collect();
    let keys = moved
        .iter()
        .flat_map(|row| row.keys())
        .filter(|key| !stay.contains(key))
        .collect();
    let before: BTreeSet<Uuid> = moved.iter().filter_map(|row| row.contact_id).collect();
    contact::reassign_keys(tx, keys, &before, person).await?;
    let ids: Vec<Uuid> = moved.iter().map(|row| row.id).collect();
    lead_row::update(
        tx,
        &ids,
        lead_row::ActiveModel {
            contact_id: Set(Some(person)),
            ..Default::default()
        },
    )
    .await?;
    timeline::add(tx, &ids, &changed).await
}

fn person_changed(reference: &str, client: &str) -> Event {
    let (reference, client) = (reference.to_owned(), client.to_owned());
    Event::PersonChanged(entry::PersonChanged { reference, client })
}
