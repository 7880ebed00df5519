//! Corrects the phone number of a lead. The submitted number stays in its row and in the timeline.

use std::collections::HashMap;

use super::{
    contact, do_not_contact,
    keys::Keys,
    lock::{ERASURE_LOCK, lock_people},
    progress::Change,
};
use crate::db::prelude::*;

impl Change {
    /// Changes the lead's progress and its number. The lead's person gets the new number, unless another person has
    /// number and name. Marks the person as not to be contacted if the number is suppressed.
    pub(super) async fn correct_number(&self, tx: &Transaction, mobile: &str) -> Result<crm::Progress> {
        tx.advisory_lock(ERASURE_LOCK).await?;
        let before = lead::Entity::find_by_id(self.lead_id).filter(lead::Column::ErasedAt.is_null());
        let before = before.filter(lead::Column::Mobile.ne(mobile)).one(&tx.db).await?;
        // The lead has the number already, is not stored or is erased.
        let Some(before) = before else { return self.change_progress(tx).await };
        let keys = Keys::from_fields(&before.name, mobile, &before.email);
        let person = before.contact_id.unwrap_or(before.id);
        // Before other locks: a concurrent lead with this number may wait for the other keys, and both would deadlock.
        let inserted: Vec<_> = keys.number_key().map(|key| (key, person)).into_iter().collect();
        contact::insert_keys(tx, &inserted).await?;
        lock_people(tx, &[before.id], keys.number_key()).await?;
        let owners = contact::lock_keys(tx, keys.number_key()).await?;
        let conflicting = owners.into_values().find(|owner| *owner != person);
        self.change_progress(tx).await?;

        let submitted = before.submitted_mobile.as_ref().unwrap_or(&before.mobile);
        // Searches find the lead by either number.
        let submitted_digits = Keys::from_fields("", submitted, "").digits;
        let corrected = lead::ActiveModel {
            id: Set(before.id),
            mobile: Set(mobile.to_owned()),
            submitted_mobile: Set(Some(submitted.clone())),
            digits: Set(keys.digits.clone()),
            number_key: Set(keys.number_and_name.clone().unwrap_or_default()),
            searched: Set(format!("{} {submitted_digits}", keys.searched(&before.reference))),
            conflicting_contact_id: Set(conflicting),
            ..Default::default()
        };
        let mut row = corrected.update(&tx.db).await?;
        let (from, to, client) = (before.mobile.clone(), row.mobile.clone(), self.author.clone());
        let corrected = Event::NumberCorrected(entry::NumberCorrected { from, to, client });
        timeline::add(tx, &[row.id], &corrected).await?;
        let suppressed = do_not_contact::find_since(tx, &[(row.id, &keys)], &HashMap::new()).await?;
        if let Some(since) = row.do_not_contact_at.or(suppressed.get(&row.id).copied()) {
            let leads = lock_people(tx, &[row.id], None).await?;
            do_not_contact::set(tx, &leads, Some(since), &self.author).await?;
            row.do_not_contact_at = Some(since);
        }
        contact::drop_unused(tx, &before.keys().collect::<Vec<_>>()).await?;
        row.progress()
    }
}
