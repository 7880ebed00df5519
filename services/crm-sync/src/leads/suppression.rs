//! Whom not to contact, after their leads are erased too: keyed hashes of mailboxes and phone numbers.

use std::{
    collections::{BTreeSet, HashMap},
    str::FromStr,
};

use ::lead::{EmailKey, PhoneNumber};
use ring::hmac::{self, HMAC_SHA256};

use super::{keys::Keys, lead};
use crate::db::prelude::*;

/// A shorter key could be guessed, and then the numbers too.
const SHORTEST_KEY: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, DeriveActiveModelBehavior)]
#[sea_orm(table_name = "suppression")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: String,
    pub since: DateTimeUtc,
    pub reason: String,
}

/// Reasons: somebody of the sales team set the mark, or the visitor withdrew their consent.
pub(crate) const DO_NOT_CONTACT: &str = "do_not_contact";
pub(crate) const WITHDRAWAL: &str = "withdrawal";

/// Without the key, nobody can tell from a hash whose it is: there are few phone numbers.
#[derive(Clone)]
pub struct SuppressionKey(hmac::Key);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must have at least {SHORTEST_KEY} characters")]
pub struct ShortKey;

impl FromStr for SuppressionKey {
    type Err = ShortKey;

    fn from_str(secret: &str) -> Result<Self, ShortKey> {
        if secret.len() < SHORTEST_KEY {
            return Err(ShortKey);
        }
        Ok(Self(hmac::Key::new(HMAC_SHA256, secret.as_bytes())))
    }
}

impl SuppressionKey {
    /// The hashes of a mailbox and of a phone number.
    fn hashes(
        &self,
        email: &EmailKey,
        phone: Option<&PhoneNumber>,
    ) -> impl Iterator<Item = String> + use<'_> {
        let email = format!("email:{}", email.mailbox());
        let phone = phone.map(|it| format!("phone:{}", it.as_str()));
        [email].into_iter().chain(phone).map(|value| {
            let hash = hmac::sign(&self.0, value.as_bytes());
            hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
        })
    }
}

/// Since when not to contact the senders of these leads, which need not be stored; nothing for others.
pub(crate) async fn find_since(
    tx: &Transaction,
    leads: impl Iterator<Item = (Uuid, &Keys)>,
) -> Result<HashMap<Uuid, DateTimeUtc>> {
    let hashes = leads.flat_map(|(lead, keys)| {
        tx.suppression.hashes(&keys.email, keys.phone.as_ref()).map(move |hash| (hash, lead))
    });
    let hashes: Vec<(String, Uuid)> = hashes.collect();
    let mut found = HashMap::new();
    for part in chunks(&hashes) {
        let any = part.iter().map(|(hash, _)| hash.as_str());
        for row in Entity::find().filter(Column::Hash.is_in(any)).all(&tx.db).await? {
            let leads =
                hashes.iter().filter(|(hash, _)| *hash == row.hash).map(|(_, lead)| (*lead, row.since));
            found.extend(leads);
        }
    }
    Ok(found)
}

/// Adds the senders of leads. A sender who is suppressed already keeps time and reason.
pub(crate) async fn add(
    tx: &Transaction,
    leads: &[&lead::Model],
    since: DateTimeUtc,
    reason: &str,
) -> Result<()> {
    for part in chunks(&hashes_of_leads(tx, leads)) {
        let rows = part.into_iter().map(|hash| ActiveModel {
            hash: Set(hash.clone()),
            since: Set(since),
            reason: Set(reason.to_owned()),
        });
        Entity::insert_many(rows)
            .on_conflict(OnConflict::column(Column::Hash).do_nothing().to_owned())
            .exec_without_returning(&tx.db)
            .await?;
    }
    Ok(())
}

/// Removes the senders of leads.
pub(crate) async fn remove(tx: &Transaction, leads: &[&lead::Model]) -> Result<()> {
    for part in chunks(&hashes_of_leads(tx, leads)) {
        Entity::delete_many().filter(Column::Hash.is_in(part)).exec(&tx.db).await?;
    }
    Ok(())
}

/// Of a corrected number and of the submitted one, which may be another number of the same person. Sorted, so that two
/// statements cannot deadlock.
fn hashes_of_leads(tx: &Transaction, leads: &[&lead::Model]) -> Vec<String> {
    let numbers = leads.iter().flat_map(|row| {
        [Some(&row.mobile), row.submitted_mobile.as_ref()].into_iter().flatten().map(move |it| (row, it))
    });
    let hashes = numbers.flat_map(|(row, mobile)| {
        tx.suppression.hashes(&EmailKey::new(&row.email_key), PhoneNumber::parse(mobile).as_ref())
    });
    hashes.collect::<BTreeSet<_>>().into_iter().collect()
}
