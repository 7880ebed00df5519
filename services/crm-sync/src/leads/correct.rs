//! Corrects the name, phone number and email address of a lead.

use std::collections::BTreeSet;

use contracts::crm::v1 as crm;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, Set,
    prelude::{DateTimeUtc, Uuid},
};

use super::{
    contact, do_not_contact,
    earlier::Fields,
    keys::{Key, Keys},
    lock::{ERASURE_LOCK, SUPPRESSION_LOCK, lock_mailbox, lock_people},
    progress::Change,
    row::Model,
};
use crate::{
    db::{Result, transaction::Transaction},
    deliveries::request,
    leads::{
        row,
        timeline::{self, Event, entry},
    },
    people::assign,
};

impl Change {
    /// Changes the lead's progress and the corrected fields. A correction counts as a change of the progress, so a colleague
    /// who has not seen it cannot overwrite it. The submitted values stay in the row and in the timeline. The lead's person
    /// gets the new keys, except those of another person. A lead that only a wrong value linked to its person moves to a new
    /// person.
    pub(super) async fn correct(&self, tx: &Transaction) -> Result<crm::Progress> {
        // No transaction that changes people or stores leads runs at the same time.
        tx.advisory_lock(ERASURE_LOCK).await?;
        tx.advisory_lock(SUPPRESSION_LOCK).await?;
        let before = row::Entity::find_by_id(self.lead_id)
            .filter(row::Column::ErasedAt.is_null())
            .one(&tx.db)
            .await?;
        let Some(before) = before else {
            return self.change_progress(tx).await;
        };
        let after = self.corrected_fields(&before);
        let corrected = corrections(&before, &after, &self.author);
        if corrected.is_empty() {
            return self.change_progress(tx).await;
        }
        let keys = Keys::from_fields(&after.name, &after.mobile, &after.email);
        let person = before.contact_id.unwrap_or(before.id);
        let conflicting = insert_keys(tx, &keys, person).await?;
        let locked = lock_people(tx, &[before.id], keys.identifying()).await?;
        self.check_seen(locked.lead(before.id)?)?;
        self.change_progress(tx).await?;

        let row = self
            .replace_fields(tx, &before, &after, &keys, conflicting)
            .await?;
        for event in &corrected {
            timeline::add(tx, &[row.id], event).await?;
        }
        request::notify_of_updates(tx, &[row.id]).await?;
        let others: Vec<&Model> = locked
            .leads()
            .filter(|other| other.contact_id == Some(person) && other.id != row.id)
            .collect();
        if was_linked_by_mistake(&others, &before, &row) {
            let of_person: Vec<&Model> = others.iter().copied().chain([&row]).collect();
            assign::split(tx, &of_person, &[row.id], person, &self.author).await?;
        }
        if row.email_key != before.email_key {
            request::redirect_emails(tx, &row).await?;
        }
        let since = self.mark_corrected(tx, &before, &row, &keys).await?;
        contact::drop_unused(tx, &before.keys().collect::<Vec<_>>()).await?;
        let corrected = Model {
            do_not_contact_at: since,
            ..row
        };
        Ok(corrected.progress())
    }

    fn corrected_fields(&self, row: &Model) -> Fields {
        let corrected =
            |field: &Option<String>, current: &String| field.as_ref().unwrap_or(current).clone();
        Fields {
            name: corrected(&self.name, &row.name),
            mobile: corrected(&self.mobile, &row.mobile),
            email: corrected(&self.email, &row.email),
        }
    }

    /// Marks the leads of the mailbox as not to be contacted if the lead is marked, or if its mailbox or number is
    /// suppressed. A withdrawal by the mailbox before the correction stays on the lead and is not extended to the corrected
    /// mailbox: its link proves nothing about the corrected one. Returns since when the lead is marked.
    async fn mark_corrected(
        &self,
        tx: &Transaction,
        before: &Model,
        row: &Model,
        keys: &Keys,
    ) -> Result<Option<DateTimeUtc>> {
        let mut extended = row.do_not_contact_at;
        if row.mailbox_hash != before.mailbox_hash {
            do_not_contact::share_numbers(tx, before).await?;
            if do_not_contact::has_withdrawn(tx, &before.mailbox_hash).await? {
                extended = None;
            }
        }
        let suppressed = do_not_contact::find_since(tx, &[(row.id, keys)]).await?;
        let Some(since) = extended.or(suppressed.get(&row.id).copied()) else {
            return Ok(row.do_not_contact_at);
        };
        let locked = lock_mailbox(tx, &row.mailbox_hash).await?;
        let leads: Vec<&Model> = locked.leads().collect();
        let marked = Model {
            do_not_contact_at: Some(since),
            // A withdrawal by the mailbox before is not extended.
            earlier: None,
            ..row.clone()
        };
        let withdrawn = do_not_contact::find_withdrawal(&tx.db, &tx.suppression, &marked).await?;
        do_not_contact::mark(tx, &leads, since, withdrawn, &self.author).await?;
        Ok(row.do_not_contact_at.or(Some(since)))
    }

    /// Stores the fields and all columns that derive from them. Returns the row after.
    async fn replace_fields(
        &self,
        tx: &Transaction,
        before: &Model,
        after: &Fields,
        keys: &Keys,
        conflicting: Option<Uuid>,
    ) -> Result<Model> {
        let earlier = before.earlier.clone().unwrap_or_default();
        let earlier = earlier.with_correction(&current_fields(before), after);
        let submitted_mailbox_hash = if before.email == after.email {
            before.submitted_mailbox_hash.clone()
        } else {
            Some(before.submitted_mailbox_hash().to_owned())
        };
        let changed_at = tx.time_after_locks().await?;
        let corrected = row::ActiveModel {
            id: Set(before.id),
            name: Set(after.name.clone()),
            mobile: Set(after.mobile.clone()),
            email: Set(after.email.clone()),
            email_key: Set(keys.email.as_str().to_owned()),
            mailbox: Set(keys.email.mailbox()),
            mailbox_hash: Set(tx.suppression.hash_mailbox(&keys.email)),
            submitted_mailbox_hash: Set(submitted_mailbox_hash),
            digits: Set(keys.digits.clone()),
            number_key: Set(keys.number_and_name.clone().unwrap_or_default()),
            searched: Set(keys.searched(&before.reference, &earlier)),
            earlier: Set(Some(earlier)),
            conflicting_contact_id: Set(conflicting),
            contact_changed_at: Set(Some(changed_at)),
            changed_at: Set(Some(tx.now().await?)),
            changed_by: Set(self.author.clone()),
            ..Default::default()
        };
        Ok(corrected.update(&tx.db).await?)
    }
}

fn current_fields(row: &Model) -> Fields {
    Fields {
        name: row.name.clone(),
        mobile: row.mobile.clone(),
        email: row.email.clone(),
    }
}

/// The timeline's events of the changed fields.
fn corrections(before: &Model, after: &Fields, author: &str) -> Vec<Event> {
    let mut events = Vec::new();
    let client = || author.to_owned();
    if before.name != after.name {
        events.push(Event::NameCorrected(entry::NameCorrected {
            from: before.name.clone(),
            to: after.name.clone(),
            client: client(),
        }));
    }
    if before.mobile != after.mobile {
        events.push(Event::NumberCorrected(entry::NumberCorrected {
            from: before.mobile.clone(),
            to: after.mobile.clone(),
            client: client(),
        }));
    }
    if before.email != after.email {
        events.push(Event::EmailCorrected(entry::EmailCorrected {
            from: before.email.clone(),
            to: after.email.clone(),
            client: client(),
        }));
    }
    events
}

/// Inserts and locks the keys for the person. Returns another person who has one of the keys.
async fn insert_keys(tx: &Transaction, keys: &Keys, person: Uuid) -> Result<Option<Uuid>> {
    let identifying: BTreeSet<Key> = keys.identifying().collect();
    let rows: Vec<(Key, Uuid)> = identifying.into_iter().map(|key| (key, person)).collect();
    contact::insert_keys(tx, &rows).await?;
    let owners = contact::lock_keys(tx, keys.identifying()).await?;
    let mut owners = keys
        .identifying()
        .filter_map(|key| owners.get(&key).copied());
    Ok(owners.find(|owner| *owner != person))
}

/// Whether other leads of the person have a key that the correction removed, and none has a key that the lead still has.
/// Then only the wrong value linked the lead to the person, unless somebody merged people.
fn was_linked_by_mistake(others: &[&Model], before: &Model, after: &Model) -> bool {
    let kept: BTreeSet<Key> = after.keys().collect();
    let removed: BTreeSet<Key> = before.keys().filter(|key| !kept.contains(key)).collect();
    let is_shared = |keys: &BTreeSet<Key>| {
        others
            .iter()
            .flat_map(|other| other.keys())
            .any(|key| keys.contains(&key))
    };
    is_shared(&removed) && !is_shared(&kept)
}
