//! Requests emails that no message announces: of a lead to a person, and of a withdrawal to the sales team.

use chrono::TimeDelta;

use super::delivery::{self, is_address, set_open};
use crate::{
    db::{audit, prelude::*},
    leads::{lead, lock::lock},
};

/// Within this time a person is emailed a lead once, however often that is requested.
const ONCE_WITHIN: TimeDelta = TimeDelta::minutes(1);

impl Store {
    /// Requests an email to a person, whose recipient begins with `kind`, and audits that under `author`. Returns whether
    /// the lead is stored.
    pub(crate) async fn request_email(
        &self,
        lead_id: Uuid,
        kind: &str,
        person: &str,
        author: &str,
    ) -> Result<bool> {
        self.write("request email", |tx| async move {
            if lock(&tx, &[lead_id]).await?.lead(lead_id).is_none() {
                return Ok(false);
            }
            email_person(&tx, lead_id, kind, person).await?;
            audit(&tx.db, author, "mail", 1, Some(lead_id)).await?;
            Ok(true)
        })
        .await
    }
}

/// Adds a delivery for a person, whose recipient begins with `kind`. The transaction must hold the lead's lock.
pub(crate) async fn email_person(tx: &Transaction, lead_id: Uuid, kind: &str, person: &str) -> Result<()> {
    let (prefix, now) = (format!("{kind}{person}#"), tx.now().await?);
    // Not by LIKE, in which a name may be a pattern.
    let mut before = delivery::find_by_leads([lead_id]).all(&tx.db).await?;
    before.retain(|row| row.recipient.starts_with(&prefix));
    if before.iter().any(|row| row.changed_at > now - ONCE_WITHIN) {
        return Ok(());
    }
    let recipient = format!("{prefix}{}", before.len() + 1);
    delivery::insert_missing(tx, [delivery::Model::due(lead_id, &recipient, now)]).await?;
    set_open(tx, lead_id, true).await
}

/// Adds emails to the lead's owner, or else to the addresses that the lead was sent to.
pub(crate) async fn email_sales(tx: &Transaction, lead: &lead::Model, subject: &str) -> Result<()> {
    let mut recipients = vec![lead.owner.clone()];
    if lead.owner.is_empty() {
        let deliveries = delivery::find_by_leads([lead.id]).all(&tx.db).await?.into_iter();
        recipients = deliveries.map(|row| row.recipient).filter(|it| is_address(it)).collect();
    }
    if recipients.is_empty() {
        return Ok(());
    }
    let now = tx.now().await?;
    let due = |recipient| delivery::Model::due(lead.id, &format!("{subject}{recipient}"), now);
    delivery::insert_missing(tx, recipients.iter().map(due)).await?;
    set_open(tx, lead.id, true).await
}
