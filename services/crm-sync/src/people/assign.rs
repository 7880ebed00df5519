//! Merges and splits people by hand, where addresses and phone numbers are not enough.

use std::collections::BTreeSet;

use super::erase::ERASURE_LOCK;
use crate::{
    db::prelude::*,
    leads::{
        contact, do_not_contact,
        keys::Key,
        lead::{self, Model},
        lock::{Locked, lock_people},
        timeline::{self, Event, entry},
    },
};

pub struct Assignment {
    pub leads: Vec<Uuid>,
    /// A lead of the person to keep; `None` moves `leads` to a new person.
    pub person_of: Option<Uuid>,
    pub client: String,
}

impl Store {
    /// Assigns leads, with the keys that only they carry, and returns those whose person changed.
    ///
    /// # Errors
    /// [`StoreError::NoSuchLead`], [`StoreError::SeveralPeople`]; others when the database fails.
    pub async fn assign(&self, assignment: &Assignment) -> Result<Vec<Uuid>> {
        self.write("move leads between people", |tx| async move { assignment.apply(&tx).await }).await
    }
}

impl Assignment {
    async fn apply(&self, tx: &Transaction) -> Result<Vec<Uuid>> {
        tx.advisory_lock(ERASURE_LOCK).await?;
        let named: Vec<Uuid> = self.leads.iter().copied().chain(self.person_of).collect();
        let locked = lock_people(tx, &named, None).await?;
        let mut people = BTreeSet::new();
        for id in named {
            people.extend(locked.lead(id)?.contact_id);
        }
        // Leads of the same addresses may belong to others.
        let is_theirs = |row: &&Model| row.contact_id.is_some_and(|person| people.contains(&person));
        let leads: Vec<&Model> = locked.rows().filter(is_theirs).collect();
        match self.person_of {
            Some(other) => self.merge(tx, &locked, &leads, other).await,
            None if people.len() > 1 => Err(StoreError::SeveralPeople),
            None => self.split(tx, &leads).await,
        }
    }

    /// Moves all leads to the person of the lead `other`.
    async fn merge(
        &self,
        tx: &Transaction,
        locked: &Locked,
        leads: &[&Model],
        other: Uuid,
    ) -> Result<Vec<Uuid>> {
        let (kept, joining) = (locked.lead(other)?, locked.lead(self.leads[0])?);
        let Some(person) = kept.contact_id else { return Ok(Vec::new()) };
        let moved: Vec<&Model> = leads.iter().copied().filter(|row| row.contact_id != Some(person)).collect();
        if moved.is_empty() {
            return Ok(Vec::new());
        }
        self.move_leads(tx, &moved, &[], person, &kept.reference).await?;
        let changed = self.person_changed(&joining.reference);
        timeline::insert(tx, [timeline::lead_entry(other, changed)]).await?;
        lead::Entity::update_many()
            .col_expr(lead::Column::ConflictingContactId, Expr::value(None::<Uuid>))
            .filter(lead::Column::ContactId.eq(person))
            .filter(lead::Column::ConflictingContactId.is_in(leads.iter().filter_map(|row| row.contact_id)))
            .exec(&tx.db)
            .await?;
        if let Some(since) = leads.iter().filter_map(|row| row.do_not_contact_at).min() {
            do_not_contact::set(tx, locked, Some(since), &self.client).await?;
        }
        Ok(moved.iter().map(|row| row.id).collect())
    }

    /// Moves the named ones of a person's leads to a new person, whose id is that of its first lead.
    async fn split(&self, tx: &Transaction, leads: &[&Model]) -> Result<Vec<Uuid>> {
        let (mut moved, mut staying): (Vec<&Model>, Vec<&Model>) =
            leads.iter().copied().partition(|row| self.leads.contains(&row.id));
        if moved.iter().any(|row| row.contact_id == Some(row.id)) {
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
        let stay: BTreeSet<Key> = staying.iter().flat_map(|row| row.keys()).collect();
        let keys = moved.iter().flat_map(|row| row.keys()).filter(|key| !stay.contains(key)).collect();
        let before: BTreeSet<Uuid> = moved.iter().filter_map(|row| row.contact_id).collect();
        contact::reassign_keys(tx, keys, &before, person).await?;
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
