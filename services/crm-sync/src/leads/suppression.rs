//! Whom not to contact, after their leads are erased too: keyed hashes of mailboxes and telephone numbers.

use std::{collections::HashMap, fmt, str::FromStr};

use ::lead::{EmailKey, Telephone};
use ring::hmac::{self, HMAC_SHA256};
use sea_orm::{
    ActiveValue::Set,
    DatabaseTransaction, QueryFilter, QuerySelect,
    entity::prelude::*,
    sea_query::{IntoCondition, OnConflict},
};

use super::{keys::Keys, lead};
use crate::db::{error::StoreError, transaction::chunks};

/// A shorter key could be guessed, and then the numbers too.
const SHORTEST_KEY: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "suppression")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: String,
    pub since: DateTimeUtc,
    pub reason: String,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Reasons: somebody of the sales team set the mark, or the visitor withdrew their consent.
pub(crate) const DO_NOT_CONTACT: &str = "do_not_contact";
pub(crate) const WITHDRAWAL: &str = "withdrawal";

/// Without the key, nobody can tell from a hash whose it is: there are few telephone numbers.
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
    /// The hashes of a mailbox and of a telephone number.
    fn hashes(
        &self,
        email: &EmailKey,
        telephone: Option<&Telephone>,
    ) -> impl Iterator<Item = String> + use<> {
        let telephone = telephone.map(|it| self.hash(format_args!("telephone:{}", it.as_str())));
        std::iter::once(self.hash(format_args!("email:{}", email.mailbox()))).chain(telephone)
    }

    fn hash(&self, value: fmt::Arguments<'_>) -> String {
        let hash = hmac::sign(&self.0, value.to_string().as_bytes());
        hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Since when not to contact the senders of these leads, which need not be stored; nothing for others.
pub(crate) async fn of_leads(
    transaction: &DatabaseTransaction,
    key: &SuppressionKey,
    leads: impl Iterator<Item = (Uuid, &Keys)>,
) -> Result<HashMap<Uuid, DateTimeUtc>, StoreError> {
    let hashes = leads.flat_map(|(lead, keys)| {
        key.hashes(&keys.email, keys.telephone.as_ref()).map(move |hash| (hash, lead))
    });
    let hashes: Vec<(String, Uuid)> = hashes.collect();
    let mut found = HashMap::new();
    for part in chunks(&hashes) {
        let any = part.iter().map(|(hash, _)| hash.as_str());
        for row in Entity::find().filter(Column::Hash.is_in(any)).all(transaction).await? {
            let leads =
                hashes.iter().filter(|(hash, _)| *hash == row.hash).map(|(_, lead)| (*lead, row.since));
            found.extend(leads);
        }
    }
    Ok(found)
}

/// Adds the senders of stored leads. A sender who is suppressed already keeps time and reason.
pub(crate) async fn add(
    transaction: &DatabaseTransaction,
    key: &SuppressionKey,
    leads: impl IntoCondition,
    since: DateTimeUtc,
    reason: &str,
) -> Result<(), StoreError> {
    for part in chunks(&hashes(transaction, key, leads).await?) {
        let rows = part.into_iter().map(|hash| ActiveModel {
            hash: Set(hash.clone()),
            since: Set(since),
            reason: Set(reason.to_owned()),
        });
        Entity::insert_many(rows)
            .on_conflict(OnConflict::column(Column::Hash).do_nothing().to_owned())
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(())
}

/// Removes the senders of stored leads.
pub(crate) async fn remove(
    transaction: &DatabaseTransaction,
    key: &SuppressionKey,
    leads: impl IntoCondition,
) -> Result<(), StoreError> {
    for part in chunks(&hashes(transaction, key, leads).await?) {
        Entity::delete_many().filter(Column::Hash.is_in(part)).exec(transaction).await?;
    }
    Ok(())
}

async fn hashes(
    transaction: &DatabaseTransaction,
    key: &SuppressionKey,
    leads: impl IntoCondition,
) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String, String)> = lead::Entity::find()
        .select_only()
        .columns([lead::Column::EmailKey, lead::Column::Mobile])
        .filter(leads)
        .filter(lead::Column::ErasedAt.is_null())
        .into_tuple()
        .all(transaction)
        .await?;
    let mut hashes: Vec<String> = rows
        .iter()
        .flat_map(|(email, mobile)| key.hashes(&EmailKey::of(email), Telephone::read(mobile).as_ref()))
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    Ok(hashes)
}
