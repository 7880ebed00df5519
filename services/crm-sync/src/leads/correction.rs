//! Corrects the phone number of a lead. The submitted number stays in its row and in the timeline.

use std::collections::HashMap;

use super::{contact, do_not_contact, keys::Keys, lock::lock_people};
use crate::{db::prelude::*, people::erase::ERASURE_LOCK};

/// A corrected number whose keys are locked.
pub(crate) struct Correction<'a> {
    before: lead::Model,
    mobile: &'a str,
    keys: Keys,
    /// Another person who has the corrected number and the lead's name.
    conflicting: Option<Uuid>,
}

impl<'a> Correction<'a> {
    /// Assigns the new number to the lead's person, unless another person has number and name, and locks the person's
    /// leads. Returns `None` if the lead already has the number, is not stored or is erased.
    pub(crate) async fn prepare(tx: &Transaction, lead_id: Uuid, mobile: &'a str) -> Result<Option<Self>> {
        tx.advisory_lock(ERASURE_LOCK).await?;
        let before = lead::Entity::find_by_id(lead_id).filter(lead::Column::ErasedAt.is_null());
        let before = before.filter(lead::Column::Mobile.ne(mobile)).one(&tx.db).await?;
        let Some(before) = before else { return Ok(None) };
        let keys = Keys::from_fields(&before.name, mobile, &before.email);
        let person = before.contact_id.unwrap_or(lead_id);
        // Before other locks: a concurrent lead with this number may wait for the other keys, and both would deadlock.
        let inserted: Vec<_> = keys.number_key().map(|key| (key, person)).into_iter().collect();
        contact::insert_keys(tx, &inserted).await?;
        lock_people(tx, &[lead_id], keys.number_key()).await?;
        let owners = contact::lock_keys(tx, keys.number_key()).await?;
        let conflicting = owners.into_values().find(|owner| *owner != person);
        Ok(Some(Self { before, mobile, keys, conflicting }))
    }

    /// Stores the number, and marks the person as not to be contacted if the number is suppressed.
    pub(crate) async fn apply(&self, tx: &Transaction, author: &str) -> Result<lead::Model> {
        let Self { before, mobile, keys, conflicting } = self;
        let submitted = before.submitted_mobile.as_ref().unwrap_or(&before.mobile);
        // Searches find the lead by either number.
        let submitted_digits = Keys::from_fields("", submitted, "").digits;
        let searched = format!("{} {submitted_digits}", keys.searched(&before.reference));
        let after = lead::ActiveModel {
            id: Set(before.id),
            mobile: Set((*mobile).to_owned()),
            submitted_mobile: Set(Some(submitted.clone())),
            digits: Set(keys.digits.clone()),
            number_key: Set(keys.number_and_name.clone().unwrap_or_default()),
            searched: Set(searched),
            conflicting_contact_id: Set(*conflicting),
            ..Default::default()
        };
        let mut row = after.update(&tx.db).await?;
        let (from, to, client) = (before.mobile.clone(), row.mobile.clone(), author.to_owned());
        let corrected = Event::NumberCorrected(entry::NumberCorrected { from, to, client });
        timeline::insert(tx, [timeline::lead_entry(row.id, corrected)]).await?;
        let suppressed = do_not_contact::find_since(tx, &[(row.id, keys)], &HashMap::new()).await?;
        if let Some(since) = row.do_not_contact_at.or(suppressed.get(&row.id).copied()) {
            let leads = lock_people(tx, &[row.id], None).await?;
            do_not_contact::set(tx, &leads, Some(since), author).await?;
            row.do_not_contact_at = Some(since);
        }
        contact::drop_unused(tx, &before.keys().collect::<Vec<_>>()).await?;
        Ok(row)
    }
}
