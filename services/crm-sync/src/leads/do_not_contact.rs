//! Marks visitors as not to be contacted. The mark is set on one lead and copied to all leads of the person.
//! Suppressions, keyed hashes of the person's mailboxes and phone numbers, survive an erasure.

use std::{
    collections::{BTreeSet, HashMap},
    str::FromStr,
};

use ::lead::{
    EmailKey, FieldError, PhoneNumber,
    field::{required_time, uuid},
    recipient::{ERASURE, VISITOR, WITHDRAWAL},
};
use contracts::leads::v1::LeadWithdrawn;
use ring::hmac::{self, HMAC_SHA256};
use tokens::WeakKey;

use super::{
    keys::{Contact, Keys},
    lock::{Locked, lock_people},
};
use crate::db::prelude::*;

/// A visitor's withdrawal of consent.
pub(crate) struct Withdrawal {
    pub(crate) lead_id: Uuid,
    pub(crate) withdrawn_at: DateTimeUtc,
    pub(crate) erasure_requested: bool,
}

impl Withdrawal {
    pub(crate) fn parse(message: Option<LeadWithdrawn>) -> Result<Self, Invalid> {
        let message = message.ok_or(FieldError::Missing("withdrawal"))?;
        Ok(Self {
            lead_id: uuid("lead_id", &message.lead_id)?,
            withdrawn_at: required_time("withdrawn_at", message.withdrawn_at)?,
            erasure_requested: message.erasure_requested,
        })
    }
}

impl Store {
    /// Marks all leads of the lead's person and notifies the sales team once. Ignores erased leads.
    pub(crate) async fn withdraw(&self, withdrawal: &Withdrawal) -> Result<()> {
        let lead_id = withdrawal.lead_id;
        self.write("withdraw lead", |tx| async move {
            let locked = lock_people(&tx, &[lead_id], None).await?;
            if locked.is_erased(lead_id) {
                return Ok(());
            }
            let lead = locked.lead(lead_id)?;
            let since = withdrawal.withdrawn_at.min(tx.now().await?);
            let is_marked = set(&tx, &locked, Some(since), VISITOR).await?;
            // The email about an erasure request also reports the withdrawal.
            let (requested, ever) = (
                Event::ErasureRequested(entry::ErasureRequested {}),
                DateTimeUtc::UNIX_EPOCH,
            );
            if withdrawal.erasure_requested
                && !timeline::contains(&tx, lead_id, &requested, ever).await?
            {
                timeline::add(&tx, &[lead_id], &requested).await?;
                delivery::email_sales(&tx, lead, ERASURE).await?;
            } else if is_marked {
                delivery::email_sales(&tx, lead, WITHDRAWAL).await?;
            }
            Ok(())
        })
        .await
    }
}

/// Sets the time since which the visitors of these leads must not be contacted; `None` allows contact. Updates leads,
/// timelines and suppressions. Returns whether a lead changed.
pub(crate) async fn set(
    tx: &Transaction,
    leads: &Locked,
    since: Option<DateTimeUtc>,
    author: &str,
) -> Result<bool> {
    let rows: Vec<&lead::Model> = leads.rows().filter(|row| row.erased_at.is_none()).collect();
    let changing = rows
        .iter()
        .filter(|row| row.do_not_contact_at.is_some() != since.is_some());
    let changing: Vec<Uuid> = changing.map(|row| row.id).collect();
    let marked = lead::ActiveModel {
        do_not_contact_at: Set(since),
        ..Default::default()
    };
    lead::update(tx, &changing, marked).await?;
    let (allowed, client) = (since.is_none(), author.to_owned());
    let changed = Event::ContactChanged(entry::ContactChanged { allowed, client });
    timeline::add(tx, &changing, &changed).await?;
    let reason = if author == VISITOR {
        "withdrawal"
    } else {
        "do_not_contact"
    };
    for hashes in chunks(&hashes_of_leads(tx, &rows)) {
        if let Some(since) = since {
            let rows = hashes.into_iter().map(|hash| {
                suppression::Model {
                    hash: hash.clone(),
                    since,
                    reason: reason.to_owned(),
                }
                .into_active_model()
            });
            // Existing suppressions keep their time and reason.
            let insert = suppression::Entity::insert_many(rows).on_conflict_do_nothing();
            insert.exec_without_returning(&tx.db).await?;
        } else {
            let is_of_lead = suppression::Column::Hash.is_in(hashes);
            suppression::Entity::delete_many()
                .filter(is_of_lead)
                .exec(&tx.db)
                .await?;
        }
    }
    Ok(!changing.is_empty())
}

/// Returns the do-not-contact times of new leads, from suppressions and from marked leads of the same people.
pub(crate) async fn find_since(
    tx: &Transaction,
    leads: &[(Uuid, &Keys)],
    contacts: &HashMap<Uuid, Contact>,
) -> Result<HashMap<Uuid, DateTimeUtc>> {
    let hashes = leads.iter().flat_map(|(lead, keys)| {
        tx.suppression
            .hashes(&keys.email, keys.phone.as_ref())
            .map(move |hash| (hash, *lead))
    });
    let hashes: Vec<(String, Uuid)> = hashes.collect();
    let mut found = HashMap::new();
    for part in chunks(&hashes) {
        let any = part.iter().map(|(hash, _)| hash.as_str());
        let rows = suppression::Entity::find().filter(suppression::Column::Hash.is_in(any));
        for row in rows.all(&tx.db).await? {
            let leads = hashes.iter().filter(|(hash, _)| *hash == row.hash);
            found.extend(leads.map(|(_, lead)| (*lead, row.since)));
        }
    }
    // A new person has the id of the lead.
    let known = contacts
        .iter()
        .filter(|(lead, contact)| **lead != contact.id)
        .map(|(_, contact)| contact.id);
    for people in chunks(&known.collect::<Vec<_>>()) {
        let marked: Vec<(Uuid, DateTimeUtc)> = lead::Entity::find()
            .select_only()
            .column(lead::Column::ContactId)
            .column_as(lead::Column::DoNotContactAt.min(), "since")
            .filter(lead::Column::ContactId.is_in(people.into_iter().copied()))
            .filter(lead::Column::DoNotContactAt.is_not_null())
            .group_by(lead::Column::ContactId)
            .into_tuple()
            .all(&tx.db)
            .await?;
        for (person, since) in marked {
            let leads = contacts.iter().filter(|(_, contact)| contact.id == person);
            found.extend(leads.map(|(lead, _)| (*lead, since)));
        }
    }
    Ok(found)
}

/// HMAC key of the suppressions. Unkeyed hashes could be reversed by trying all phone numbers.
#[derive(Clone)]
pub struct SuppressionKey(hmac::Key);

impl FromStr for SuppressionKey {
    type Err = WeakKey;

    fn from_str(secret: &str) -> Result<Self, WeakKey> {
        tokens::check_key(secret)?;
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
            hash.as_ref()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect()
        })
    }
}

/// Hashes both the corrected and the submitted number, which may be another number of the same person. Sorted to
/// prevent deadlocks.
fn hashes_of_leads(tx: &Transaction, leads: &[&lead::Model]) -> Vec<String> {
    let numbers = leads.iter().flat_map(|row| {
        [Some(&row.mobile), row.submitted_mobile.as_ref()]
            .into_iter()
            .flatten()
            .map(move |it| (row, it))
    });
    let hashes = numbers.flat_map(|(row, mobile)| {
        tx.suppression.hashes(
            &EmailKey::new(&row.email_key),
            PhoneNumber::parse(mobile).as_ref(),
        )
    });
    hashes.collect::<BTreeSet<_>>().into_iter().collect()
}

mod suppression {
    use crate::db::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, DeriveActiveModelBehavior)]
    #[sea_orm(table_name = "suppression")]
    pub(crate) struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub hash: String,
        pub since: DateTimeUtc,
        pub reason: String,
    }
}
