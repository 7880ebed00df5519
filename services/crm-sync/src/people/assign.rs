//! Merges and splits people by hand, where addresses and phone numbers are not enough.

use std::collections::BTreeSet;

use super::erase::ERASURE_LOCK;
use crate::{
    db::prelude::*,
    leads::{
        contact,
        do_not_contact::{self, Mark},
        keys::Key,
        lead::{self, Model},
        lock::{Locked, lock},
        suppression,
        timeline::{self, Event, entry},
    },
};

pub struct Assignment {
    pub leads: Vec<Uuid>,
    /// A lead of the person to keep; `None` moves `leads` to a new person.
    pub person_of: Option<Uuid>,
    pub client: String,
}

/// Why nothing was assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAssigned {
    /// Not stored, erased or a canary.
    Unknown(Uuid),
    /// A split takes leads of one person.
    SeveralPeople,
}

impl Store {
    /// Assigns leads, with the keys that only they carry, and returns those whose person changed.
    pub async fn assign(&self, assignment: &Assignment) -> Result<Result<Vec<Uuid>, NotAssigned>> {
        self.write("move leads between people", |tx| async move { assignment.apply(&tx).await }).await
    }
}

impl Assignment {
    async fn apply(&self, tx: &Transaction) -> Result<Result<Vec<Uuid>, NotAssigned>> {
        tx.advisory_lock(ERASURE_LOCK).await?;
        let mut held = BTreeSet::new();
        let rows = loop {
            let named = find_by(tx, lead::Column::Id, self.named()).await?;
            let people: BTreeSet<Uuid> = named.iter().filter_map(|row| row.contact_id).collect();
            let rows = find_by(tx, lead::Column::ContactId, people.into_iter()).await?;
            let keys: BTreeSet<Key> = rows.iter().flat_map(keys_of).collect();
            if keys.is_subset(&held) {
                break rows;
            }
            // While they are held, none of these people gets another lead or loses one.
            contact::lock_keys(tx, keys.iter().cloned().collect()).await?;
            held = keys;
        };
        let locked = lock(tx, &rows.iter().map(|row| row.id).collect::<Vec<_>>()).await?;
        if let Some(unknown) = self.named().find(|id| locked.lead(*id).is_none()) {
            return Ok(Err(NotAssigned::Unknown(unknown)));
        }
        let contact = |id: &Uuid| locked.lead(*id).and_then(|row| row.contact_id);
        match self.person_of {
            Some(other) => self.merge(tx, &locked, other, contact(&other)).await.map(Ok),
            None => {
                let mut people: Vec<_> = self.leads.iter().map(contact).collect();
                people.dedup();
                match people[..] {
                    [Some(person)] => self.split(tx, &locked, person).await.map(Ok),
                    _ => Ok(Err(NotAssigned::SeveralPeople)),
                }
            }
        }
    }

    fn named(&self) -> impl Iterator<Item = Uuid> {
        self.leads.iter().copied().chain(self.person_of)
    }

    /// Moves all leads to `person`, the person of the lead `other`.
    async fn merge(
        &self,
        tx: &Transaction,
        locked: &Locked,
        other: Uuid,
        person: Option<Uuid>,
    ) -> Result<Vec<Uuid>> {
        let Some(person) = person else { return Ok(Vec::new()) };
        let moved: Vec<&Model> = locked.rows().filter(|row| row.contact_id != Some(person)).collect();
        let reference = |id: Uuid| locked.lead(id).map_or("", |row| &row.reference);
        self.move_leads(tx, &moved, &[], person, reference(other)).await?;
        if !moved.is_empty() {
            let changed = self.person_changed(reference(self.leads[0]));
            timeline::insert(tx, [timeline::lead_entry(other, changed)]).await?;
        }
        lead::Entity::update_many()
            .col_expr(lead::Column::ConflictingContactId, Expr::value(None::<Uuid>))
            .filter(lead::Column::ContactId.eq(person))
            .filter(lead::Column::ConflictingContactId.is_in(locked.rows().filter_map(|row| row.contact_id)))
            .exec(&tx.db)
            .await?;
        if let Some(since) = locked.rows().filter_map(|row| row.do_not_contact_at).min() {
            let (since, author, reason) = (Some(since), self.client.as_str(), suppression::DO_NOT_CONTACT);
            do_not_contact::set(tx, locked, &Mark { since, author, reason }).await?;
        }
        Ok(moved.iter().map(|row| row.id).collect())
    }

    /// Moves the leads to a new person, whose id is that of its first lead.
    async fn split(&self, tx: &Transaction, locked: &Locked, person: Uuid) -> Result<Vec<Uuid>> {
        let (mut moved, mut staying): (Vec<&Model>, Vec<&Model>) =
            locked.rows().partition(|row| self.leads.contains(&row.id));
        if moved.iter().any(|row| row.id == person) {
            // The person's name stays with its first lead.
            (moved, staying) = (staying, moved);
        }
        let first = moved.iter().min_by_key(|row| (row.submitted_at, row.id));
        let Some(first) = first.map(|row| row.id) else { return Ok(Vec::new()) };
        self.move_leads(tx, &moved, &staying, first, "").await?;
        Ok(moved.iter().map(|row| row.id).collect())
    }

    /// Moves leads to a person, with the keys that none of `staying` carries.
    async fn move_leads(
        &self,
        tx: &Transaction,
        moved: &[&Model],
        staying: &[&Model],
        person: Uuid,
        reference: &str,
    ) -> Result<()> {
        let stay: BTreeSet<Key> = staying.iter().flat_map(|row| keys_of(row)).collect();
        let keys: BTreeSet<Key> =
            moved.iter().flat_map(|row| keys_of(row)).filter(|key| !stay.contains(key)).collect();
        let before: BTreeSet<Uuid> = moved.iter().filter_map(|row| row.contact_id).collect();
        contact::reassign_keys(tx, keys, &before, person).await?;
        if moved.is_empty() {
            return Ok(());
        }
        lead::Entity::update_many()
            .col_expr(lead::Column::ContactId, Expr::value(Some(person)))
            .filter(lead::Column::Id.is_in(moved.iter().map(|row| row.id)))
            .exec(&tx.db)
            .await?;
        let changed = self.person_changed(reference);
        let entries = moved.iter().map(|row| timeline::lead_entry(row.id, changed.clone()));
        timeline::insert(tx, entries).await
    }

    fn person_changed(&self, reference: &str) -> Event {
        let (reference, client) = (reference.to_owned(), self.client.clone());
        Event::PersonChanged(entry::PersonChanged { reference, client })
    }
}

fn keys_of(row: &Model) -> Vec<Key> {
    row.keys().identifying().collect()
}

async fn find_by(
    tx: &Transaction,
    column: lead::Column,
    values: impl Iterator<Item = Uuid>,
) -> Result<Vec<Model>> {
    let select = lead::Entity::find().filter(column.is_in(values)).filter(lead::Column::ErasedAt.is_null());
    Ok(select.all(&tx.db).await?)
}
