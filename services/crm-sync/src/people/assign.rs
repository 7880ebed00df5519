//! Merges and splits people by hand, where addresses and phone numbers are not enough.

use std::collections::BTreeSet;

use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    prelude::DateTimeUtc, sea_query::Expr,
};
use uuid::Uuid;

use super::erase::ERASURE_LOCK;
use crate::{
    db::{Store, error::StoreError, transaction::advisory_lock},
    leads::{
        contact, do_not_contact,
        keys::{Key, Keys},
        lead,
        lock::lock,
        suppression::SuppressionKey,
        timeline::{self, Event},
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
    ///
    /// # Errors
    /// [`StoreError`]; nothing was changed, or it is unknown whether it was. May be repeated.
    pub async fn assign(
        &self,
        assignment: &Assignment,
    ) -> Result<Result<Vec<Uuid>, NotAssigned>, StoreError> {
        self.write("move leads between people", |transaction| async move {
            assignment.apply(&transaction, &self.suppression).await
        })
        .await
    }
}

#[derive(FromQueryResult)]
struct Row {
    id: Uuid,
    contact_id: Option<Uuid>,
    reference: String,
    submitted_at: DateTimeUtc,
    name: String,
    mobile: String,
    email: String,
}

impl Row {
    fn keys(&self) -> impl Iterator<Item = Key> {
        Keys::read(&self.name, &self.mobile, &self.email).of_person().collect::<Vec<_>>().into_iter()
    }
}

impl Assignment {
    async fn apply(
        &self,
        transaction: &DatabaseTransaction,
        key: &SuppressionKey,
    ) -> Result<Result<Vec<Uuid>, NotAssigned>, StoreError> {
        advisory_lock(transaction, ERASURE_LOCK).await?;
        let mut held = BTreeSet::new();
        let rows = loop {
            let named = rows(transaction, lead::Column::Id, self.named()).await?;
            let people: BTreeSet<Uuid> = named.iter().filter_map(|row| row.contact_id).collect();
            let rows = rows(transaction, lead::Column::ContactId, people.into_iter()).await?;
            let keys: BTreeSet<Key> = rows.iter().flat_map(Row::keys).collect();
            if keys.is_subset(&held) {
                break rows;
            }
            // While they are held, none of these people gets another lead or loses one.
            contact::lock_keys(transaction, keys.iter().cloned().collect()).await?;
            held = keys;
        };
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
        lock(transaction, &ids).await?;
        if let Some(unknown) = self.named().find(|id| !ids.contains(id)) {
            return Ok(Err(NotAssigned::Unknown(unknown)));
        }
        let contact = |id: &Uuid| rows.iter().find(|row| row.id == *id).and_then(|row| row.contact_id);
        match self.person_of {
            Some(other) => self.merge(transaction, key, &rows, other, contact(&other)).await.map(Ok),
            None => {
                let mut people: Vec<_> = self.leads.iter().map(contact).collect();
                people.dedup();
                match people[..] {
                    [Some(person)] => self.split(transaction, &rows, person).await.map(Ok),
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
        transaction: &DatabaseTransaction,
        key: &SuppressionKey,
        rows: &[Row],
        other: Uuid,
        person: Option<Uuid>,
    ) -> Result<Vec<Uuid>, StoreError> {
        let Some(person) = person else { return Ok(Vec::new()) };
        let moved: Vec<&Row> = rows.iter().filter(|row| row.contact_id != Some(person)).collect();
        let reference = |id: Uuid| rows.iter().find(|row| row.id == id).map_or("", |row| &row.reference);
        self.give(transaction, &moved, &[], person, reference(other)).await?;
        if !moved.is_empty() {
            let changed = self.person_changed(reference(self.leads[0]));
            timeline::insert(transaction, [timeline::lead_entry(other, changed)]).await?;
        }
        lead::Entity::update_many()
            .col_expr(lead::Column::ConflictingContactId, Expr::value(None::<Uuid>))
            .filter(lead::Column::ContactId.eq(person))
            .filter(lead::Column::ConflictingContactId.is_in(rows.iter().filter_map(|row| row.contact_id)))
            .exec(transaction)
            .await?;
        do_not_contact::spread(transaction, key, person).await?;
        Ok(moved.iter().map(|row| row.id).collect())
    }

    /// Moves the leads to a new person, whose id is that of its first lead.
    async fn split(
        &self,
        transaction: &DatabaseTransaction,
        rows: &[Row],
        person: Uuid,
    ) -> Result<Vec<Uuid>, StoreError> {
        let (mut moved, mut staying): (Vec<&Row>, Vec<&Row>) =
            rows.iter().partition(|row| self.leads.contains(&row.id));
        if moved.iter().any(|row| row.id == person) {
            // The person's name stays with its first lead.
            (moved, staying) = (staying, moved);
        }
        let first = moved.iter().min_by_key(|row| (row.submitted_at, row.id));
        let Some(first) = first.map(|row| row.id) else { return Ok(Vec::new()) };
        self.give(transaction, &moved, &staying, first, "").await?;
        Ok(moved.iter().map(|row| row.id).collect())
    }

    /// Gives leads to a person, and the keys that none of `staying` carries.
    async fn give(
        &self,
        transaction: &DatabaseTransaction,
        moved: &[&Row],
        staying: &[&Row],
        person: Uuid,
        reference: &str,
    ) -> Result<(), StoreError> {
        let stay: BTreeSet<Key> = staying.iter().flat_map(|row| row.keys()).collect();
        let keys: BTreeSet<Key> =
            moved.iter().flat_map(|row| row.keys()).filter(|key| !stay.contains(key)).collect();
        let before: BTreeSet<Uuid> = moved.iter().filter_map(|row| row.contact_id).collect();
        contact::reassign_keys(transaction, keys, &before, person).await?;
        if moved.is_empty() {
            return Ok(());
        }
        lead::Entity::update_many()
            .col_expr(lead::Column::ContactId, Expr::value(Some(person)))
            .filter(lead::Column::Id.is_in(moved.iter().map(|row| row.id)))
            .exec(transaction)
            .await?;
        let changed = self.person_changed(reference);
        let entries = moved.iter().map(|row| timeline::lead_entry(row.id, changed.clone()));
        timeline::insert(transaction, entries).await
    }

    fn person_changed(&self, reference: &str) -> Event {
        Event::PersonChanged { reference: reference.to_owned(), client: self.client.clone() }
    }
}

async fn rows(
    transaction: &DatabaseTransaction,
    column: lead::Column,
    values: impl Iterator<Item = Uuid>,
) -> Result<Vec<Row>, StoreError> {
    use lead::Column as C;
    let select = lead::Entity::find()
        .select_only()
        .columns([C::Id, C::ContactId, C::Reference, C::SubmittedAt, C::Name, C::Mobile, C::Email])
        .filter(column.is_in(values))
        .filter(C::ErasedAt.is_null());
    Ok(select.into_model().all(transaction).await?)
}
